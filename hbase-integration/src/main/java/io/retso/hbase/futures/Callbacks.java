package io.retso.hbase.futures;

import io.retso.client.NonBlocking;
import io.retso.hbase.trace.TraceContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hbase.thirdparty.io.netty.util.concurrent.FastThreadLocalThread;

/**
 * Keeps callbacks of applications away from threads on which others rely, and blocking methods away
 * from callbacks. What waits for a thread is bounded by the operations that are outstanding.
 * Thread-safe.
 */
public final class Callbacks {
  private static final int THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());
  private static final long IDLE_SECONDS = 10;
  private static final AtomicInteger STARTED = new AtomicInteger();

  /** How the names of other threads of HBase begin that complete its futures. */
  static final List<String> HBASE_TIMERS =
      List.of("Async-Client-Retry-Timer", "RpcClient-timer", "ReadOnlyZKClient");

  private static final class CallbackThread extends Thread implements NonBlocking {
    CallbackThread(Runnable task) {
      super(task, "retso-callback-" + STARTED.incrementAndGet());
      setDaemon(true);
    }
  }

  private static final ThreadPoolExecutor THREADS_OF_ALL =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          CallbackThread::new);

  static {
    THREADS_OF_ALL.allowCoreThreadTimeOut(true);
  }

  private Callbacks() {}

  /** Runs code of an application: at once, unless others rely on this thread. */
  public static void run(Runnable callback) {
    Thread current = Thread.currentThread();
    if (current instanceof NonBlocking && !(current instanceof CallbackThread)) {
      THREADS_OF_ALL.execute(TraceContext.current().wrapped(callback));
    } else {
      callback.run();
    }
  }

  /** Completes a future that an application has. */
  public static <T> void complete(CompletableFuture<T> future, T value, Throwable failure) {
    run(() -> Futures.complete(future, value, failure));
  }

  /** A future for an application, with the answer of this one. */
  public static <T> CompletableFuture<T> leave(CompletableFuture<T> future) {
    if (future.isDone()) {
      return future;
    }
    CompletableFuture<T> left = new CompletableFuture<>();
    future.whenComplete((value, failure) -> complete(left, value, failure));
    return left;
  }

  /**
   * Refuses to block a thread that completes futures of others.
   *
   * @throws IllegalStateException if this is one: a blocking method was called in a callback
   */
  public static void checkMayBlock() {
    Thread current = Thread.currentThread();
    if (current instanceof NonBlocking || isOfHBase(current)) {
      throw new IllegalStateException(
          "a blocking method was called in a callback, on the thread "
              + current.getName()
              + ", which completes the futures of others and would stop: use the asynchronous"
              + " method there, or take the callback to an executor of your own, as"
              + " thenApplyAsync(..., executor) does");
    }
  }

  private static boolean isOfHBase(Thread thread) {
    if (thread instanceof FastThreadLocalThread) {
      return true; // it reads answers
    }
    String name = thread.getName();
    for (String timer : HBASE_TIMERS) {
      if (name.startsWith(timer)) {
        return true;
      }
    }
    return false;
  }
}
