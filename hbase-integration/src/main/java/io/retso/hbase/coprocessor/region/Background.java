package io.retso.hbase.coprocessor.region;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One thread for what the regions of a server do by themselves. It never ends; a task of a region
 * that has closed finds that out. Thread-safe.
 */
public final class Background {
  private static final ScheduledExecutorService THREAD =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "retso-regions");
            thread.setDaemon(true);
            return thread;
          });

  private Background() {}

  /** Runs a task, which throws nothing, once. */
  public static void run(Runnable task, long delayMillis) {
    THREAD.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
  }
}
