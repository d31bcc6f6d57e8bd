package io.retso.hbase.metrics;

/** Learns how each transaction ended. Thread-safe; called on threads that must not wait. */
@FunctionalInterface
public interface Ends {
  /** Does not want to know. */
  Ends IGNORED = (name, outcome, nanos) -> {};

  /** How a transaction ended. */
  enum Outcome {
    /** Committed, or it had nothing to commit. */
    COMMITTED,
    /** It was read-only. */
    READ,
    /** Aborted: another one got ahead. */
    CONFLICT,
    /** Aborted for its age. */
    TOO_OLD,
    /** Rolled back by the application, or after a failure. */
    ROLLED_BACK,
    /** The answer to its commit was lost. */
    UNKNOWN
  }

  /**
   * A transaction has ended.
   *
   * @param name from its options; empty if it has none
   * @param nanos since its begin
   */
  void ended(String name, Outcome outcome, long nanos);
}
