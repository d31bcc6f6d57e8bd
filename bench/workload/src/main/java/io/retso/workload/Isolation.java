package io.retso.workload;

/** What a transaction asks of its store. */
public enum Isolation {
  /** PostgreSQL's default; other stores do not have it. */
  READ_COMMITTED,
  SNAPSHOT,
  SERIALIZABLE
}
