package io.retso.hbase.transaction;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.table.TableCatalog;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;

/** A transaction that can write. Thread-safe. */
final class HBaseTransaction extends HBaseReadTransaction implements Transaction {
  HBaseTransaction(TransactionCore core) {
    super(core);
  }

  @Override
  public long startTimestamp() {
    return core.begun.start();
  }

  @Override
  public String handle() {
    return core.begun.handle().text();
  }

  @Override
  public State state() {
    return core.life.state();
  }

  @Override
  public TransactionalTable table(TableName name) throws IOException {
    return blocking(name);
  }

  @Override
  public TransactionalTable table(String name) throws IOException {
    return table(TableCatalog.named(name));
  }

  @Override
  public CompletableFuture<AsyncTransactionalTable> asyncTable(TableName name) {
    return Callbacks.leave(core.table(name)).thenApply(table -> table);
  }

  @Override
  public CompletableFuture<AsyncTransactionalTable> asyncTable(String name) {
    return asyncTable(TableCatalog.named(name));
  }

  @Override
  public OptionalLong commit() throws IOException {
    return core.life.commit();
  }

  @Override
  public CompletableFuture<OptionalLong> commitAsync() {
    return Callbacks.leave(core.life.commitAsync());
  }

  @Override
  public void afterCommit(Runnable action) {
    core.life.afterCommit(action);
  }

  @Override
  public void afterRollback(Runnable action) {
    core.life.afterRollback(action);
  }

  @Override
  public void rollback() throws IOException {
    core.life.rollback();
  }

  @Override
  public CompletableFuture<Void> rollbackAsync() {
    return core.life.rollbackAsync();
  }

  @Override
  void finish() throws IOException {
    core.life.finish();
  }

  @Override
  CompletableFuture<?> finishAsync() {
    return core.life.finishAsync();
  }

  @Override
  boolean mayRepeat() {
    return state() == State.ROLLED_BACK;
  }
}
