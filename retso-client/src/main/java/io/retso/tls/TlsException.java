package io.retso.tls;

import java.io.IOException;

/** Files with certificates or keys that cannot be used; the message names the remedy. */
public final class TlsException extends IOException {
  private static final long serialVersionUID = 1L;

  public TlsException(String message) {
    super(message);
  }

  public TlsException(String message, Throwable cause) {
    super(message, cause);
  }
}
