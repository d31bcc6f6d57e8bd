package io.retso.oracle;

import io.retso.protocol.Timestamps;

/**
 * The low watermark, and what raises it for many transactions at a time: sweeps and the time limit.
 * Each call takes a bounded number of steps; what is left follows with later calls.
 */
final class Watermark {
  /** Places that one request looks at, at most, beside its own: about a millisecond. */
  static final int WALK_MAX = 1 << 20;

  /** Commits that one call moves from the window to the table, at most: some two milliseconds. */
  static final int MOVES_MAX = 1 << 13;

  /** Places that each batch of commits or begins takes of a sweep: some microseconds. */
  static final int SWEEP_SHARE = 1 << 12;

  private final TransactionWindow window;
  private final UncleanedCommits uncleaned;
  private final UnloggedTimestamps unlogged;
  private final Holds holds;
  private final Changes changes;
  private final OracleCounters counters;

  /** The highest answer since the oracle was emptied. */
  private long answered;

  /** The window and the table still have to take in the last sweep. */
  private boolean sweeping;

  Watermark(
      TransactionWindow window,
      UncleanedCommits uncleaned,
      UnloggedTimestamps unlogged,
      Holds holds,
      Changes changes,
      OracleCounters counters) {
    this.window = window;
    this.uncleaned = uncleaned;
    this.unlogged = unlogged;
    this.holds = holds;
    this.changes = changes;
    this.counters = counters;
  }

  /** The watermark as an answer to a client that relies on it; see {@link StatusOracle}. */
  long answer() {
    long low = sequence();
    assert low >= answered : "the low watermark falls from " + answered + " to " + low;
    answered = low;
    if (unlogged.passedBy(low)) {
      changes.watermark(low << Timestamps.GAP_BITS);
    }
    return low << Timestamps.GAP_BITS;
  }

  /** The oracle is emptied. Higher answers of a term that was deposed have not left. */
  void restart() {
    unlogged.clear();
    answered = 0;
  }

  /** Goes on as if the log had been replayed; see {@link Replay#goOn}. */
  void goOn() {
    window.forgetUnlogged(unlogged.told());
    unlogged.clear();
  }

  /** The watermark's sequence, for a reader that does not rely on it. */
  long sequence() {
    uncleaned.tidy(WALK_MAX);
    // Committed transactions that left the window uncleaned hold it back, too.
    long low = Math.min(window.finished(WALK_MAX), uncleaned.lowest());
    return Math.min(low, holds.lowest());
  }

  /** Nothing that committed below an issued timestamp has marks left. Costs a constant. */
  void swept(long timestamp) {
    long sequence = timestamp >>> Timestamps.GAP_BITS;
    counters.sweptReports++;
    if (window.sweep(sequence)) {
      uncleaned.sweep(sequence);
      changes.swept(timestamp);
      sweeping = true;
    }
  }

  /** Some of what a sweep left to do: so many places of the window and of the table. */
  void sweepOn(int stepsMax) {
    if (sweeping) {
      boolean windowDone = window.sweepOn(stepsMax);
      sweeping = !uncleaned.tidy(stepsMax) || !windowDone;
    }
  }

  /** Raises the low end of the window; returns whether all is done. */
  boolean expire(long timestamp) {
    long target = Math.min(timestamp >>> Timestamps.GAP_BITS, window.next());
    long to = Math.min(target, window.low() + WALK_MAX);
    if (to > window.low()) {
      long before = window.forcedAborts();
      window.raiseLow(to, MOVES_MAX);
      counters.expired += window.forcedAborts() - before;
      changes.expired(window.low() << Timestamps.GAP_BITS);
    }
    return window.low() >= target;
  }
}
