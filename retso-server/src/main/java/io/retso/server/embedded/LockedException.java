package io.retso.server.embedded;

import java.io.IOException;

/** What an embedded cluster keeps belongs to a server with another secret. */
public final class LockedException extends IOException {
  private static final long serialVersionUID = 1L;

  LockedException(String message, Throwable cause) {
    super(message, cause);
  }
}
