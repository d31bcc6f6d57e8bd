package io.retso.client.connection;

/** A client cannot prove its identity. The message says why, and what to do. */
public final class ProofException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean passes;

  /**
   * Says why.
   *
   * @param passes whether it may pass by itself
   */
  public ProofException(String message, boolean passes, Throwable cause) {
    super(message, cause);
    this.passes = passes;
  }

  /** Whether it may pass by itself. */
  boolean passes() {
    return passes;
  }
}
