package io.retso.bench.load;

/** A run that could not be carried out; the message says why and what to do. */
public final class LoadException extends Exception {
  private static final long serialVersionUID = 1L;

  public LoadException(String message) {
    super(message);
  }

  public LoadException(String message, Throwable cause) {
    super(message, cause);
  }
}
