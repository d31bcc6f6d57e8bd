/**
 * The network front: bytes to requests, replies to bytes.
 *
 * <p>One Netty event loop reads, calls the {@link io.retso.sequencer.Sequencer} directly and
 * writes: that loop is the single writer of the whole server, so a request changes hands only at
 * the log, and costs no queue and no wake-up. The loop's rhythm makes the batches: everything that
 * was readable in one turn is decided first; then, at the end of the turn, start timestamps leave
 * and one entry goes to the log.
 *
 * <p>No client can hold the others up: what a connection may have in memory is bounded by one frame
 * to read, the replies to what the log has not acknowledged (bounded by the log's entries), and a
 * high water mark of replies it did not read; beyond that it is not read from, and after a time-out
 * it is disconnected.
 */
package io.retso.net;
