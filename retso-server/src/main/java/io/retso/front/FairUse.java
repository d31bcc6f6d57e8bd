package io.retso.front;

import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;

/**
 * Keeps one client host from using up what all share: the window of start timestamps, the map of
 * committed rows, and the table of committed transactions that are not cleaned up. Decision 15
 * describes it.
 *
 * <p>A part of each is free for all: half, of the map an eighth. Beyond that a host that has more
 * than its share is slowed to a {@link Pace}, and only then: others go on.
 *
 * <p>Time is cut into periods. Protected is a transaction that began in this period or the one
 * before, so for one period at least and for two at most; counted is what a host took in these two.
 *
 * <p><strong>A protected transaction stays in the window</strong>, whatever other hosts begin. Of
 * the timestamps since it began, all hosts together take
 *
 * <ul>
 *   <li>half a window before any host is slowed;
 *   <li>then an eighth within their shares: the account of each host has at least all that it took
 *       since the transaction began, and has an eighth / number of hosts at most;
 *   <li>and a quarter at their pace, which allows so much in two periods.
 * </ul>
 *
 * <p>That leaves an eighth of the window for what is never slowed: commits of what was begun before
 * (which the map's rule slows), timestamps that follow the clock, the last tick's grant and frame.
 * The parts of the map are a quarter of these: an eighth, a 32nd and a 16th, a 32nd less than the
 * quarter after which few transactions are too old. Not counted are what the transaction's own host
 * takes, since no host is slowed for its own transactions, whose commits may be behind what waits;
 * and shares of hosts that come and go within two periods.
 *
 * <p>Of the sequencer's thread. It decides when something is done, and what is refused.
 */
final class FairUse {
  /** The part of the map that is free for all: it makes few transactions too old (T_max). */
  private static final int MAP_PARTS = 8;

  /** All hosts' shares together are this part of what is free for all. */
  private static final int SHARE_PARTS = 4;

  /** At the pace of those above them, this part of what is free for all is taken in two periods. */
  private static final int PACE_PARTS = 2;

  /** A commit waits for so many tenths of a period at most: four seconds. */
  private static final int WAIT_TENTHS = 4;

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
  private final Pace timestampsPace;
  private final Pace rowsPace;
  private long lastTick;
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
    lastTick = nowNanos;
    rowsOfMark = Math.max(1, oracle.rows() / MAP_PARTS / MARKS);
    timestampsPace = new Pace((double) freeTimestamps() / PACE_PARTS, 2 * periodNanos);
    rowsPace = new Pace((double) freeRows() / PACE_PARTS, 2 * periodNanos);
  }

  private long freeTimestamps() {
    return oracle.windowTimestamps() / 2;
  }

  private long freeRows() {
    return rowsOfMark * MARKS;
  }

  /** Time passes, and so many hosts wait. */
  void tick(long nowNanos, int waitingHosts) {
    endTurn();
    timestampsPace.tick(nowNanos - lastTick, waitingHosts);
    rowsPace.tick(nowNanos - lastTick, waitingHosts);
    lastTick = nowNanos;
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
   * Whether a host must wait before it takes {@code count} more timestamps: it is above its share,
   * since a protected transaction of another began half a window was used, and the pace allows no
   * more now.
   *
   * @param hosts that speak with this server
   */
  boolean mustWait(ClientAccount account, int count, int hosts) {
    account.paced = isAboveShare(account.timestamps, count, freeTimestamps(), hosts);
    if (account.paced) {
      long oldest = oldestOfOthers(account);
      long used = (oracle.nextTimestamp() - oldest >> Timestamps.GAP_BITS) + count;
      account.paced = used > freeTimestamps();
    }
    return account.paced && !timestampsPace.admits(account.timestampsCredit);
  }

  /** Whether a host must wait before it takes more rows: the free part of the map was written. */
  boolean mustWaitWithRows(ClientAccount account, int count, int hosts) {
    account.paced =
        isAboveShare(account.rows, count, freeRows(), hosts)
            && oldestOfOthers(account) < marks[oldestMark];
    return account.paced && !rowsPace.admits(account.rowsCredit);
  }

  /** Whether a host had more than its share with so much more; alone, it can only harm itself. */
  private boolean isAboveShare(ClientAccount.Taken taken, int count, long free, int hosts) {
    return hosts > 1 && taken.in(period) + count > free / SHARE_PARTS / hosts;
  }

  /** Whether a commit that began to wait at a time is refused now: clients have time-outs. */
  boolean isOverdue(long sinceNanos, long nowNanos) {
    return nowNanos - sinceNanos >= periodNanos / 10 * WAIT_TENTHS;
  }

  /** A protected transaction that another host began is open at this timestamp, or none below. */
  private long oldestOfOthers(ClientAccount account) {
    long from = Math.max(account.othersOpenFrom, Math.max(protectedFrom, oracle.windowLow()));
    account.othersOpenFrom = oracle.openOfOthers(from, account.host, steps);
    steps -= (int) (account.othersOpenFrom - from >> Timestamps.GAP_BITS);
    return account.othersOpenFrom;
  }

  /** A host began, or took timestamps; {@link #mustWait} was asked last. */
  void took(ClientAccount account, int count) {
    account.timestamps.add(period, count);
    if (account.paced) {
      timestampsPace.took(account.timestampsCredit, count);
    }
  }

  /** A host committed, and wrote rows into the map; {@link #mustWaitWithRows} was asked last. */
  void wrote(ClientAccount account, int commits, int rows) {
    account.timestamps.add(period, commits);
    account.rows.add(period, rows);
    if (account.paced) {
      rowsPace.took(account.rowsCredit, rows);
    }
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
      account.forgetUncleaned(); // others may have cleaned up: which host has what is not known
    }
    account.addUncleaned(commits - cleanups);
  }
}
