package io.retso.hbase.layout;

import io.retso.text.ErrorText;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;

/**
 * Why a region server refuses what a transaction asks for.
 *
 * <p>Refusals travel as {@code IOException}s whose class depends on the way that they take through
 * HBase; so the message says which it is.
 */
public enum Refusal {
  /** The region may have purged what the transaction's snapshot needs; it cannot go on. */
  SNAPSHOT_TOO_OLD("the snapshot is too old; begin a new transaction"),

  /** The transaction is decided, and its writes are being cleaned up: it was aborted. */
  DECIDED("the transaction is decided already; begin a new one"),

  /** The client remembers settings of the table that are not those of the region. */
  TABLE_CHANGED("read its settings again, and begin a new transaction"),

  /** The region server asked the oracle in vain. HBase's client tries again for a while. */
  NO_ORACLE("check that the oracle runs, and that region servers reach it");

  private final String advice;

  Refusal(String advice) {
    this.advice = advice;
  }

  /** What the exception says. */
  public String message(long start, String reason) {
    return code() + " transaction " + start + " is refused, " + reason + ": " + advice;
  }

  /** What the exception says if it is not the transaction's fault. */
  public String message(String reason) {
    return code() + " " + reason + "; " + advice;
  }

  private String code() {
    return "[RETSO " + name() + "]";
  }

  /** What a region said, without the lines of its stack. */
  public static String text(Throwable refused) {
    return ErrorText.of(refused).lines().findFirst().orElse("");
  }

  /** The refusal that {@code failure} or one of its causes bears, or null. */
  public static Refusal of(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = ErrorText.of(cause);
      for (Refusal refusal : values()) {
        if (message.contains(refusal.code())) {
          return refusal;
        }
      }
      if (cause instanceof RetriesExhaustedWithDetailsException many) {
        for (int i = 0; i < many.getNumExceptions(); i++) {
          Refusal refusal = of(many.getCause(i));
          if (refusal != null) {
            return refusal;
          }
        }
      }
    }
    return null;
  }
}
