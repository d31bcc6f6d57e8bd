package io.retso.chaos.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * For how long this process did not run: a thread that wants to wake up every millisecond notes how
 * much later it did. Collections of garbage and a machine without a free processor are seen so.
 * Thread-safe.
 */
public final class Pauses {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private long longest;

  /** Begins to look. */
  public Pauses() {
    Thread thread = new Thread(this::look, "pauses");
    thread.setDaemon(true);
    thread.start();
  }

  private void look() {
    long last = System.nanoTime();
    while (true) {
      LockSupport.parkNanos(PERIOD_NANOS);
      long now = System.nanoTime();
      note(now - last - PERIOD_NANOS);
      last = now;
    }
  }

  private synchronized void note(long late) {
    longest = Math.max(longest, late);
  }

  /** Forgets what was. */
  public synchronized void reset() {
    longest = 0;
  }

  /** The longest one since the last reset, nanoseconds. */
  public synchronized long longest() {
    return longest;
  }
}
