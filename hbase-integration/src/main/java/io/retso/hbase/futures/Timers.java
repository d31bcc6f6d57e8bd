package io.retso.hbase.futures;

import io.retso.client.NonBlocking;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks after a time: on two threads of the JVM that all managers share, so that a task which
 * sends a batch holds up no deadline. Tasks do not block, and call no code of applications. The
 * threads end when there was nothing to do for a while. Thread-safe.
 */
public final class Timers {
  private static final int THREADS = 2;
  private static final long IDLE_SECONDS = 10;
  private static final AtomicInteger STARTED = new AtomicInteger();

  private static final class TimerThread extends Thread implements NonBlocking {
    TimerThread(Runnable task) {
      super(task, "retso-timer-" + STARTED.incrementAndGet());
      setDaemon(true);
    }
  }

  private static final ScheduledThreadPoolExecutor THE =
      new ScheduledThreadPoolExecutor(THREADS, TimerThread::new);

  static {
    THE.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    THE.allowCoreThreadTimeOut(true);
    THE.setRemoveOnCancelPolicy(true); // most time limits are never reached
  }

  private Timers() {}

  /** Runs the task when the time is over, unless it is cancelled before. */
  public static Future<?> after(long time, TimeUnit unit, Runnable task) {
    return THE.schedule(task, time, unit);
  }

  /** Runs each task so much later. */
  public static Executor delayed(long millis) {
    return task -> after(millis, TimeUnit.MILLISECONDS, task);
  }

  /** Completes the future with the value when the time is over, unless it is done before. */
  public static <T> CompletableFuture<T> completeAfter(
      CompletableFuture<T> future, T value, long millis) {
    return until(future, millis, () -> future.complete(value));
  }

  /** Fails the future when the time is over, unless it is done before. */
  public static <T> CompletableFuture<T> failAfter(CompletableFuture<T> future, long millis) {
    return until(
        future,
        millis,
        () -> future.completeExceptionally(new TimeoutException("no answer in " + millis + " ms")));
  }

  private static <T> CompletableFuture<T> until(
      CompletableFuture<T> future, long millis, Runnable end) {
    if (!future.isDone()) {
      Future<?> timer = after(millis, TimeUnit.MILLISECONDS, end);
      future.whenComplete((value, failure) -> timer.cancel(false));
    }
    return future;
  }
}
