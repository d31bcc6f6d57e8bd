package io.retso.hbase.errors;

import io.retso.text.Text;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The transaction had been aborted before its commit was decided, and why is not known: another
 * client aborted it, as {@code resolve} does; or its commit was refused, the answer was lost, and
 * the oracle remembers the outcome only, not the reason. Nothing of it is committed, or ever will
 * be: it can be run again.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class AbortedException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** The transaction that started at {@code start} is aborted. */
  public AbortedException(long start) {
    super(
        Category.ABORTED,
        Text.of(
            "transaction %s is aborted, and why is no longer known: its commit was refused, and the"
                + " answer was lost; or another client aborted it, as resolve() does. Nothing of it"
                + " is committed: run it again",
            start),
        null);
  }
}
