package io.retso.oracle;

/**
 * Sequences of timestamps that belong to no transaction: those issued to readers, and those that
 * were passed over. Nothing is logged of them, so to a successor they look like each timestamp that
 * was reserved: presumed open, until they leave the window or the time limit passes. Below a
 * watermark that was answered this must not be, as the successor's would be lower: when the
 * watermark passes one of them, it is logged before it is answered, {@link Changes#watermark}.
 */
final class UnloggedTimestamps {
  /** Invariant: those below it are finished by a watermark in the log. Long.MAX_VALUE: of all. */
  private long lowest = Long.MAX_VALUE;

  /** The newest of all that were added. */
  private long newest;

  /** Forgets all. */
  void clear() {
    lowest = Long.MAX_VALUE;
    newest = 0;
  }

  /** Those below it are finished by a watermark in the log. */
  long told() {
    return lowest;
  }

  /** These were issued, in ascending order: all from the first to the last one. */
  void add(long first, long last) {
    assert first > newest;
    lowest = Math.min(lowest, first);
    newest = last;
  }

  /**
   * The watermark is about to be answered. Those that it passed are not held any more.
   *
   * @return whether the log must say first that all below it is finished
   */
  boolean passedBy(long watermark) {
    if (watermark <= lowest) {
      return false;
    }
    lowest = newest >= watermark ? watermark : Long.MAX_VALUE;
    return true;
  }
}
