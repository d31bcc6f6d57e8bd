package io.retso.hbase.trace;

/** A span of what a transaction manager does by itself. Thread-safe. */
public interface BackgroundTrace {
  /** No span. */
  BackgroundTrace NONE = new BackgroundTrace() {};

  /** That of its calls of HBase. */
  default TraceContext context() {
    return TraceContext.NONE;
  }

  /**
   * It is over.
   *
   * @param failure null if there was none
   */
  default void end(Throwable failure) {}
}
