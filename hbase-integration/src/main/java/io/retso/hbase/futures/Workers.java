package io.retso.hbase.futures;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Does things by several threads, until all are done or one fails. Stateless. */
public final class Workers {
  private Workers() {}

  /**
   * Returns when all are done. No thread is at work any more when it returns or throws.
   *
   * @param threads at most
   * @param what is done, for the message of an interrupt
   * @throws IOException the first failure; those that are not under way by then are not begun
   */
  public static void run(int threads, List<? extends Callable<Void>> tasks, String what)
      throws IOException {
    ExecutorService workers =
        Executors.newFixedThreadPool(Math.max(1, Math.min(threads, tasks.size())));
    try {
      ExecutorCompletionService<Void> done = new ExecutorCompletionService<>(workers);
      tasks.forEach(done::submit);
      for (int i = 0; i < tasks.size(); i++) {
        done.take().get();
      }
    } catch (ExecutionException e) {
      throw Futures.checked(e.getCause());
    } catch (InterruptedException e) {
      throw Futures.interrupted("interrupted in " + what, e);
    } finally {
      workers.shutdownNow();
      awaitEnd(workers);
    }
  }

  private static void awaitEnd(ExecutorService workers) {
    boolean isInterrupted = false;
    boolean isOver = false;
    while (!isOver) {
      try {
        isOver = workers.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
