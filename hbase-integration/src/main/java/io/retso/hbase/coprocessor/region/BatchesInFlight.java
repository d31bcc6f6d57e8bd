package io.retso.hbase.coprocessor.region;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The batches of mutations that a region works on, so that one can wait for those that began before
 * a certain moment, without stopping new ones.
 *
 * <p>Batches enter the current epoch. {@link #drain} replaces it and waits until the old one is
 * empty: whatever the caller published before is seen by every batch that enters afterwards, and
 * every batch that may not have seen it is over.
 *
 * <pre>
 *   batch:  e.count++ ;  current == e ?  proceed : leave and try again
 *   drain:  current = new ;  wait for old.count == 0
 * </pre>
 *
 * <p>Both are volatile accesses in one total order: if the batch still finds its epoch current,
 * then its increment comes before the replacement and the drain waits for it. Without that second
 * look it could have entered an epoch that an earlier drain has done with already. Thread-safe.
 */
public final class BatchesInFlight {
  /** What a batch entered; it must leave it once. */
  public static final class Epoch {
    private final AtomicInteger count = new AtomicInteger();

    public void leave() {
      int left = count.decrementAndGet();
      assert left >= 0 : left;
      if (left == 0) {
        synchronized (this) {
          notifyAll(); // none waits unless the epoch was replaced
        }
      }
    }

    /** Whether it is empty before {@code deadlineNanos}. */
    private synchronized boolean awaitEmpty(long deadlineNanos) throws InterruptedException {
      while (count.get() != 0) {
        long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
          return false;
        }
        wait(millis);
      }
      return true;
    }
  }

  private volatile Epoch current = new Epoch();

  /** Held by the thread that drains. */
  private final ReentrantLock draining = new ReentrantLock();

  /** Replaced epochs that were not empty when last looked at, oldest first. Guarded by that. */
  private final Deque<Epoch> old = new ArrayDeque<>();

  /** Enters the current epoch. */
  public Epoch enter() {
    Epoch epoch;
    do {
      epoch = current;
    } while (!enter(epoch));
    return epoch;
  }

  /** What a batch does that saw this epoch a while ago; false if it is too late. */
  public boolean enter(Epoch seen) {
    seen.count.incrementAndGet();
    if (seen == current) {
      return true;
    }
    seen.leave();
    return false;
  }

  /**
   * Waits for all batches that entered before the call. One caller at a time waits; the next one
   * waits for it, and no longer than it would for the batches: several flushes and compactions may
   * come at once, and a region that closes waits for them.
   *
   * @return false if some are not over after {@code millis}
   */
  boolean drain(long millis) throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    if (!draining.tryLock(millis, TimeUnit.MILLISECONDS)) {
      return false;
    }
    try {
      return drainUntil(deadline);
    } finally {
      draining.unlock();
    }
  }

  private boolean drainUntil(long deadline) throws InterruptedException {
    assert draining.isHeldByCurrentThread();
    if (current.count.get() != 0) {
      old.add(current);
      current = new Epoch();
    }
    while (!old.isEmpty()) {
      if (!old.peek().awaitEmpty(deadline)) {
        return false;
      }
      old.remove();
    }
    return true;
  }
}
