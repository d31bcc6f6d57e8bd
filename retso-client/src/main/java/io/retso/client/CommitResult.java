package io.retso.client;

import io.retso.protocol.Outcome;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The final outcome of a transaction: committed with a timestamp, or aborted for a reason. It never
 * changes and may be cached for ever. Immutable.
 */
@InterfaceAudience.Public
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
     * again, or on a safe snapshot ({@link OracleClient#safeSnapshot}), where no reader is refused.
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
          .map(reason -> new CommitResult(0, reason, 0, null, null))
          .toArray(CommitResult[]::new);

  private final long commitTimestamp;

  /** Null if and only if committed. */
  private final AbortReason abortReason;

  private final long receipt;

  /** Null if it is not known, or there is none. */
  private final Conflict conflict;

  /** Null if they are not known. */
  private final CommitSteps steps;

  private CommitResult(
      long commitTimestamp,
      AbortReason abortReason,
      long receipt,
      Conflict conflict,
      CommitSteps steps) {
    this.commitTimestamp = commitTimestamp;
    this.abortReason = abortReason;
    this.receipt = receipt;
    this.conflict = conflict;
    this.steps = steps;
  }

  /**
   * The result of a committed transaction, as an application's own oracle may need it in tests.
   *
   * @param commitTimestamp above the start timestamp
   */
  public static CommitResult committed(long commitTimestamp) {
    return new CommitResult(commitTimestamp, null, 0, null, null);
  }

  /** The result of an aborted transaction. */
  public static CommitResult aborted(AbortReason reason) {
    return ABORTED[reason.ordinal()];
  }

  /**
   * The result of an {@link Outcome} of the protocol; {@code null} if {@code outcome} decides
   * nothing.
   *
   * @param receipt see {@link #receipt}
   */
  public static CommitResult of(long outcome, long receipt) {
    if (Outcome.isCommitted(outcome)) {
      return new CommitResult(outcome, null, receipt, null, null);
    }
    AbortReason reason = reasonOf(outcome);
    if (reason == null) {
      return null;
    }
    return receipt == 0 ? aborted(reason) : new CommitResult(0, reason, receipt, null, null);
  }

  /**
   * This result of an aborted transaction, with what it met.
   *
   * @throws IllegalStateException if it is committed
   */
  public CommitResult explained(Conflict why) {
    Objects.requireNonNull(why, "why");
    return new CommitResult(0, abortReason(), receipt, why, steps);
  }

  /**
   * This result with how long the steps of the commit took.
   *
   * @since 0.1
   */
  public CommitResult timed(CommitSteps taken) {
    Objects.requireNonNull(taken, "taken");
    return new CommitResult(commitTimestamp, abortReason, receipt, conflict, taken);
  }

  private static AbortReason reasonOf(long outcome) {
    if (outcome < Outcome.ABORTED_UNKNOWN_SUCCESSOR) {
      return null;
    }
    return switch ((int) outcome) {
      case (int) Outcome.ABORTED_CONFLICT -> AbortReason.CONFLICT;
      case (int) Outcome.ABORTED_TOO_OLD -> AbortReason.TOO_OLD;
      case (int) Outcome.ABORTED -> AbortReason.EARLIER;
      case (int) Outcome.ABORTED_PIVOT -> AbortReason.PIVOT;
      case (int) Outcome.ABORTED_READ_ONLY -> AbortReason.READ_ONLY;
      case (int) Outcome.ABORTED_UNKNOWN_SUCCESSOR -> AbortReason.UNKNOWN_SUCCESSOR;
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

  /**
   * By what the oracle proves this outcome to region servers, which have the keys of {@link
   * Receipts}; 0 if it makes no receipts, as long as clients need not identify themselves. It is no
   * secret, and no part of equality.
   */
  public long receipt() {
    return receipt;
  }

  /**
   * What an aborted transaction met: which of its ids others changed, and by which commit. It is no
   * part of equality.
   *
   * @return empty if it is committed; if the oracle decided before this request, as when an answer
   *     was lost; if the transaction is older than what the oracle remembers; and if the oracle is
   *     of a version that does not say it
   */
  public Optional<Conflict> conflict() {
    return Optional.ofNullable(conflict);
  }

  /**
   * How long the steps of the commit took in the oracle's server. It is no part of equality.
   *
   * @return empty if {@linkplain CommitRequest#withSteps the request did not ask}, and if the
   *     oracle is of a version that does not say it
   * @since 0.1
   */
  public Optional<CommitSteps> steps() {
    return Optional.ofNullable(steps);
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
