package io.retso.protocol;

/** Bytes that break the protocol. The connection they came from is closed; no other is touched. */
public final class FrameException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** A breach of the protocol; the message says which bytes are wrong. */
  public FrameException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  /** How the breach is called in an error frame. */
  public ErrorCode code() {
    return code;
  }
}
