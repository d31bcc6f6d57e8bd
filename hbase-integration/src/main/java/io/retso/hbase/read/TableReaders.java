package io.retso.hbase.read;

import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;

/** Makes the readers of one manager's tables. Immutable. */
public record TableReaders(
    OracleQueries queries, Orphans orphans, SharedSnapshots snapshots, Counters counters) {
  /** Reads the table at a timestamp. */
  public TableReader at(PreparedTable table, long timestamp) {
    return table.isServerReads()
        ? atRegions(table, timestamp)
        : new ClientTableReader(table, timestamp, this);
  }

  /** The same, of a table with server reads. */
  RegionTableReader atRegions(PreparedTable table, long timestamp) {
    return new RegionTableReader(table, timestamp, this);
  }
}
