package io.retso.protocol;

/**
 * What the oracle answers about a transaction, as one number: a commit timestamp if it is positive,
 * otherwise one of the codes below.
 *
 * <p>A decided outcome ({@link #isCommitted} or {@link #isAborted}) never changes and may be cached
 * for ever.
 */
public final class Outcome {
  /** The request was carried out and has no further result. */
  public static final long DONE = 0;

  /**
   * Aborted: another transaction committed one of its rows after it started (Algorithm 3, l. 4).
   */
  public static final long ABORTED_CONFLICT = -1;

  /**
   * Aborted because the oracle no longer remembers enough: its start lies below the window of
   * transactions (forced abort, section 3.1), or a row of it may have been committed by an entry
   * that was evicted from the map (Algorithm 3, line 8).
   */
  public static final long ABORTED_TOO_OLD = -2;

  /** Aborted earlier: by its own client's request, or decided before this (repeated) request. */
  public static final long ABORTED = -3;

  /** Not decided: it has not asked to commit. Its commit timestamp will be above the reader's. */
  public static final long OPEN = -4;

  /**
   * Decided, and no longer remembered. Either it was committed and every row of it cleaned up
   * before this answer, or it was aborted. Read the row again: if the pending mark is still there,
   * the transaction was aborted; if it is gone, the row has the outcome.
   */
  public static final long RETRY = -5;

  /** A repeated commit or an abort of a transaction whose outcome can no longer be known. */
  public static final long UNKNOWN = -6;

  /**
   * The timestamp was never issued as a start timestamp; of a status query, it is malformed, or the
   * reader's was not issued yet.
   */
  public static final long INVALID_TIMESTAMP = -7;

  /**
   * Not decided by this request: the table of committed transactions that are not cleaned up is
   * full. Clean up, then commit again.
   */
  public static final long REFUSED_UNCLEANED = -8;

  /**
   * The answer to a first request to commit a transaction that is committed: it is not asked again,
   * so its rows may be others than those that were committed. Only a repeat gets the outcome.
   */
  public static final long ALREADY_COMMITTED = -9;

  /**
   * Not decided by this request: its client's host has committed more than its share of rows while
   * transactions of others are open, and would have to wait for long. Commit again later.
   */
  public static final long REFUSED_SHARE = -10;

  /**
   * Aborted: a serializable transaction that lies between two others. Something that it read was
   * changed since, and something that it wrote was read by one that must come after that change.
   */
  public static final long ABORTED_PIVOT = -11;

  /**
   * Aborted: a serializable transaction that only read. Something that it read was changed by one
   * that has its place in the serial order before the reader's snapshot.
   */
  public static final long ABORTED_READ_ONLY = -12;

  /**
   * Aborted: something that a serializable transaction read was changed since, and the oracle no
   * longer remembers where that change has its place in the serial order.
   */
  public static final long ABORTED_UNKNOWN_SUCCESSOR = -13;

  /**
   * Nothing was done: the ticket is not that of the start timestamp. Another client began that
   * transaction, or the ticket was made with a secret that the server no longer has.
   */
  public static final long NOT_OWNER = -14;

  /** Nothing was done: the snapshot is not held. It was released, or its time was over. */
  public static final long NOT_HELD = -15;

  /** No snapshot was taken: another one is held by this name. */
  public static final long HOLD_NAME_TAKEN = -16;

  /** No snapshot was taken: {@link Limits#HOLDS_MAX} are held. */
  public static final long HOLDS_FULL = -17;

  /** No snapshot was taken: a server that could take over would not understand it in the log. */
  public static final long HOLDS_NOT_UNDERSTOOD = -18;

  private Outcome() {}

  /** Whether {@code outcome} is a commit timestamp. */
  public static boolean isCommitted(long outcome) {
    return outcome > 0;
  }

  /** Whether {@code outcome} says that the transaction is aborted for ever. */
  public static boolean isAborted(long outcome) {
    return outcome <= ABORTED_CONFLICT && outcome >= ABORTED || isNotSerializable(outcome);
  }

  /**
   * Whether {@code outcome} says that the transaction is aborted because of what it read. Only
   * {@link FrameType#COMMIT_READS} is answered so.
   */
  public static boolean isNotSerializable(long outcome) {
    return outcome <= ABORTED_PIVOT && outcome >= ABORTED_UNKNOWN_SUCCESSOR;
  }

  /**
   * Whether a server says why, in the same reply, if {@code outcome} answers a commit: by which id
   * of the request, and by which commit.
   */
  public static boolean isExplained(long outcome) {
    return outcome == ABORTED_CONFLICT || outcome == ABORTED_TOO_OLD || isNotSerializable(outcome);
  }

  /**
   * Whether {@code outcome} says that nothing was done of this copy of a request to commit, which
   * may be asked again. It says nothing of other copies.
   */
  public static boolean isRefused(long outcome) {
    return outcome == REFUSED_UNCLEANED || outcome == REFUSED_SHARE;
  }

  /** The name of an outcome, for messages. */
  public static String nameOf(long outcome) {
    if (outcome > 0) {
      return "committed at " + outcome;
    }
    return switch ((int) Math.max(outcome, Integer.MIN_VALUE)) {
      case (int) DONE -> "done";
      case (int) ABORTED_CONFLICT -> "aborted by a conflict";
      case (int) ABORTED_TOO_OLD -> "aborted as too old";
      case (int) ABORTED -> "aborted";
      case (int) OPEN -> "open";
      case (int) RETRY -> "retry";
      case (int) UNKNOWN -> "unknown";
      case (int) INVALID_TIMESTAMP -> "invalid timestamp";
      case (int) REFUSED_UNCLEANED -> "refused, too many transactions not cleaned up";
      case (int) REFUSED_SHARE -> "refused, more rows than the share of its host";
      case (int) ALREADY_COMMITTED -> "committed before, by another request";
      case (int) ABORTED_PIVOT -> "aborted as a pivot between serializable transactions";
      case (int) ABORTED_READ_ONLY -> "aborted as what it read was changed in the past";
      case (int) ABORTED_UNKNOWN_SUCCESSOR -> "aborted as the successor of a read is forgotten";
      case (int) NOT_OWNER -> "refused, begun by another client";
      case (int) NOT_HELD -> "not held";
      case (int) HOLD_NAME_TAKEN -> "refused, another snapshot is held by this name";
      case (int) HOLDS_FULL -> "refused, too many snapshots are held";
      case (int) HOLDS_NOT_UNDERSTOOD -> "refused, a server does not understand held snapshots";
      default -> "outcome " + outcome;
    };
  }
}
