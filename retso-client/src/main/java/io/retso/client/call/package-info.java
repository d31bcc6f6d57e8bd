/**
 * Requests of the program, the frames that carry them, and what replies mean to them.
 *
 * <p>A {@code Call} is a request and the future of its answer. It is in one place at a time: in the
 * {@code Intake} that takes calls from many threads, in a {@code CallList}, in a {@code SentFrame},
 * or among the {@code RefusedCommits}. {@code FrameWriter} makes frames of lists; {@code Lanes} are
 * the frames of one connection that wait for replies; {@code Replies} completes their calls.
 *
 * <p>{@code Intake} and the final fields of {@code Call} are shared; all the rest belongs to the
 * event loop. Nothing here knows a connection.
 */
package io.retso.client.call;
