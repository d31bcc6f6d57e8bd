package io.retso.front;

/** What one client host has taken of what all share; see {@link FairUse}. */
final class ClientAccount {
  /** Something that is counted for two periods. */
  static final class Taken {
    private long period;
    private long now;
    private long before;

    /** What was taken in a period and the one before. */
    long in(long current) {
      roll(current);
      return now + before;
    }

    void add(long current, long count) {
      roll(current);
      now += count;
    }

    private void roll(long current) {
      if (period != current) {
        before = period + 1 == current ? now : 0;
        now = 0;
        period = current;
      }
    }
  }

  /** The host's number, above 0. */
  final int host;

  /** To whom its transactions belong. */
  final long owner;

  final Taken timestamps = new Taken();

  /** Rows of its commits. */
  final Taken rows = new Taken();

  final Pace.Credit timestampsCredit = new Pace.Credit();

  final Pace.Credit rowsCredit = new Pace.Credit();

  /** What the frame that is looked at takes counts for the pace: {@link FairUse} found so last. */
  boolean paced;

  /** No transaction that is protected, and that another host began, is open below this. */
  long othersOpenFrom;

  private long uncleaned;

  ClientAccount(int host, long owner) {
    this.host = host;
    this.owner = owner;
  }

  /** Commits with rows less reports of cleanups; about what is not cleaned up. */
  long uncleaned() {
    return uncleaned;
  }

  void addUncleaned(long change) {
    uncleaned = Math.max(0, uncleaned + change);
  }

  void forgetUncleaned() {
    uncleaned = 0;
  }
}
