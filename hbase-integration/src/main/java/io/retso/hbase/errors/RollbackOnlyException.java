package io.retso.hbase.errors;

import io.retso.text.ErrorText;
import io.retso.text.Text;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A write of the transaction failed, and it can only be rolled back: it is not known which of its
 * cells are in the table. The cause is what failed.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class RollbackOnlyException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** The transaction that started at {@code start} cannot commit, since {@code cause}. */
  public RollbackOnlyException(long start, Throwable cause) {
    super(
        Category.ROLLBACK_ONLY,
        Text.of(
            "transaction %s can only be rolled back, since a write of it failed (%s); roll back,"
                + " and run it again when the cause is gone",
            start, ErrorText.of(cause)),
        cause);
  }

  /** If the writes were refused because of the transaction's age. */
  @Override
  public boolean isRetryable() {
    return getCause() instanceof TransactionException cause && cause.isRetryable();
  }
}
