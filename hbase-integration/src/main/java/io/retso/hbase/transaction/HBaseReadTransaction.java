package io.retso.hbase.transaction;

import io.retso.hbase.AsyncReadTable;
import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.table.TableCatalog;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;

/** A read-only transaction, and what one that writes has in common with it. Thread-safe. */
class HBaseReadTransaction implements ReadTransaction {
  final TransactionCore core;

  HBaseReadTransaction(TransactionCore core) {
    this.core = core;
  }

  @Override
  public final TransactionOptions options() {
    return core.begun.options();
  }

  @Override
  public ReadTable table(TableName name) throws IOException {
    return blocking(name);
  }

  @Override
  public ReadTable table(String name) throws IOException {
    return table(TableCatalog.named(name));
  }

  @Override
  public CompletableFuture<? extends AsyncReadTable> asyncTable(TableName name) {
    return Callbacks.leave(core.table(name));
  }

  @Override
  public CompletableFuture<? extends AsyncReadTable> asyncTable(String name) {
    return asyncTable(TableCatalog.named(name));
  }

  final HBaseTransactionalTable blocking(TableName name) throws IOException {
    Callbacks.checkMayBlock();
    return new HBaseTransactionalTable(core.life, Futures.await(core.table(name)).awaited());
  }

  @Override
  public final long readTimestamp() throws IOException {
    Callbacks.checkMayBlock();
    return Futures.await(core.readTimestamp());
  }

  @Override
  public final CompletableFuture<Long> readTimestampAsync() {
    return Callbacks.leave(core.readTimestamp());
  }

  /** The work was done without an exception; fails if what it has read is not certified. */
  void finish() throws IOException {
    if (core.begun.reads().isTracked()) {
      core.life.commit();
    }
  }

  /** Finishes without waiting. */
  CompletableFuture<?> finishAsync() {
    return core.begun.reads().isTracked()
        ? core.life.commitAsync()
        : CompletableFuture.completedFuture(null);
  }

  /** It is this attempt, from 1 on. */
  final void attempt(int number) {
    core.begun.timings().attempt(number);
  }

  /** Whether the work may be done again after a failure; after a commit it would be done twice. */
  boolean mayRepeat() {
    return true;
  }

  @Override
  public final void close() {
    core.life.close();
  }

  @Override
  public final String toString() {
    return core.toString();
  }
}
