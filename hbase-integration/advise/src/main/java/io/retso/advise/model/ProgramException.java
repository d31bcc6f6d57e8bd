package io.retso.advise.model;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * Programs that cannot be so; the message names what is wrong, and the remedy.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ProgramException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  ProgramException(String message) {
    super(message);
  }
}
