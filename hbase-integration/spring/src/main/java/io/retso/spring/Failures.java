package io.retso.spring;

import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.text.ErrorText;
import java.io.IOException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;

/** From ReTSO's and HBase's exceptions to Spring's, which keep them as their cause. Stateless. */
final class Failures {
  private Failures() {}

  /** An operation failed. */
  static RuntimeException of(IOException e) {
    if (e instanceof UnknownCommitException unknown) {
      return new UnknownOutcomeException(unknown);
    }
    return e instanceof TransactionException known
        ? ofCategory(known, cause(known))
        : new DataAccessResourceFailureException(ErrorText.of(e), e);
  }

  /**
   * A commit failed. Spring tells synchronizations that the outcome is unknown after most of its
   * own {@code TransactionException}s; that is so for one of ours only.
   */
  static RuntimeException ofCommit(IOException e) {
    RuntimeException failure = of(e);
    return failure instanceof TransactionTimedOutException
        ? new UnexpectedRollbackException(ErrorText.of(e), e)
        : failure;
  }

  /** Why a transaction can only be rolled back; null if HBase is the reason. */
  private static TransactionException cause(TransactionException e) {
    if (e.category() != TransactionException.Category.ROLLBACK_ONLY) {
      return e;
    }
    return e.getCause() instanceof TransactionException known ? cause(known) : null;
  }

  private static RuntimeException ofCategory(TransactionException e, TransactionException why) {
    String text = e.getMessage();
    if (why == null) {
      return new DataAccessResourceFailureException(text, e);
    }
    return switch (why.category()) {
      case CONFLICT, SERIALIZATION -> new OptimisticLockingFailureException(text, e);
      case ABORTED -> new ConcurrencyFailureException(text, e);
      case TOO_OLD -> new TransactionTimedOutException(text, e);
      case ORACLE_UNAVAILABLE ->
          why.isRetryable()
              ? new TransientDataAccessResourceException(text, e)
              : new DataAccessResourceFailureException(text, e);
      case TABLE_CHANGED -> new TransientDataAccessResourceException(text, e);
      case TABLE_NOT_PREPARED -> new InvalidDataAccessResourceUsageException(text, e);
      case WRITE_SET_TOO_LARGE -> new InvalidDataAccessApiUsageException(text, e);
      case ROLLBACK_ONLY, UNKNOWN_OUTCOME -> new DataAccessResourceFailureException(text, e);
    };
  }
}
