package io.retso.protocol;

/** Bytes that break the protocol. The connection they came from is closed; no other is touched. */
public final class FrameException extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public FrameException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
