package io.retso.hbase.coprocessor.region;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * The oldest snapshot that a region can serve, and what follows from it for writers and for purge.
 *
 * <p>Let W be the oracle's low watermark: every transaction that started below W is decided, and of
 * every committed one all marks are gone. A region raises its horizon to W in two steps:
 *
 * <pre>
 *   refuse(W)    from now on refused: reads with Tr below W, transactional writes with Ts below W;
 *                cleanups with Ts below W no longer move cells, they only remove them
 *   activate()   all batches that may not have known this are over: purge may rely on W
 * </pre>
 *
 * <p>After {@code activate}, no committed version below W comes into being in this region any more:
 *
 * <ul>
 *   <li>A write of a transaction {@code Ts < W} is refused. Those before the refusal are over.
 *   <li>A cleanup that moves to {@code Tc + 1 < W} has {@code Ts < Tc < W}: it would only remove.
 * </ul>
 *
 * <p>A mark below W belongs to an aborted transaction, or to a late duplicate of a write whose
 * transaction was cleaned up before: either way its cells are not to be seen, and removing them,
 * whatever the request says, is right.
 *
 * <p>Plain writers know no horizon: what they write at an old version, they write at their own
 * risk.
 *
 * <p>{@link #activeBy} says which horizon was active when the region's sequence of edits stood at a
 * number: all committed versions below it are among the edits up to that number. Thread-safe.
 */
public final class Horizon {
  private static final int REMEMBERED_MAX = 64;

  private record Active(long horizon, long sequence) {}

  private final BatchesInFlight batches;
  private final LongSupplier editSequence;
  private final Deque<Active> history = new ArrayDeque<>();
  private volatile long refused;
  private volatile long active;

  /**
   * A horizon of 0, which refuses nothing.
   *
   * @param editSequence the sequence number up to which all edits of the region are complete
   */
  public Horizon(BatchesInFlight batches, LongSupplier editSequence) {
    this.batches = batches;
    this.editSequence = editSequence;
  }

  /** Reads and writes with a timestamp below are refused. Never goes down. */
  public long refused() {
    return refused;
  }

  /** Purge may drop what no snapshot at or above needs. At most {@link #refused}. */
  public long active() {
    return active;
  }

  /** First step. */
  public synchronized void refuse(long watermark) {
    refused = Math.max(refused, watermark);
  }

  /**
   * Second step: waits for the batches in flight. If they take longer, nothing is active; the next
   * call waits for them again.
   *
   * @return {@link #active()}
   */
  public long activate(long millis) throws InterruptedException {
    long candidate = refused; // before the batches are looked at
    if (candidate > active && batches.drain(millis)) {
      long sequence = editSequence.getAsLong();
      synchronized (this) {
        if (candidate > active) {
          assert candidate <= refused : candidate + " is above " + refused;
          assert history.isEmpty() || history.getLast().horizon == active : active;
          active = candidate;
          history.add(new Active(candidate, sequence));
          if (history.size() > REMEMBERED_MAX) {
            history.remove();
          }
        }
      }
    }
    return active;
  }

  /**
   * A horizon such that every committed version below it that the region has, or ever will have, is
   * among its edits up to {@code sequence}; 0 if none is known.
   */
  public synchronized long activeBy(long sequence) {
    long found = 0;
    for (Active entry : history) {
      if (entry.sequence <= sequence) {
        found = entry.horizon;
      }
    }
    return found;
  }
}
