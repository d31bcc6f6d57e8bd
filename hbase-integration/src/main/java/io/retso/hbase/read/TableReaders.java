package io.retso.hbase.read;

import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.table.PreparedTable;

/** Makes the readers of one manager's tables, and is what they share. Immutable. */
public record TableReaders(
    OracleQueries queries, Orphans orphans, SharedSnapshots snapshots, Counters counters) {
  public TableReader of(PreparedTable table) {
    return table.isServerReads()
        ? new RegionTableReader(table, this)
        : new ClientTableReader(table, this);
  }
}
