package io.retso.workload;

import io.retso.text.ErrorText;
import java.io.IOException;

/** The answer to a commit was lost: the transaction may be committed, or not. */
public final class UnknownOutcomeException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Unknown because of a failure of the store. */
  public UnknownOutcomeException(Throwable cause) {
    super("the outcome is unknown: " + ErrorText.of(cause), cause);
  }
}
