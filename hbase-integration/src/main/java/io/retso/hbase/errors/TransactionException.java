package io.retso.hbase.errors;

import java.io.IOException;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What can happen to a correct program that uses transactions. The {@link Category} says what to
 * do; the message says why, and names the remedy.
 *
 * <p>It is an {@link IOException}, as the methods of HBase's {@code Table} declare it and code
 * written for that interface handles it. Mistakes of the program are not among them, so that no
 * loop which repeats after an {@code IOException} repeats a mistake: bad arguments are thrown at
 * the call as {@link IllegalArgumentException} or {@link NullPointerException}, and the use of a
 * transaction or manager that has ended, or of one transaction by two threads, as {@link
 * IllegalStateException}. Other {@code IOException}s are HBase's own.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public class TransactionException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What the caller should do. */
  public enum Category {
    /** Aborted, another transaction wrote the same. Run the transaction again. */
    CONFLICT,
    /** Aborted, it would not be serializable. Run the transaction again. */
    SERIALIZATION,
    /** The transaction outlived what the oracle or a region remembers. Run it again, and faster. */
    TOO_OLD,
    /**
     * Aborted before its commit was decided, for a reason that is not known. Run the transaction
     * again.
     */
    ABORTED,
    /** It may or may not be committed. Do not run it again before that is known. */
    UNKNOWN_OUTCOME,
    /**
     * A write of the transaction failed earlier. Roll back; run it again when the cause is gone.
     */
    ROLLBACK_ONLY,
    /** The oracle cannot be reached or used. Nothing was decided, or nothing that matters. */
    ORACLE_UNAVAILABLE,
    /** The table was created anew, or prepared in another way, meanwhile. Run it again. */
    TABLE_CHANGED,
    /** The table is not prepared, or not for this oracle. */
    TABLE_NOT_PREPARED,
    /** The transaction writes more than a transaction may. Split it. */
    WRITE_SET_TOO_LARGE
  }

  private final Category category;

  /** The transaction's; empty if it has none, or this is about no single one. Set once. */
  private volatile String transactionName = "";

  /**
   * A failure.
   *
   * @param message what happened and what to do about it
   * @param cause may be null
   */
  public TransactionException(Category category, String message, Throwable cause) {
    super(message, cause);
    this.category = Objects.requireNonNull(category);
  }

  /** What the caller should do. */
  public final Category category() {
    return category;
  }

  /** The name of the transaction that failed (its options have it); empty if it has none. */
  public final String transactionName() {
    return transactionName;
  }

  /** Names the transaction that failed, unless that was done before. For the library. */
  @InterfaceAudience.Private
  public final void addTransactionName(String transaction) {
    if (transactionName.isEmpty()) {
      transactionName = transaction;
    }
  }

  /** What happened and what to do about it, behind the name of the transaction if it has one. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return transactionName.isEmpty() ? message : "[" + transactionName + "] " + message;
  }

  /** Whether the same transaction, run again from its beginning, may well succeed. */
  public boolean isRetryable() {
    return switch (category) {
      case CONFLICT, SERIALIZATION, TOO_OLD, ABORTED, TABLE_CHANGED -> true;
      default -> false;
    };
  }
}
