package io.retso.hbase.operation;

import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Keeps the asynchronous operations of one transaction in order: an operation starts when the
 * writes before it have completed. Reads go on beside each other, and beside what is called after
 * them.
 *
 * <p>Operations are started in a loop, not by the completion of the one before: however many wait,
 * the stack stays flat. Thread-safe.
 */
public final class OperationQueue {
  private record Task<T>(
      boolean isWrite,
      boolean isHeld,
      Supplier<CompletableFuture<T>> operation,
      CompletableFuture<T> result) {}

  private final Deque<Task<?>> waiting = new ArrayDeque<>();

  /** Whether a write has been started and has not completed. */
  private boolean writing;

  /** Whether a thread is in the loop. */
  private boolean draining;

  /** Operations that have not completed. */
  private int outstanding;

  /** Those of them whose futures the application has. */
  private int held;

  private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);

  /**
   * Runs an operation as soon as it may.
   *
   * @param isWrite whether those that are submitted later wait for it
   * @param isHeld whether the application gets the future; otherwise the application cannot know
   *     when the operation has completed
   */
  public <T> CompletableFuture<T> submit(
      boolean isWrite, boolean isHeld, Supplier<CompletableFuture<T>> operation) {
    CompletableFuture<T> result = new CompletableFuture<>();
    synchronized (this) {
      if (outstanding++ == 0) {
        idle = new CompletableFuture<>();
      }
      held += isHeld ? 1 : 0;
      waiting.add(new Task<>(isWrite, isHeld, operation, result));
    }
    drain();
    return result;
  }

  private void drain() {
    synchronized (this) {
      if (draining) {
        return; // that thread looks again before it leaves
      }
      draining = true;
    }
    while (true) {
      Task<?> next;
      synchronized (this) {
        next = writing ? null : waiting.poll();
        if (next == null) {
          draining = false;
          return;
        }
        writing = next.isWrite;
      }
      start(next);
    }
  }

  private <T> void start(Task<T> task) {
    assert !Thread.holdsLock(this); // it may complete at once, with whatever depends on it
    Futures.begun(task.operation::get)
        .whenComplete((value, failure) -> ended(task, value, Futures.unwrap(failure)));
  }

  private <T> void ended(Task<T> task, T value, Throwable failure) {
    CompletableFuture<Void> becameIdle = null;
    synchronized (this) {
      assert outstanding > 0 && (writing || !task.isWrite);
      if (task.isWrite) {
        writing = false;
      }
      held -= task.isHeld ? 1 : 0;
      assert held >= 0;
      if (--outstanding == 0) {
        becameIdle = idle;
      }
    }
    if (becameIdle != null) {
      becameIdle.complete(null);
    }
    if (task.isHeld) {
      Callbacks.complete(task.result, value, failure);
    } else {
      Futures.complete(task.result, value, failure);
    }
    drain();
  }

  /** Operations that have not completed, and whose futures the application has. */
  public synchronized int held() {
    return held;
  }

  /** Completes when all that were submitted have completed. */
  public synchronized CompletableFuture<Void> idle() {
    return idle;
  }
}
