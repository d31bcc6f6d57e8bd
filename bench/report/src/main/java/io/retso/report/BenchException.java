package io.retso.report;

/** The benchmark cannot go on; the message says why and what to do next. */
public final class BenchException extends Exception {
  private static final long serialVersionUID = 1L;

  public BenchException(String message) {
    super(message);
  }

  public BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
