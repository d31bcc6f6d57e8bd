package io.retso.hbase.errors;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The transaction is aborted: another one committed a row (or cell) of it after it started.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ConflictException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public ConflictException(String message, Throwable cause) {
    super(Category.CONFLICT, message, cause);
  }
}
