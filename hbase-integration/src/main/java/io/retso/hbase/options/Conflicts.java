package io.retso.hbase.options;

/** The unit of conflict detection of a table. */
public enum Conflicts {
  /** Transactions that write the same row conflict. */
  ROW,
  /** Transactions that write the same column of the same row conflict. */
  CELL
}
