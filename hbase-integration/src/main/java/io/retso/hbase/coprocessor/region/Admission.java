package io.retso.hbase.coprocessor.region;

/** Whether a write of a transaction may begin in a region. */
public enum Admission {
  /** It may. */
  ADMITTED,

  /** The region has decided the transaction. */
  DECIDED,

  /** A later batch of the transaction has begun: this is a late duplicate. */
  LATE,

  /** A late duplicate of an earlier batch is still under way. */
  EARLY
}
