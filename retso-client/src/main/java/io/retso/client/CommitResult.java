package io.retso.client;

import io.retso.protocol.Outcome;

/**
 * The final outcome of a transaction: committed with a timestamp, or aborted for a reason. It never
 * changes and may be cached for ever. Immutable.
 */
public final class CommitResult {
  /** Why a transaction was aborted. */
  public enum AbortReason {
    /** Another transaction committed one of its rows after it started. Run it again. */
    CONFLICT,
    /**
     * It ran for longer than the oracle remembers. Run it again; if this is frequent, shorten the
     * transactions or give the oracle more memory.
     */
    TOO_OLD,
    /** It was aborted earlier, by an abort request or by a decision before this request. */
    EARLIER
  }

  private static final CommitResult CONFLICT = new CommitResult(0, AbortReason.CONFLICT);
  private static final CommitResult TOO_OLD = new CommitResult(0, AbortReason.TOO_OLD);
  private static final CommitResult EARLIER = new CommitResult(0, AbortReason.EARLIER);

  private final long commitTimestamp;

  /** Null if and only if committed. */
  private final AbortReason abortReason;

  private CommitResult(long commitTimestamp, AbortReason abortReason) {
    this.commitTimestamp = commitTimestamp;
    this.abortReason = abortReason;
  }

  /**
   * The result of a committed transaction, as an application's own oracle may need it in tests.
   *
   * @param commitTimestamp above the start timestamp
   */
  public static CommitResult committed(long commitTimestamp) {
    return new CommitResult(commitTimestamp, null);
  }

  /** The result of an aborted transaction. */
  public static CommitResult aborted(AbortReason reason) {
    return switch (reason) {
      case CONFLICT -> CONFLICT;
      case TOO_OLD -> TOO_OLD;
      case EARLIER -> EARLIER;
    };
  }

  /**
   * The result of an {@link Outcome} of the protocol; {@code null} if {@code outcome} decides
   * nothing.
   */
  public static CommitResult of(long outcome) {
    if (Outcome.isCommitted(outcome)) {
      return committed(outcome);
    }
    if (outcome == Outcome.ABORTED_CONFLICT) {
      return CONFLICT;
    }
    if (outcome == Outcome.ABORTED_TOO_OLD) {
      return TOO_OLD;
    }
    return outcome == Outcome.ABORTED ? EARLIER : null;
  }

  /** Whether the transaction is committed; otherwise it is aborted. */
  public boolean isCommitted() {
    return abortReason == null;
  }

  /**
   * The commit timestamp, always above the transaction's start timestamp.
   *
   * @throws IllegalStateException if the transaction is aborted
   */
  public long commitTimestamp() {
    if (abortReason != null) {
      throw new IllegalStateException("no commit timestamp: the transaction is " + this);
    }
    return commitTimestamp;
  }

  /**
   * Why the transaction is aborted.
   *
   * @throws IllegalStateException if it is committed
   */
  public AbortReason abortReason() {
    if (abortReason == null) {
      throw new IllegalStateException("no abort reason: the transaction is " + this);
    }
    return abortReason;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CommitResult that
        && commitTimestamp == that.commitTimestamp
        && abortReason == that.abortReason;
  }

  @Override
  public int hashCode() {
    return abortReason == null ? Long.hashCode(commitTimestamp) : abortReason.hashCode();
  }

  @Override
  public String toString() {
    return abortReason == null
        ? "committed at " + commitTimestamp
        : "aborted (" + abortReason + ")";
  }
}
