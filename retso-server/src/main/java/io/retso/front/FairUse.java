package io.retso.front;

import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;

/**
 * Keeps one client host from using up what all share: the window of start timestamps, and the table
 * of committed transactions that nobody has cleaned up. Decision 15 describes it.
 *
 * <p>Both are free for all while they are at most half used. Beyond that a host that has more than
 * its share of the other half is held back, and only then: others go on.
 *
 * <p>Time is cut into periods. Protected is a transaction that began in this period or the one
 * before, so for one period at least; counted is what a host took in these two.
 *
 * <p>Of the sequencer's thread. It decides when something is done, never what the answer is.
 */
final class FairUse {
  private final StatusOracle oracle;
  private final long periodNanos;
  private long periodStart;
  private long period;

  /** The next timestamp when the period before began. */
  private long protectedFrom;

  /** The next timestamp when this period began. */
  private long periodTimestamp;

  /**
   * Makes the accounts' rules.
   *
   * @param periodNanos for how long a transaction is protected, at least
   */
  FairUse(StatusOracle oracle, long periodNanos, long nowNanos) {
    this.oracle = oracle;
    this.periodNanos = periodNanos;
    periodStart = nowNanos;
  }

  /** Time passes. */
  void tick(long nowNanos) {
    if (nowNanos - periodStart >= periodNanos) {
      periodStart = nowNanos;
      period++;
      protectedFrom = periodTimestamp;
      periodTimestamp = oracle.nextTimestamp();
    }
  }

  /**
   * Whether a host must wait before it takes {@code count} more timestamps: they would bring the
   * window's low end nearer than half a window to a protected transaction that is open.
   *
   * @param hosts that speak with this server
   */
  boolean mustWait(ClientAccount account, int count, int hosts) {
    long half = oracle.windowTimestamps() / 2;
    if (hosts < 2 || account.taken(period) <= half / hosts) {
      return false; // alone, it can only harm itself
    }
    long oldest = oracle.oldestOpen();
    long used = (oracle.nextTimestamp() - oldest >> Timestamps.GAP_BITS) + count;
    return used > half && oldest >= protectedFrom;
  }

  /** A host took timestamps. */
  void took(ClientAccount account, int count) {
    account.take(period, count);
  }

  /**
   * Whether commits of a host are refused: the table of uncleaned commits is more than half full,
   * and the host has more than its share of them.
   */
  boolean isAboveUncleaned(ClientAccount account, int hosts) {
    long half = oracle.uncleanedMax() / 2;
    return hosts > 1 && account.uncleaned() > half / hosts && oracle.uncleanedCommits() > half;
  }

  /** Commits of a host that must be cleaned up, and reports of it that this was done. */
  void committed(ClientAccount account, int commits, int cleanups) {
    if (oracle.uncleanedCommits() < oracle.uncleanedMax() / 4) {
      account.forgetUncleaned(); // others may have cleaned up: who has what is not known exactly
    }
    account.addUncleaned(commits - cleanups);
  }
}
