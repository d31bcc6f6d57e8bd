package io.retso.hbase.errors;

import io.retso.hbase.TransactionManager;

/**
 * The oracle was asked to commit and no answer could be had: the transaction may or may not be
 * committed. {@link TransactionManager#resolve} finds out, or makes sure that it never will be;
 * until then, running the transaction again could apply it twice.
 */
public final class UnknownCommitException extends TransactionException {
  private static final long serialVersionUID = 1L;

  private final long startTimestamp;

  /** The outcome of the transaction that started at {@code startTimestamp} is unknown. */
  public UnknownCommitException(long startTimestamp, Throwable cause) {
    super(
        Category.UNKNOWN_OUTCOME,
        "transaction "
            + startTimestamp
            + " may or may not be committed ("
            + cause.getMessage()
            + "); call TransactionManager.resolve("
            + startTimestamp
            + ") to learn it, and do not run it again before",
        cause);
    this.startTimestamp = startTimestamp;
  }

  /** The start timestamp of the transaction in question. */
  public long startTimestamp() {
    return startTimestamp;
  }
}
