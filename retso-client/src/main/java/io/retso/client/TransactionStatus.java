package io.retso.client;

import io.retso.protocol.Outcome;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What the oracle says to a reader about the writer of a value that the reader found. Immutable.
 */
@InterfaceAudience.Public
public final class TransactionStatus {
  /** Where a transaction stands. */
  public enum State {
    /**
     * Committed. The value is in the reader's snapshot if {@link #commitTimestamp()} is below the
     * reader's start timestamp. Final; may be cached for ever.
     */
    COMMITTED,
    /**
     * Not decided. If it commits at all, its commit timestamp will be above the reader's start
     * timestamp: the value is not in the reader's snapshot, now and later. A reader with a later
     * start timestamp must ask again.
     */
    OPEN,
    /** Aborted. The value is never to be read and may be removed. Final. */
    ABORTED,
    /**
     * Decided so long ago that the oracle no longer remembers. A transaction is forgotten only
     * after its client reported the clean-up of all its cells, or after it was aborted; the store
     * therefore tells them apart. Read the cell again:
     *
     * <ul>
     *   <li>the pending mark is gone: the clean-up came between the two reads, and the cell itself
     *       has the commit timestamp, or is no longer there;
     *   <li>the pending mark is still there: the transaction was aborted.
     * </ul>
     */
    RETRY
  }

  private static final TransactionStatus OPEN = new TransactionStatus(State.OPEN, 0);
  private static final TransactionStatus ABORTED = new TransactionStatus(State.ABORTED, 0);
  private static final TransactionStatus RETRY = new TransactionStatus(State.RETRY, 0);

  private final State state;

  /** Positive if committed, otherwise 0. */
  private final long commitTimestamp;

  private TransactionStatus(State state, long commitTimestamp) {
    this.state = state;
    this.commitTimestamp = commitTimestamp;
  }

  /** The status in an {@link Outcome} of the protocol; {@code null} if it is none. */
  public static TransactionStatus of(long outcome) {
    if (Outcome.isCommitted(outcome)) {
      return new TransactionStatus(State.COMMITTED, outcome);
    }
    if (Outcome.isAborted(outcome)) {
      return ABORTED;
    }
    if (outcome == Outcome.OPEN) {
      return OPEN;
    }
    return outcome == Outcome.RETRY ? RETRY : null;
  }

  /** Where the transaction stands. */
  public State state() {
    return state;
  }

  /**
   * Its commit timestamp.
   *
   * @throws IllegalStateException unless {@link #state()} is {@link State#COMMITTED}
   */
  public long commitTimestamp() {
    if (state != State.COMMITTED) {
      throw new IllegalStateException("no commit timestamp: the transaction is " + this);
    }
    return commitTimestamp;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TransactionStatus that
        && state == that.state
        && commitTimestamp == that.commitTimestamp;
  }

  @Override
  public int hashCode() {
    return 31 * state.hashCode() + Long.hashCode(commitTimestamp);
  }

  @Override
  public String toString() {
    return state == State.COMMITTED ? "COMMITTED at " + commitTimestamp : state.toString();
  }
}
