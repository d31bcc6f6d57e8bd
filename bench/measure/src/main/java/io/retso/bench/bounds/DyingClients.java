package io.retso.bench.bounds;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.RowId;
import io.retso.client.TransactionHandle;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * Clients that die in the middle of a transaction. What is left of one is what it had sent: here
 * the steps of its protocol (docs/protocol.md, "Transactions") are done by hand up to the point of
 * its death. For one thread.
 */
final class DyingClients implements AutoCloseable {
  /** Where a client dies. */
  enum Death {
    /** Its writes are there, its commit was never asked for. */
    BEFORE_COMMIT,
    /** Committed, nothing cleaned up. */
    BEFORE_CLEANUP,
    /** Committed, one of its two rows cleaned up. */
    WITHIN_CLEANUP,
    /** Aborted, its writes are still there. */
    AFTER_ABORT
  }

  private final Table table;
  private final OracleClient oracle;

  DyingClients(Connection connection, OracleClient oracle, TableName name) throws IOException {
    this.table = connection.getTable(name);
    this.oracle = oracle;
  }

  /**
   * A client writes a value to two rows and dies.
   *
   * @return whether its transaction is committed
   */
  boolean die(Death death, byte[] row, byte[] other, byte[] value) throws IOException {
    TransactionHandle handle = oracle.begin();
    long start = handle.startTimestamp();
    table.put(List.of(put(row, start, value), put(other, start, value)));
    if (death == Death.BEFORE_COMMIT) {
      return false;
    }
    if (death == Death.AFTER_ABORT) {
      oracle.abort(handle);
      return false;
    }
    byte[] name = table.getName().getName();
    CommitResult result = oracle.commit(handle, RowId.of(name, row), RowId.of(name, other));
    if (result.isCommitted() && death == Death.WITHIN_CLEANUP) {
      table.put(new CleanupRequest(other, start, result.commitTimestamp()).toPut());
    }
    return result.isCommitted();
  }

  private static Put put(byte[] row, long start, byte[] value) {
    Put put = PendingWrite.mark(new Put(row), start);
    return put.addColumn(LongRun.FAMILY, LongRun.QUALIFIER, start, value);
  }

  @Override
  public void close() throws IOException {
    table.close();
  }
}
