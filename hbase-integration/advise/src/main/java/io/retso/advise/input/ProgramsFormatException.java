package io.retso.advise.input;

import java.io.IOException;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A file says something else than programs; the message has the file, the line and what was
 * expected.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ProgramsFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says where, and what was expected. */
  public ProgramsFormatException(String message) {
    super(message);
  }
}
