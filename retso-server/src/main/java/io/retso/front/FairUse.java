package io.retso.front;

import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;

/**
 * Keeps one client host from using up what all share: the window of start timestamps, the map of
 * committed rows, and the table of committed transactions that nobody has cleaned up. Decision 15
 * describes it.
 *
 * <p>A part of each is free for all: half, of the map an eighth. Beyond that a host that has more
 * than its share of as much again is held back, and only then: others go on.
 *
 * <p>Time is cut into periods. Protected is a transaction that began in this period or the one
 * before, so for one period at least; counted is what a host took in these two. Nobody waits for
 * transactions of its own host, which may be behind what waits. So a wait ends: what it waits for
 * is protected no longer after two periods, and in two periods without a commit or begin a host is
 * back below its share.
 *
 * <p>Of the sequencer's thread. It decides when something is done, never what the answer is.
 */
final class FairUse {
  /** The part of the map that is free for all: it makes few transactions too old (T_max). */
  private static final int MAP_PARTS = 8;

  /** Moments in the last free part of the map. */
  private static final int MARKS = 16;

  /** Timestamps that are looked at in a turn of the loop: about a millisecond. */
  private static final int STEPS = 1 << 20;

  private final StatusOracle oracle;
  private final long periodNanos;
  private long periodStart;
  private long period;

  /** The next timestamp when the period before began. */
  private long protectedFrom;

  /** The next timestamp when this period began. */
  private long periodTimestamp;

  /** The next timestamp each time that so many rows more were written; a ring. */
  private final long[] marks = new long[MARKS];

  private final long rowsOfMark;
  private long rowsSinceMark;

  /** The oldest mark: since then the free part of the map has been written. */
  private int oldestMark;

  private int steps = STEPS;

  /**
   * Makes the accounts' rules.
   *
   * @param periodNanos for how long a transaction is protected, at least
   */
  FairUse(StatusOracle oracle, long periodNanos, long nowNanos) {
    this.oracle = oracle;
    this.periodNanos = periodNanos;
    periodStart = nowNanos;
    rowsOfMark = Math.max(1, oracle.rows() / MAP_PARTS / MARKS);
  }

  /** Time passes. */
  void tick(long nowNanos) {
    endTurn();
    if (nowNanos - periodStart >= periodNanos) {
      periodStart = nowNanos;
      period++;
      protectedFrom = periodTimestamp;
      periodTimestamp = oracle.nextTimestamp();
    }
  }

  /** A turn of the loop is over: the next may look at as many. */
  void endTurn() {
    steps = STEPS;
  }

  /**
   * Whether a host must wait before it takes {@code count} more timestamps: they would bring the
   * window's low end nearer than half a window to a protected transaction of another.
   *
   * @param hosts that speak with this server
   */
  boolean mustWait(ClientAccount account, int count, int hosts) {
    long half = oracle.windowTimestamps() / 2;
    if (hosts < 2 || account.timestamps.in(period) <= half / hosts) {
      return false; // alone, it can only harm itself
    }
    long oldest = oldestOfOthers(account);
    long used = (oracle.nextTimestamp() - oldest >> Timestamps.GAP_BITS) + count;
    return used > half;
  }

  /**
   * Whether a host must wait before it writes more rows: since a protected transaction of another
   * began the free part of the map has been written.
   */
  boolean mustWaitWithRows(ClientAccount account, int hosts) {
    if (hosts < 2 || account.rows.in(period) <= rowsOfMark * MARKS / hosts) {
      return false;
    }
    return oldestOfOthers(account) < marks[oldestMark];
  }

  /** A protected transaction that another host began is open at this timestamp, or none below. */
  private long oldestOfOthers(ClientAccount account) {
    long from = Math.max(account.othersOpenFrom, Math.max(protectedFrom, oracle.windowLow()));
    account.othersOpenFrom = oracle.openOfOthers(from, account.host, steps);
    steps -= (int) (account.othersOpenFrom - from >> Timestamps.GAP_BITS);
    return account.othersOpenFrom;
  }

  /** A host took timestamps. */
  void took(ClientAccount account, int count) {
    account.timestamps.add(period, count);
  }

  /** A host wrote rows into the map. */
  void wrote(ClientAccount account, int rows) {
    account.rows.add(period, rows);
    rowsSinceMark = Math.min(rowsSinceMark + rows, MARKS * rowsOfMark);
    for (; rowsSinceMark >= rowsOfMark; rowsSinceMark -= rowsOfMark) {
      marks[oldestMark] = oracle.nextTimestamp();
      oldestMark = (oldestMark + 1) % MARKS;
    }
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
