/**
 * Between bytes and the sequencer: what becomes of a request frame, and when its reply may leave.
 *
 * <p>The rules that make answers true are here and in {@link io.retso.sequencer}, not in the
 * network: a frame is carried out by one call, which also returns the position at which its reply
 * may leave, and the reply waits for that position in the lane of its connection. So the simulator
 * runs the same code as a server; only the transport of the bytes is its own.
 *
 * <pre>
 *   bytes --&gt; Conversation.take --&gt; RequestHandler --&gt; Sequencer
 *                   |                                     |
 *                   v             position of the reply   |
 *               ReplyLane  &lt;------------------------------+
 *                   |
 *                   +--&gt; Transport.write, when FrontDesk.durable reaches the position
 * </pre>
 *
 * <p>An error in the bytes of one connection ends that connection. Any other error in here ends the
 * server: see {@link io.retso.front.FrontDesk#stop}.
 */
package io.retso.front;
