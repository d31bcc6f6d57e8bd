package io.retso.hbase.resolve;

import io.retso.hbase.layout.Outcome;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * Outcomes of the writers of one row that its region knows: the oracle is not asked about them, and
 * no mark tells of them. Not thread-safe.
 */
public final class KnownOutcomes {
  /** No writers. */
  public static final KnownOutcomes NONE = new KnownOutcomes(new long[0]);

  private final long[] starts;
  private final long[] outcomes;

  /**
   * Nothing is known yet.
   *
   * @param starts versions that may be those of writers, distinct and ascending; not changed
   */
  public KnownOutcomes(long[] starts) {
    this.starts = starts;
    this.outcomes = new long[starts.length];
  }

  /**
   * Looks for outcomes that are not known yet. An outcome never changes: once it is known here it
   * may be forgotten by the region.
   *
   * @param region what it knows: outcomes by start timestamp
   * @return whether all are known
   */
  public boolean look(LongUnaryOperator region) {
    boolean isComplete = true;
    for (int i = 0; i < starts.length; i++) {
      if (!Outcome.isKnown(outcomes[i])) {
        outcomes[i] = region.applyAsLong(starts[i]);
        isComplete &= Outcome.isKnown(outcomes[i]);
      }
    }
    return isComplete;
  }

  /** Whether a version is among those that may be a writer's. */
  public boolean isAsked(long version) {
    return Arrays.binarySearch(starts, version) >= 0;
  }

  /** The {@link Outcome} of a writer. */
  public long of(long version) {
    int i = Arrays.binarySearch(starts, version);
    return i < 0 ? Outcome.UNKNOWN : outcomes[i];
  }
}
