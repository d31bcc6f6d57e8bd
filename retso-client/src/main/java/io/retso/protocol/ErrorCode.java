package io.retso.protocol;

/**
 * Why the server answers a frame with {@code ERROR}. It closes the connection behind it, unless
 * {@link #keepsConnection}.
 */
public enum ErrorCode {
  /** The bytes are not a frame of this protocol, or its fields contradict each other. */
  MALFORMED_FRAME(1),
  /** A frame or a transaction beyond {@link Limits}. */
  TOO_LARGE(2),
  /** No common protocol version. */
  UNSUPPORTED_VERSION(3),
  /** A request before the handshake, or a second handshake. */
  HANDSHAKE(4),
  /** The server has as many connections as it may have. */
  TOO_MANY_CONNECTIONS(5),
  /** The log cannot be written; nothing is acknowledged any more. */
  LOG_FAILED(6),
  /** The server is shutting down. */
  SHUTTING_DOWN(7),
  /** The client did not read its replies for too long, or sent nothing and answered no ping. */
  STALLED(8),
  /**
   * The server does not lead, and has done nothing of the frame: it is for another one. The
   * connection goes on.
   */
  NOT_LEADER(9),
  /**
   * The server ceased to lead before its reply to the frame could leave. Only the next leader knows
   * what became of it. The connection goes on.
   */
  DEPOSED(10),
  /** The client has not proved its identity, or can do so no longer. */
  NOT_AUTHENTICATED(11),
  /** This client may not ask for that: nothing of the frame was done. The connection goes on. */
  NOT_PERMITTED(12);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }

  /** Whether the error is about one frame only, and the connection goes on. */
  public boolean keepsConnection() {
    return this == NOT_LEADER || this == DEPOSED || this == NOT_PERMITTED;
  }

  /** The code of a number on the wire; {@code null} if this version does not know it. */
  public static ErrorCode of(int number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    return null;
  }
}
