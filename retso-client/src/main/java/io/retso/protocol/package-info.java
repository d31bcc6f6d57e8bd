/**
 * The wire: one definition of the bytes that the oracle and its clients exchange.
 *
 * <p>Everything is big-endian. A connection is a TCP stream of <em>frames</em>; a frame carries
 * many requests of one kind, and one reply frame answers all of them in the same order. The
 * smallest unit on the wire is therefore a batch: requests of many threads travel, are decided and
 * are answered together, which is where the throughput comes from.
 *
 * <pre>
 *   0               4    5    6       8               12
 *   +---------------+----+----+-------+---------------+------------ - - -
 *   | length   u32  |type|flag| count | frame id  u32 | body
 *   |               | u8 | u8 |  u16  |               |
 *   +---------------+----+----+-------+---------------+------------ - - -
 *                   |&lt;------------------ length bytes ------------------&gt;|
 * </pre>
 *
 * <p>{@code length} counts the bytes behind itself. {@code frame id} is chosen by the client and
 * echoed by the reply. A reply has the type of its request with the top bit set ({@link
 * io.retso.protocol.FrameType}).
 *
 * <p>The first frame of a connection is {@code HELLO}; the server answers with the version it chose
 * and its limits, or with {@code ERROR} and closes. Any frame that breaks the format or a limit
 * ({@link io.retso.protocol.Limits}) is answered with {@code ERROR} and the connection is closed;
 * no other connection notices.
 *
 * <p>The server speaks without being asked in three cases: {@code ERROR}; a {@code PING} to a
 * client that has sent nothing for a while, which must answer it; and {@code ROLE} when it begins
 * or ceases to lead, or learns something new of the other members.
 *
 * <p><strong>Standbys.</strong> Of the servers that share a log one leads. The others answer HELLO
 * and PING only; to requests they say {@code NOT_LEADER}. A server that ceases to lead says {@code
 * ROLE} first, then {@code DEPOSED} for each frame whose reply it holds, in the order of their
 * lanes: the client asks the next leader.
 *
 * <p><strong>Versions.</strong> They begin with 1; the newest is {@link
 * io.retso.protocol.Handshake#VERSION_MAX}. The two sides choose the highest that both speak, and
 * part if there is none. Version 2 differs in the replies to commits, which say why one was
 * refused; version 3 adds the requests about held snapshots, which a client sends to no server that
 * speaks an older one; version 4 adds the first flag of a header, by which a client asks how long
 * the steps of its commits took.
 *
 * <p><strong>Tickets.</strong> {@code BEGIN} answers a ticket with each start timestamp, and what
 * changes a transaction's fate must bring it. Clients take it for a number without a meaning.
 *
 * <p><strong>Order.</strong> A connection has two lanes. Timestamps (of begins, and those that are
 * no transactions, safe snapshots among them) travel in the fast lane, which never waits for the
 * disk; all others (commit, abort, status, cleaned, watermark, swept, and what is about held
 * snapshots) travel in the log lane, which is released by the log's acknowledgement. Inside a lane
 * replies keep the order of requests; a begin may overtake an earlier commit, never another begin
 * or timestamp.
 */
package io.retso.protocol;
