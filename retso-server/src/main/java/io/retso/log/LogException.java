package io.retso.log;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** The log cannot be read or written. */
public final class LogException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What happened, and what to do about it. */
  public enum Reason {
    /** Another server took over the log. This one must stop; it may start again as a standby. */
    FENCED,
    /** Too few bookies or no ZooKeeper. Restore them; then start the server again. */
    UNAVAILABLE,
    /**
     * A ledger that is not there, or an entry. It was deleted, and its reader was too slow and is
     * to begin again; or it was lost: {@link Gone} tells these apart.
     */
    GONE,
    /** Bytes that are not what was written. Do not start; look at the bookies' disks. */
    CORRUPT,
    /** A later build wrote it, in a format that this one does not read. Start that build again. */
    NEWER,
    /** A ledger was made with another secret. Give this server that of the one that leads. */
    LOCKED,
    /** The list of ledgers is older than the log, or is gone. Restore ZooKeeper's data. */
    LOST,
    /** The log is sound and holds more than this server's settings have room for. Raise them. */
    TOO_LARGE
  }

  private static final long NO_LEDGER = -1;

  private final Reason reason;
  private final long ledger;

  public LogException(Reason reason, String message) {
    this(reason, NO_LEDGER, message, null);
  }

  public LogException(Reason reason, String message, Throwable cause) {
    this(reason, NO_LEDGER, message, cause);
  }

  private LogException(Reason reason, long ledger, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.ledger = ledger;
  }

  /** {@link Reason#GONE}: a ledger, or an entry of it. */
  public static LogException gone(long ledger, String message, Throwable cause) {
    return new LogException(Reason.GONE, ledger, message, cause);
  }

  /** The failure of a future of the log, taken out of what it is wrapped in. */
  public static LogException of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException || cause instanceof ExecutionException) {
      cause = cause.getCause();
    }
    return cause instanceof LogException known
        ? known
        : new LogException(Reason.UNAVAILABLE, "an unexpected error: " + cause, cause);
  }

  public Reason reason() {
    return reason;
  }

  /** Which ledger is {@link Reason#GONE}, or lacks an entry. */
  long ledger() {
    return ledger;
  }
}
