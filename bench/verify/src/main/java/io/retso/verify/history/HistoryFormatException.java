package io.retso.verify.history;

import java.io.IOException;

/** A file is not a history; the message names the line and what was expected there. */
public final class HistoryFormatException extends IOException {
  private static final long serialVersionUID = 1;

  HistoryFormatException(long line, String message) {
    super(line > 0 ? "line " + line + ": " + message : message);
  }
}
