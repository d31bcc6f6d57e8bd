package io.retso.hbase;

/** Makes the readers of one manager's tables. Immutable. */
record TableReaders(
    OracleQueries queries, Orphans orphans, SharedSnapshots snapshots, Counters counters) {
  /** Reads the table at a timestamp. */
  TableReader at(PreparedTable table, long timestamp) {
    return new TableReader(table, timestamp, queries, orphans, snapshots, counters);
  }
}
