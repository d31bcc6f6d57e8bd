package io.retso.hbase.metrics;

/** Learns how each transaction ended. Thread-safe; called on threads that must not wait. */
@FunctionalInterface
public interface Ends {
  /** How a transaction ended. */
  enum Outcome {
    /** Committed, or it had nothing to commit. */
    COMMITTED,
    /** It was read-only. */
    READ,
    /** Aborted: another one got ahead. */
    CONFLICT,
    /** Aborted: not serializable, as what it read and what it wrote met others. */
    NOT_SERIALIZABLE_PIVOT,
    /** Aborted: not serializable, read-only, and what it read has changed. */
    NOT_SERIALIZABLE_READ_ONLY,
    /** Aborted: perhaps not serializable, which the oracle no longer knows. */
    NOT_SERIALIZABLE_UNKNOWN_SUCCESSOR,
    /** Aborted for its age. */
    TOO_OLD,
    /** Aborted, and why is not known. */
    ABORTED,
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
