package io.retso.log;

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

  public Reason reason() {
    return reason;
  }
}
