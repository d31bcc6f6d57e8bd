package io.retso.verify.run;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Says now and then that something still goes on, and what it waits for: HBase's client is silent
 * for minutes while a region is nowhere. Until it is closed.
 */
final class WaitReporter implements AutoCloseable {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "wait-reporter");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Begins.
   *
   * @param what goes on
   * @param waitsFor what for, in words; asked by a thread of its own
   */
  WaitReporter(String what, Supplier<String> waitsFor, Duration interval, Round.Listener listener) {
    long begin = System.nanoTime();
    long millis = interval.toMillis();
    timer.scheduleWithFixedDelay(
        () -> {
          String reason = waitsFor.get();
          long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
          listener.phase("still " + what + " after " + seconds + " s: " + reason);
        },
        millis,
        millis,
        TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
