package io.retso.protocol;

/** Why the server answers a frame with {@code ERROR} and closes the connection. */
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
  STALLED(8);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The number on the wire. */
  public int number() {
    return number;
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
