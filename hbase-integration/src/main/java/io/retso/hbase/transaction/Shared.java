package io.retso.hbase.transaction;

import io.retso.client.OracleClient;
import io.retso.hbase.commit.CommitProtocol;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.ManagerMeters;
import io.retso.hbase.metrics.SlowTransactions;
import io.retso.hbase.read.SharedSnapshots;
import io.retso.hbase.read.TableReaders;
import io.retso.hbase.recording.Recorder;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.trace.Tracing;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What all transactions of a manager share.
 *
 * @param recorder of what they do; null if that is not recorded
 * @param slow logs those that take long; null if they are not logged
 */
record Shared(
    ManagerSettings settings,
    OracleClient oracle,
    Counters counters,
    SharedSnapshots snapshots,
    TableCatalog tables,
    TableReaders readers,
    CommitProtocol commits,
    ManagerMeters meters,
    Recorder recorder,
    SlowTransactions slow,
    Tracing tracing,
    AtomicBoolean closed) {
  /** Refuses the use of a manager that is closed. */
  void checkOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the transaction manager is closed: build a new one");
    }
  }
}
