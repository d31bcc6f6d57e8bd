package io.retso.front;

/** What one client host has taken of what all share; see {@link FairUse}. */
final class ClientAccount {
  private long period;
  private long takenNow;
  private long takenBefore;
  private long uncleaned;

  /** Timestamps that were taken in a period and the one before. */
  long taken(long now) {
    roll(now);
    return takenNow + takenBefore;
  }

  void take(long now, long count) {
    roll(now);
    takenNow += count;
  }

  private void roll(long now) {
    if (period != now) {
      takenBefore = period + 1 == now ? takenNow : 0;
      takenNow = 0;
      period = now;
    }
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
