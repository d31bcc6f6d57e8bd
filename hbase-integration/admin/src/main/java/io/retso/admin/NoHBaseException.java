package io.retso.admin;

import java.io.IOException;

/** No HBase was found where one was named; the message says why, and what to check. */
public final class NoHBaseException extends IOException {
  private static final long serialVersionUID = 1;

  NoHBaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
