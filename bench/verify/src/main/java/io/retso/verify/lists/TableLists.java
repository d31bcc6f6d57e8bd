package io.retso.verify.lists;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Lists in the cells of transactional tables. Thread-safe; a transaction is for one thread. */
public final class TableLists implements ListStore {
  private final TransactionManager manager;
  private final List<TableName> tables;
  private final AtomicInteger readers = new AtomicInteger();

  /** Uses the manager, which stays open. */
  public TableLists(TransactionManager manager, List<TableName> tables) {
    this.manager = manager;
    this.tables = List.copyOf(tables);
  }

  @Override
  public ListTransaction begin(Isolation isolation, boolean readOnly) throws IOException {
    TransactionOptions options = options(isolation);
    if (isolation == Isolation.LATEST) {
      CertifiedRead read = CertifiedRead.begin(manager, options);
      return new TableTransaction(read, tables, readers.getAndIncrement() % 3);
    }
    return readOnly
        ? new TableTransaction(
            manager.beginReadOnly(options), tables, readers.getAndIncrement() % 3)
        : new TableTransaction(manager.begin(options), tables, 0);
  }

  /** The options of the product for a promise. */
  public static TransactionOptions options(Isolation isolation) {
    TransactionOptions options =
        TransactionOptions.DEFAULT.withIsolation(
            isolation.isSerializable()
                ? io.retso.hbase.options.Isolation.SERIALIZABLE
                : io.retso.hbase.options.Isolation.SNAPSHOT);
    return switch (isolation) {
      case RECENT -> options.withReadSnapshot(ReadSnapshot.RECENT);
      case DEFERRED -> options.withReadSnapshot(ReadSnapshot.DEFERRED);
      case LATEST -> options.withReadSnapshot(ReadSnapshot.LATEST);
      case SNAPSHOT, SERIALIZABLE -> options;
    };
  }

  /** A transaction of the product. */
  private final class TableTransaction implements ListTransaction {
    private final ReadTransaction transaction;
    private final Optional<CertifiedRead> certified;
    private final List<TableName> tables;
    private boolean wrote;
    private TimestampPair timestamps = TimestampPair.NONE;

    /** A reader has no timestamp unless it asks for one, which changes how it reads then. */
    private int actionsUntilAsked;

    /**
     * A transaction.
     *
     * @param asksAfter the action after which a reader asks for its timestamp; 0 for none
     */
    TableTransaction(ReadTransaction transaction, List<TableName> tables, int asksAfter) {
      this(transaction, Optional.empty(), tables, asksAfter);
    }

    TableTransaction(CertifiedRead read, List<TableName> tables, int asksAfter) {
      this(read.transaction(), Optional.of(read), tables, asksAfter);
    }

    private TableTransaction(
        ReadTransaction transaction,
        Optional<CertifiedRead> certified,
        List<TableName> tables,
        int asksAfter) {
      this.transaction = transaction;
      this.certified = certified;
      this.tables = tables;
      this.actionsUntilAsked = asksAfter;
      if (transaction instanceof Transaction writer) {
        timestamps = TimestampPair.started(writer.startTimestamp());
      }
    }

    @Override
    public TimestampPair timestamps() {
      return timestamps;
    }

    @Override
    public List<long[]> run(Action action) throws IOException, Violation {
      List<long[]> lists = carryOut(action);
      if (--actionsUntilAsked == 0) {
        timestamps = TimestampPair.started(transaction.readTimestamp());
      }
      return lists;
    }

    private List<long[]> carryOut(Action action) throws IOException, Violation {
      if (action instanceof Action.Get get) {
        return get(get.keys());
      } else if (action instanceof Action.Scan scan) {
        return scan(scan);
      } else if (action instanceof Action.Append append) {
        append(append);
        return List.of();
      } else if (action instanceof Action.Batch batch) {
        return batch(batch);
      } else if (action instanceof Action.CheckInVain check) {
        return List.of(checkInVain(check.key(), check.value()));
      }
      throw new IllegalArgumentException("not for a store: " + action);
    }

    private Table table(ListKey key) throws IOException {
      return transaction.table(tables.get(key.table())).asTable();
    }

    private static Get getOf(ListKey key) {
      return new Get(key.rowKey()).addColumn(key.family(), key.qualifier());
    }

    private static Put putOf(ListKey key, byte[] value) {
      return new Put(key.rowKey()).addColumn(key.family(), key.qualifier(), value);
    }

    private static long[] listOf(ListKey key, Result row) throws Violation {
      return ListValue.decode(row.getValue(key.family(), key.qualifier()));
    }

    private byte[] value(ListKey key) throws IOException {
      return table(key).get(getOf(key)).getValue(key.family(), key.qualifier());
    }

    private List<long[]> get(List<ListKey> keys) throws IOException, Violation {
      ListKey first = keys.get(0);
      if (keys.size() == 1) {
        return List.of(listOf(first, table(first).get(getOf(first))));
      }
      Result[] rows = table(first).get(keys.stream().map(TableTransaction::getOf).toList());
      List<long[]> lists = new ArrayList<>();
      for (int i = 0; i < rows.length; i++) {
        lists.add(listOf(keys.get(i), rows[i]));
      }
      return lists;
    }

    /** Goes over the rows from the first that is wanted to the last, and picks these. */
    private List<long[]> scan(Action.Scan action) throws IOException, Violation {
      ListKey key = action.keys().get(0);
      TreeSet<byte[]> wantedRows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      action.keys().forEach(wanted -> wantedRows.add(wanted.rowKey()));
      byte[] low = wantedRows.first();
      byte[] high = wantedRows.last();
      Scan scan =
          new Scan()
              .setReversed(action.reversed())
              .withStartRow(action.reversed() ? high : low, true)
              .withStopRow(action.reversed() ? low : high, true)
              .setCaching(2);
      TreeMap<byte[], Result> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
      byte[] before = null;
      try (ResultScanner scanner = table(key).getScanner(scan)) {
        for (Result row = scanner.next(); row != null; row = scanner.next()) {
          int order = before == null ? 0 : Bytes.compareTo(before, row.getRow());
          if (before != null && (action.reversed() ? order <= 0 : order >= 0)) {
            throw new Violation(
                scan + " returned row " + Bytes.toStringBinary(row.getRow()) + " out of order");
          }
          before = row.getRow();
          if (wantedRows.contains(before)) { // others may be those of earlier rounds
            rows.put(before, row);
          }
        }
      }
      List<long[]> lists = new ArrayList<>();
      for (ListKey wanted : action.keys()) {
        Result row = rows.get(wanted.rowKey());
        lists.add(row == null ? new long[0] : listOf(wanted, row));
      }
      return lists;
    }

    private void append(Action.Append action) throws IOException, Violation {
      ListKey key = action.key();
      wrote = true;
      switch (action.way()) {
        case PUT -> table(key).put(putOf(key, ListValue.with(value(key), action.value())));
        case CHECK_AND_PUT -> checkAndPut(key, action.value());
        case APPEND -> checkAppended(action, table(key).append(appendOf(action)));
        default -> throw new AssertionError();
      }
    }

    private static org.apache.hadoop.hbase.client.Append appendOf(Action.Append action) {
      ListKey key = action.key();
      return new org.apache.hadoop.hbase.client.Append(key.rowKey())
          .addColumn(key.family(), key.qualifier(), Bytes.toBytes(action.value()));
    }

    private static void checkAppended(Action.Append action, Result result) throws Violation {
      long[] list = listOf(action.key(), result);
      if (list.length == 0 || list[list.length - 1] != action.value()) {
        throw new Violation(
            "an append of " + action.value() + " to " + action.key() + " returned " + result);
      }
    }

    private void checkAndPut(ListKey key, long number) throws IOException, Violation {
      byte[] before = value(key);
      CheckAndMutate.Builder condition = CheckAndMutate.newBuilder(key.rowKey());
      if (before == null) {
        condition.ifNotExists(key.family(), key.qualifier());
      } else {
        condition.ifEquals(key.family(), key.qualifier(), before);
      }
      Put put = putOf(key, ListValue.with(before, number));
      if (!table(key).checkAndMutate(condition.build(put)).isSuccess()) {
        throw new Violation(
            "checkAndMutate of " + key + " did not find what the same transaction had read");
      }
    }

    private long[] checkInVain(ListKey key, long number) throws IOException, Violation {
      byte[] never = ListValue.with(value(key), number);
      CheckAndMutate check =
          CheckAndMutate.newBuilder(key.rowKey())
              .ifEquals(key.family(), key.qualifier(), never)
              .build(putOf(key, never));
      if (table(key).checkAndMutate(check).isSuccess()) {
        throw new Violation("checkAndMutate of " + key + " found a value that was never written");
      }
      return ListValue.decode(value(key));
    }

    private List<long[]> batch(Action.Batch batch) throws IOException, Violation {
      List<Row> calls = new ArrayList<>();
      for (ListKey key : batch.reads()) {
        calls.add(getOf(key));
      }
      for (Action.Append append : batch.appends()) {
        ListKey key = append.key();
        calls.add(
            append.way() == Action.Way.APPEND
                ? appendOf(append)
                : putOf(key, ListValue.with(value(key), append.value())));
      }
      wrote = true;
      Object[] results = new Object[calls.size()];
      try {
        table(batch.appends().get(0).key()).batch(calls, results);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      List<long[]> lists = new ArrayList<>();
      for (int i = 0; i < results.length; i++) {
        if (!(results[i] instanceof Result result)) {
          throw new Violation("a batch left " + Arrays.toString(results));
        } else if (i < batch.reads().size()) {
          lists.add(listOf(batch.reads().get(i), result));
        }
      }
      return lists;
    }

    @Override
    public void commit() throws CommitFailure {
      try {
        if (transaction instanceof Transaction writer) {
          writer.commit().ifPresent(this::committed);
        } else if (certified.isPresent()) {
          certified.get().commit();
        } else {
          transaction.close();
        }
      } catch (IOException e) {
        throw failure(e);
      }
    }

    private void committed(long timestamp) {
      if (wrote) {
        timestamps = new TimestampPair(timestamps.start(), timestamp);
      }
    }

    private static CommitFailure failure(IOException e) {
      if (e instanceof ConflictException) {
        return new CommitFailure(CommitFailure.Kind.CONFLICT, e);
      }
      if (e instanceof SerializationException) {
        return new CommitFailure(CommitFailure.Kind.REFUSED, e);
      }
      return new CommitFailure(
          e instanceof UnknownCommitException
              ? CommitFailure.Kind.UNKNOWN
              : CommitFailure.Kind.FAILED,
          e);
    }

    @Override
    public void rollback() throws IOException {
      if (transaction instanceof Transaction writer) {
        writer.rollback();
      } else if (certified.isPresent()) {
        certified.get().rollback();
      } else {
        transaction.close();
      }
    }

    @Override
    public Resolved resolve() throws IOException {
      long start = timestamps.start();
      OptionalLong commit = manager.resolve(((Transaction) transaction).handle());
      return commit.isPresent()
          ? new Resolved(true, new TimestampPair(start, commit.getAsLong()))
          : new Resolved(false, TimestampPair.started(start));
    }
  }
}
