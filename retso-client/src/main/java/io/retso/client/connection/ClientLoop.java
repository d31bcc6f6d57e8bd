package io.retso.client.connection;

import java.util.concurrent.RejectedExecutionException;

/**
 * What runs a client: one thread with a clock, timers and connections. {@code NettyLoop} is the
 * real one; a simulator gives its own.
 */
public interface ClientLoop {
  /** Monotonic time. Any thread. */
  long nanoTime();

  /** Whether the caller is this loop's thread. */
  boolean inLoop();

  /**
   * Runs a task in the loop. Any thread.
   *
   * @throws RejectedExecutionException if it has ended
   */
  void execute(Runnable task);

  /** Runs a task in the loop, not before a time has passed. */
  void schedule(Runnable task, long delayNanos);

  /**
   * Begins to connect to {@link Connection#address}: {@link Connection#onOpen} or {@link
   * Connection#onUnreachable} follows. In the loop only.
   */
  void connect(Connection connection);

  /** Ends the loop when its last task is done. In the loop only. */
  void shutDown();

  /** Waits for the end, but not for ever. Not in the loop. */
  void awaitEnd();
}
