package io.retso.member;

import java.util.concurrent.TimeUnit;

/**
 * When a standby may try to take over: it suspects the leader, those before it had their chance,
 * and its last attempt is long enough ago. Time is handed in; nothing rests on its being right.
 */
final class Suspicion {
  /** Each standby waits so much longer than the one before it: about the time of a take-over. */
  static final long RANK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** From an attempt to the next one, at least. */
  static final long PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(2);

  /** Such a pause, at most, while leaders follow each other without having served. */
  static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

  /** A leader that is heard for so long has served. */
  static final long SERVICE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long NEVER = Long.MIN_VALUE;

  private long lastTick = NEVER;
  private long epoch;
  private long sinceNanos = NEVER;
  private long suspectedAt = NEVER;
  private long attemptedAt = NEVER;
  private long attemptedBefore = NEVER;
  private long heldOffUntil = NEVER;
  private boolean attemptedInEpoch;
  private boolean tooLate;

  /** Epochs that began since the last one in which a server served. */
  private int changes;

  /** Time passes. */
  void tick(long now) {
    if (lastTick != NEVER && now - lastTick > Silence.STOOD_STILL_NANOS) {
      sinceNanos = now;
      suspectedAt = NEVER;
    }
    lastTick = now;
  }

  /** From now on this epoch's leader is followed; what was held against the one before is over. */
  void follows(long newEpoch, long now) {
    if (newEpoch > epoch) {
      changes += epoch > 0 ? 1 : 0;
      heldOffUntil = NEVER;
      attemptedInEpoch = false;
      attemptedAt = tooLate ? attemptedBefore : attemptedAt;
      tooLate = false;
    }
    epoch = newEpoch;
    sinceNanos = now;
    suspectedAt = NEVER;
  }

  /** The leader is heard, or is this member itself. */
  void heard(long now) {
    if (sinceNanos != NEVER && now - sinceNanos >= SERVICE_NANOS) {
      changes = 0;
    }
  }

  /** This member tries to take over. */
  void attempted(long now) {
    attemptedBefore = attemptedAt;
    attemptedAt = now;
    tooLate = false;
    attemptedInEpoch = true;
    suspectedAt = NEVER;
  }

  /**
   * The attempt did nothing, as another member had begun the next epoch before. So this one need
   * not pause when that epoch's leader fails, too.
   */
  void cameTooLate() {
    tooLate = true;
  }

  /** Leaves this epoch's place to others for a while. */
  void holdOff(long now, long nanos) {
    heldOffUntil = now + nanos;
  }

  /**
   * Whether to try now; to be asked at each tick.
   *
   * @param suspected whether the leader seems to be gone
   * @param invited the leader went of its own accord, so this is no quarrel that needs pauses
   * @param rank how many others are to try before
   */
  boolean isDue(boolean suspected, boolean invited, int rank, long now) {
    if (!suspected) {
      suspectedAt = NEVER;
      return false;
    }
    changes = invited ? 0 : changes;
    suspectedAt = suspectedAt == NEVER ? now : suspectedAt;
    boolean isFirst = attemptedAt == NEVER || invited && !attemptedInEpoch;
    return now - suspectedAt >= rank * RANK_NANOS
        && (isFirst || now - attemptedAt >= pause())
        && (heldOffUntil == NEVER || now - heldOffUntil >= 0);
  }

  private long pause() {
    int doublings = Math.min(Math.max(changes - 1, 0), 4);
    return Math.min(PAUSE_NANOS_MIN << doublings, PAUSE_NANOS_MAX);
  }
}
