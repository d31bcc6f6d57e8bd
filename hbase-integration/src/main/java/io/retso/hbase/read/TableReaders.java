package io.retso.hbase.read;

import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;

/** Makes the readers of one manager's tables. Immutable. */
public record TableReaders(
    OracleQueries queries, Orphans orphans, SharedSnapshots snapshots, Counters counters) {
  /** Reads the table at a timestamp. */
  public TableReader at(PreparedTable table, long timestamp) {
    return new TableReader(table, timestamp, queries, orphans, snapshots, counters);
  }
}
