package io.retso.hbase.errors;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The table was created anew, or prepared in another way, since its settings were read. They are
 * read again by the next transaction.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TableChangedException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public TableChangedException(String message, Throwable cause) {
    super(Category.TABLE_CHANGED, message, cause);
  }
}
