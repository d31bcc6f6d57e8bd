package io.retso.workload;

import java.io.IOException;

/** The transaction is rolled back by its store, and may be tried again. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Refused for a reason, as a failure of the store said. */
  public RefusedException(Reason reason, Throwable cause) {
    super("refused: " + reason, cause);
    this.reason = reason;
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
