package io.retso.hbase.errors;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The table cannot hold transactions: it is missing, not prepared, or prepared for others.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TableNotPreparedException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public TableNotPreparedException(String message, Throwable cause) {
    super(Category.TABLE_NOT_PREPARED, message, cause);
  }
}
