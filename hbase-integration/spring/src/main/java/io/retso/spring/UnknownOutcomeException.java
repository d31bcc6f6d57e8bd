package io.retso.spring;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.UnknownCommitException;
import java.io.IOException;
import java.util.OptionalLong;
import org.apache.yetus.audience.InterfaceAudience;
import org.springframework.transaction.TransactionSystemException;

/**
 * The oracle was asked to commit and no answer could be had: the transaction may or may not be
 * committed. To run it again could apply it twice, so it is no {@code ConcurrencyFailureException},
 * for which applications do that. {@link #resolve} finds out.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class UnknownOutcomeException extends TransactionSystemException {
  private static final long serialVersionUID = 1L;

  private final UnknownCommitException failure;

  /** The cause has the handle. */
  public UnknownOutcomeException(UnknownCommitException cause) {
    super(cause.getMessage(), cause);
    this.failure = cause;
  }

  /** What {@link TransactionManager#resolve} takes, in any process. Keep it out of logs. */
  public String handle() {
    return failure.handle();
  }

  /**
   * Asks the oracle: the transaction is committed, or from now on never will be. May be called
   * again if it fails.
   *
   * @return its commit timestamp, or empty if it is aborted
   * @throws IOException if the oracle does not answer, or no longer remembers
   */
  public OptionalLong resolve() throws IOException {
    return failure.resolve();
  }
}
