package io.retso.hbase.errors;

import io.retso.client.OracleException;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The oracle cannot be reached or used; nothing was decided, or nothing but whether the reads of a
 * transaction that wrote nothing are serializable.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class OracleUnavailableException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Says what happened and what to do about it; the cause may be null. */
  public OracleUnavailableException(String message, Throwable cause) {
    super(Category.ORACLE_UNAVAILABLE, message, cause);
  }

  /** If it may be back soon. An oracle of another version, or of another log, stays what it is. */
  @Override
  public boolean isRetryable() {
    if (!(getCause() instanceof OracleException cause)) {
      return true; // a region server could not ask it
    }
    return switch (cause.category()) {
      case UNAVAILABLE, TIMEOUT, OVERLOADED -> true;
      case UNKNOWN_OUTCOME -> true; // it wrote nothing, or it were an UnknownCommit
      case INVALID_REQUEST, NOT_PERMITTED, NOT_AUTHENTICATED, INCOMPATIBLE, CLOSED, INTERRUPTED ->
          false;
    };
  }
}
