package io.retso.sequencer;

import io.retso.oracle.StatusOracle;
import java.util.concurrent.TimeUnit;

/**
 * The safe snapshot of all serializable readers that are not judged: a new one is issued at most
 * every {@link #PERIOD_NANOS}, however many ask, since each of them restricts the writers of its
 * moment. The oracle holds it open for {@link #HELD_NANOS}; a reader that takes longer is refused
 * by regions as too old.
 *
 * <p>Bounded by these two times. Of the sequencer's thread.
 */
final class SafeSnapshots {
  /** How old one may be that is handed out. */
  static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** How long it holds the low watermark. */
  static final long HELD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int HELD_MAX = (int) (HELD_NANOS / PERIOD_NANOS) + 1;

  private final StatusOracle oracle;

  /** A ring of those that are held, and when they were issued. */
  private final long[] snapshots = new long[HELD_MAX];

  private final long[] issued = new long[HELD_MAX];
  private int oldest;
  private int held;

  SafeSnapshots(StatusOracle oracle) {
    this.oracle = oracle;
  }

  /** The one to hand out now, issued if need be. */
  long current(long nowNanos) {
    int newest = (oldest + held - 1 + HELD_MAX) % HELD_MAX;
    if (held > 0 && nowNanos - issued[newest] < PERIOD_NANOS) {
      return snapshots[newest];
    }
    release(nowNanos);
    int place = (oldest + held++) % HELD_MAX;
    assert held <= HELD_MAX : "snapshots are issued too often";
    snapshots[place] = oracle.safeSnapshot();
    issued[place] = nowNanos;
    return snapshots[place];
  }

  /** Holds those no longer that were issued long ago. */
  void release(long nowNanos) {
    while (held > 0 && nowNanos - issued[oldest] >= HELD_NANOS) {
      oracle.release(snapshots[oldest]);
      oldest = (oldest + 1) % HELD_MAX;
      held--;
    }
  }
}
