package io.retso.bench.hbase;

import static io.retso.bench.hbase.PlainOperations.checked;

import io.retso.client.CommitResult;
import io.retso.client.TransactionHandle;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;

/** What {@link PlainOperations} does, in transactions, and what the oracle takes alone. */
final class TransactionOperations {
  private final BenchTables tables;
  private final TransactionManager manager;

  TransactionOperations(BenchTables tables) {
    this.tables = tables;
    this.manager = tables.manager;
  }

  private interface Work {
    void in(Table table) throws IOException;
  }

  /** Begin, work, commit. */
  private boolean transaction(boolean readOnly, Work work) throws IOException {
    try (ReadTransaction tx = readOnly ? manager.beginReadOnly() : manager.begin()) {
      work.in(tx.table(BenchTables.TRANSACTIONAL).asTable());
      if (tx instanceof Transaction writer) {
        writer.commit();
      }
      return true;
    } catch (ConflictException
        | SerializationException
        | SnapshotTooOldException
        | AbortedException e) {
      return false;
    }
  }

  /** A read-only transaction with a batch of gets. */
  Operation.Maker gets(int count) {
    return rows -> () -> transaction(true, table -> checked(table.get(rows.gets(count))));
  }

  /** A read-only transaction with gets one after the other. */
  Operation.Maker singleGets(int count) {
    return rows ->
        () ->
            transaction(
                true,
                table -> {
                  for (Get get : rows.gets(count)) {
                    checked(table.get(get));
                  }
                });
  }

  /** A read-only transaction with a scan of a short range. */
  Operation.Maker scans(int count) {
    return rows ->
        () -> transaction(true, table -> PlainOperations.scanned(table, rows.scan(count)));
  }

  /** A transaction that writes. */
  Operation.Maker puts(int count) {
    return rows -> () -> transaction(false, table -> table.put(rows.puts(count)));
  }

  /** A transaction that reads different random rows, and writes them. */
  Operation.Maker readModifyWrites(int count) {
    return rows ->
        () -> transaction(false, table -> PlainOperations.readModifyWrite(table, rows, count));
  }

  /** What a transaction that writes so many rows asks of the oracle, and nothing else. */
  Operation.Maker oracleOnly(int count) {
    return rows -> () -> askOracle(rows, count);
  }

  /** What transactions of a mix ask of the oracle: those that only read ask nothing. */
  Operation.Maker oracleOnly(Mix mix) {
    return rows -> () -> mix.next(rows).isRead() || askOracle(rows, 1);
  }

  /**
   * Begin, commit, and the report of the cleanup, which is not waited for. Some transactions ask
   * for more: about writers of what they read, or, if they are serializable, with ids of what they
   * read.
   */
  private boolean askOracle(Rows rows, int count) {
    TransactionHandle begun = tables.oracle.begin();
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = ((long) rows.choose(Integer.MAX_VALUE) << 31) + rows.choose(Integer.MAX_VALUE);
    }
    CommitResult result = tables.oracle.commit(begun, ids);
    tables.oracle.cleanedUpLater(begun);
    return result.isCommitted();
  }

  /** A mix of transactions of one operation each. */
  Operation.Maker mix(Mix mix) {
    return rows ->
        () -> {
          Mix.Kind kind = mix.next(rows);
          return transaction(kind.isRead(), table -> PlainOperations.run(kind, table, rows));
        };
  }
}
