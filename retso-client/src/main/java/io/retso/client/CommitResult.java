package io.retso.client;

import io.retso.protocol.Outcome;
import java.util.stream.Stream;

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
    EARLIER,
    /**
     * It is serializable, and no place is left for it in the serial order: what it read was changed
     * by a transaction that comes before one that read what it writes. Run it again: it does not
     * meet these two any more.
     */
    PIVOT,
    /**
     * It is serializable and wrote nothing, and what it read was changed after it began. Run it
     * again, or on a safe snapshot ({@link OracleClient#safeSnapshot}), where nobody is refused.
     */
    READ_ONLY,
    /**
     * It is serializable, what it read was changed after it began, and the oracle no longer knows
     * by which transaction first. Run it again; if this is frequent, shorten the transactions or
     * give the oracle more memory.
     */
    UNKNOWN_SUCCESSOR
  }

  private static final CommitResult[] ABORTED =
      Stream.of(AbortReason.values())
          .map(reason -> new CommitResult(0, reason))
          .toArray(CommitResult[]::new);

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
    return ABORTED[reason.ordinal()];
  }

  /**
   * The result of an {@link Outcome} of the protocol; {@code null} if {@code outcome} decides
   * nothing.
   */
  public static CommitResult of(long outcome) {
    if (Outcome.isCommitted(outcome)) {
      return committed(outcome);
    }
    if (outcome < Outcome.ABORTED_UNKNOWN_SUCCESSOR) {
      return null;
    }
    return switch ((int) outcome) {
      case (int) Outcome.ABORTED_CONFLICT -> aborted(AbortReason.CONFLICT);
      case (int) Outcome.ABORTED_TOO_OLD -> aborted(AbortReason.TOO_OLD);
      case (int) Outcome.ABORTED -> aborted(AbortReason.EARLIER);
      case (int) Outcome.ABORTED_PIVOT -> aborted(AbortReason.PIVOT);
      case (int) Outcome.ABORTED_READ_ONLY -> aborted(AbortReason.READ_ONLY);
      case (int) Outcome.ABORTED_UNKNOWN_SUCCESSOR -> aborted(AbortReason.UNKNOWN_SUCCESSOR);
      default -> null;
    };
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
