package io.retso.hbase.errors;

/** The oracle cannot be reached or used; nothing was decided. */
public final class OracleUnavailableException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /**
   * A failure.
   *
   * @param message what happened and what to do about it
   * @param cause may be null
   */
  public OracleUnavailableException(String message, Throwable cause) {
    super(Category.ORACLE_UNAVAILABLE, message, cause);
  }
}
