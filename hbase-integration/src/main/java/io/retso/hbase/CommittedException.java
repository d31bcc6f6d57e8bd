package io.retso.hbase;

/**
 * The transaction is committed, but the one that was to follow it did not begin ({@link
 * Transaction#commitAndBegin}); the cause says why. What it did is done: do not run it again, begin
 * the next one.
 */
public final class CommittedException extends TransactionException {
  private static final long serialVersionUID = 1L;

  private final long commitTimestamp;

  /** The {@code transaction} is committed, the next one did not begin because of {@code cause}. */
  CommittedException(String transaction, long commitTimestamp, Throwable cause) {
    super(
        Category.COMMITTED,
        transaction
            + " is committed at "
            + commitTimestamp
            + "; only the begin of the next one failed: "
            + cause.getMessage(),
        cause);
    this.commitTimestamp = commitTimestamp;
  }

  /** What {@link Transaction#commit} would have returned. */
  public long commitTimestamp() {
    return commitTimestamp;
  }
}
