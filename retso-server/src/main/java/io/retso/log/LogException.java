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
    /** Bytes that are not what was written. Do not start; look at the bookies' disks. */
    CORRUPT,
    /** A later build wrote it, in a format that this one does not read. Start that build again. */
    NEWER,
    /** The list of ledgers is older than the log, or is gone. Restore ZooKeeper's data. */
    LOST,
    /** The log is sound and holds more than this server's settings have room for. Raise them. */
    TOO_LARGE
  }

  private final Reason reason;

  public LogException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public LogException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
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
}
