package io.retso.oracle.rows;

/**
 * Since when {@link RowStripes} knows what is written. It gets that only while transactions are
 * certified, and for some time after the last one; so where no transaction is serializable, none
 * pays for it. What was written before counts as unknown. Not thread-safe.
 */
public final class RecordedSince {
  private final long awake;

  /** All commits from this sequence on are recorded, and will be those before the other. */
  private long from;

  private long awakeUntil;

  /** Records for so many sequences after the last certification, above 0. */
  public RecordedSince(long awake) {
    this.awake = awake;
  }

  /** Whether the commit at {@code sequence}, the next one, is to be recorded. */
  public boolean isAwake(long sequence) {
    return sequence < awakeUntil;
  }

  /** A transaction is certified at {@code now}, the next sequence: keep awake, or wake up. */
  public void wake(long now) {
    if (!isAwake(now)) {
      from = now; // nothing is known of the commits before
    }
    awakeUntil = now + awake;
  }

  /** Whether all commits after {@code start} are recorded. */
  public boolean knows(long start, long now) {
    return start >= from && isAwake(now);
  }

  /** Forgets everything and sleeps; {@code now} is the next sequence. */
  public void clear(long now) {
    awakeUntil = now;
  }
}
