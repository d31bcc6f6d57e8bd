package io.retso.hbase.errors;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The transaction writes more than a transaction may; the write that was one too many is not part
 * of it.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class WriteSetTooLargeException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public WriteSetTooLargeException(String message, Throwable cause) {
    super(Category.WRITE_SET_TOO_LARGE, message, cause);
  }
}
