package io.retso.hbase;

import io.retso.hbase.errors.TransactionException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.coprocessor.Batch;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A table within one transaction, with the interface of HBase's {@code Table}: code that takes a
 * {@code Table} works inside a transaction without a change. {@link AsyncTransactionalTable}, its
 * asynchronous twin, says how it differs from HBase's.
 *
 * <p><strong>Threads.</strong> For one thread at a time, as its {@link Transaction}. Methods throw
 * {@link IllegalStateException} after the transaction's end, and if another thread is within a
 * method of the transaction.
 *
 * <p><strong>Errors.</strong> {@link TransactionException} where the transaction cannot go on,
 * other {@code IOException}s from HBase. A failed read leaves the transaction as it was, and so
 * does a write that is refused; after a write that HBase did not take it can only be rolled back.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface TransactionalTable extends Table, ReadTable {
  @Override
  TableDescriptor getDescriptor() throws IOException;

  @Override
  RegionLocator getRegionLocator() throws IOException;

  @Override
  boolean exists(Get get) throws IOException;

  @Override
  boolean[] exists(List<Get> gets) throws IOException;

  @Override
  Result get(Get get) throws IOException;

  @Override
  Result[] get(List<Get> gets) throws IOException;

  /** Reads a row that counts as written: see {@link AsyncTransactionalTable#getForUpdate}. */
  Result getForUpdate(Get get) throws IOException;

  /**
   * Reads a row that must be unchanged at the commit: see {@link
   * AsyncTransactionalTable#getValidated}.
   */
  Result getValidated(Get get) throws IOException;

  /** Counts as written, without a read: see {@link AsyncTransactionalTable#addWriteConflict}. */
  void addWriteConflict(Get of) throws IOException;

  /**
   * Must be unchanged at the commit, without a read: see {@link
   * AsyncTransactionalTable#addReadConflict}.
   */
  void addReadConflict(Get of) throws IOException;

  @Override
  ResultScanner getScanner(Scan scan) throws IOException;

  @Override
  ResultScanner getScanner(byte[] family) throws IOException;

  @Override
  ResultScanner getScanner(byte[] family, byte[] qualifier) throws IOException;

  /** All or none. Unlike HBase's, it leaves the list as it is. */
  @Override
  void delete(List<Delete> deletes) throws IOException;

  /**
   * Carries out the actions in their order. If one fails at its turn, those before it are carried
   * out, and those after it are not.
   *
   * @param results as long as {@code actions}; takes the results, see {@link
   *     AsyncTransactionalTable#batch}. After a failure it has those of the actions that were
   *     carried out, and the exception in the places of all others. May be null
   */
  @Override
  void batch(List<? extends Row> actions, Object[] results) throws IOException;

  /** Like {@link #batch}; the callback is called at the end, for what was carried out. */
  @Override
  <R> void batchCallback(List<? extends Row> actions, Object[] results, Batch.Callback<R> callback)
      throws IOException;

  @Override
  default Table asTable() {
    return this;
  }

  /** Does nothing: the table ends with its transaction. */
  @Override
  void close();
}
