package io.retso.hbase.errors;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * The transaction is too old: the oracle or a region no longer vouches for its snapshot.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class SnapshotTooOldException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public SnapshotTooOldException(String message, Throwable cause) {
    super(Category.TOO_OLD, message, cause);
  }
}
