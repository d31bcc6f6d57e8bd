package io.retso;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How tests wait for what others do, on machines with few processors. Stateless. */
public final class Await {
  /**
   * Between two looks, not instead of one: a thread that waits leaves the processor to the others.
   */
  private static final long PAUSE_MILLIS = 5;

  private Await() {}

  /** Looks again and again until it holds, for a minute at most. */
  public static void aMinute(String what, Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    until(
        () -> {
          if (System.nanoTime() > end) {
            throw new TimeoutException("not within a minute: " + what);
          }
          return condition.call();
        });
  }

  /** Looks again and again until it holds; the test's time limit ends it otherwise. */
  public static void until(Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }
}
