package io.retso.hbase.coprocessor.region;

/** Whether a write of a transaction may begin in a region. */
public enum Admission {
  /** It may. */
  ADMITTED,

  /** The transaction is decided: the region has adopted its outcome, or cleans up the row. */
  DECIDED,

  /** A later batch of the transaction has begun: this is a late duplicate. */
  LATE,

  /** A late duplicate of an earlier batch is still under way. */
  EARLY
}
