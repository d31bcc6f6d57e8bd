/**
 * From a request to its answer: the client's event loop and its connections, which carry the frames
 * of {@link io.retso.client.call}.
 *
 * <pre>
 *   threads of the program                 the client's event loop                       oracle
 *
 *   begin()  --+                    +-&gt; waiting[BEGIN]  --+                     +--------------+
 *   commit() --+--&gt; Intake ---------+-&gt; waiting[COMMIT] --+--&gt; FrameWriter ---&gt; |  Connection  | --&gt;
 *   status() --+    bounded queue,  +-&gt; waiting[STATUS] --+    frames of 64 KB  |  lanes of    |
 *                   one wake-up        ... per type                             |  SentFrames  |
 *                   per burst                                                   |              |
 *   futures  &lt;------------------------- Replies &lt;------------------------------ |              | &lt;--
 *                                                                               +--------------+
 * </pre>
 *
 * <p><strong>Throughput</strong> comes from sharing. Whatever has gathered in the intake when the
 * event loop looks becomes one frame per kind of request, written with one system call; replies
 * complete futures, whose dependents make new requests, which gather until the loop has finished
 * reading. Nothing is ever delayed to make a batch: an idle client sends a lone request at once. A
 * request costs one object, which is its future, too.
 *
 * <p><strong>Bounds.</strong> Outstanding requests have a limit, and with it the intake, the
 * waiting lists and the lanes. A connection whose buffer holds 2 MB gets no more until the server
 * has read; its requests wait, and time out in the end.
 *
 * <p><strong>Members.</strong> The client is connected to all servers that share the log, and sends
 * requests to the one that leads ({@code Members}). While none does, they wait.
 *
 * <p><strong>Repetition</strong> is the dispatcher's alone, as it knows which copies of a request
 * may be under way: of what was lost, and of commits that the server refused for now ({@code
 * RefusedCommits}).
 *
 * <p><strong>Failures.</strong> A connection is given up when it breaks, when its server breaks the
 * protocol or was deposed, or when the server owes replies and is silent for half a request's
 * time-out. What was in flight is sent again on the next connection to a leader, for everything but
 * a commit is harmless to repeat, and the repetition of a commit bears a flag and is answered with
 * the original decision. After a breach of the protocol nothing is repeated, lest the same frame do
 * it again. A commit that was ever handed to a connection and then runs out of time fails as {@link
 * io.retso.client.UnknownOutcomeException}; one that never was, as unavailable.
 *
 * <p><strong>Threads.</strong> All but {@code RemoteOracleClient} belongs to the event loop
 * (Dispatcher, Members, Member, Connection, Backoff). There is no lock.
 */
package io.retso.client.connection;
