package io.retso.hbase.transaction;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.operation.OperationQueue;
import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.ScanOwner;
import io.retso.hbase.read.SharedSnapshots;
import io.retso.hbase.read.TableReaders;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.TableCatalog;
import io.retso.hbase.write.WriteBuffer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.AsyncConnection;

/** What tests see of managers and transactions, and applications do not. */
public final class Inside {
  private Inside() {}

  private static HBaseTransactionManager of(TransactionManager manager) {
    return (HBaseTransactionManager) manager;
  }

  private static TransactionCore of(ReadTransaction tx) {
    return ((HBaseReadTransaction) tx).core;
  }

  public static OracleClient oracle(TransactionManager manager) {
    return of(manager).shared.oracle();
  }

  public static AsyncConnection hbase(TransactionManager manager) {
    return of(manager).hbase;
  }

  public static Counters counters(TransactionManager manager) {
    return of(manager).shared.counters();
  }

  public static SharedSnapshots snapshots(TransactionManager manager) {
    return of(manager).shared.snapshots();
  }

  public static TableCatalog tables(TransactionManager manager) {
    return of(manager).shared.tables();
  }

  public static Cleaner cleaner(TransactionManager manager) {
    return of(manager).cleaner;
  }

  public static Orphans orphans(TransactionManager manager) {
    return of(manager).orphans;
  }

  public static TableReaders readers(TransactionManager manager) {
    return of(manager).shared.readers();
  }

  public static TransactionHandle handle(Transaction tx) {
    return of(tx).begun.handle();
  }

  public static WriteBuffer writes(Transaction tx) {
    return of(tx).begun.writes();
  }

  public static ReadSet reads(ReadTransaction tx) {
    return of(tx).begun.reads();
  }

  public static ScanOwner scanOwner(ReadTransaction tx) {
    return of(tx).life;
  }

  public static OperationQueue operations(ReadTransaction tx) {
    return of(tx).operations;
  }

  public static boolean isOpen(ReadTransaction tx) {
    return of(tx).life.isOpen();
  }

  /** As a blocking method of the transaction. */
  public static <T> T exclusive(ReadTransaction tx, SingleThreadGuard.Blocking<T> body)
      throws IOException {
    return of(tx).life.exclusive(body);
  }

  public static RollbackOnlyException writeFailed(Transaction tx, Throwable cause) {
    return of(tx).life.writeFailed(cause);
  }

  /** An operation of the transaction. */
  public static <T> CompletableFuture<T> operation(
      Transaction tx, boolean isWrite, Supplier<CompletableFuture<T>> operation) {
    return of(tx).run(isWrite, true, operation);
  }

  /** The table within the transaction, whatever is prepared about it. */
  public static AsyncTransactionalTable table(ReadTransaction tx, PreparedTable table) {
    return of(tx).used(table);
  }

  /** Its blocking twin. */
  public static TransactionalTable blockingTable(ReadTransaction tx, PreparedTable table) {
    return new HBaseTransactionalTable(of(tx).life, of(tx).used(table).awaited());
  }
}
