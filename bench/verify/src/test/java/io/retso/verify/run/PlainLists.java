package io.retso.verify.run;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.RowId;
import io.retso.client.TransactionHandle;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.PendingWrite;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListValue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A client that writes by itself, with plain calls of HBase and of the oracle, as docs/protocol.md
 * says: with no flaw it works together with the product, which does its reads. Each flaw breaks one
 * rule of that page.
 *
 * <p>For tables with client reads.
 */
final class PlainLists implements ListStore, AutoCloseable {
  /** What is wrong. */
  enum Flaw {
    NONE,
    /** A pending version counts as committed: the newest one below the snapshot is the answer. */
    READS_PENDING_VERSIONS,
    /** Cells are written without a mark. */
    WRITES_NO_MARKS,
    /** The cleanup is not atomic: the mark goes first, the cells move a little later. */
    CLEANS_MARKS_FIRST,
    /** A reader takes marks of others for those of aborted transactions, without asking. */
    CLEANS_UNASKED,
    /** Reads of a transaction do not show its own writes. */
    FORGETS_OWN_WRITES,
    /** Every read has the snapshot of its own moment. */
    READS_LATEST,
    /** The commit is asked and acknowledged before the writes have arrived. */
    COMMITS_BEFORE_WRITES,
    /** Start timestamps are taken ahead and kept. */
    BEGINS_AHEAD,
    /**
     * The first read is made in an older snapshot, and it is not asked whether that has changed.
     */
    VALIDATES_NOTHING,
    /** A write on condition is made though the condition is false. */
    MUTATES_ANYWAY
  }

  private static final int AHEAD = 40;
  private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private final Flaw flaw;
  private final TransactionManager manager;
  private final Connection hbase;
  private final OracleClient oracle;
  private final List<TableName> tables;
  private final Deque<Transaction> ahead = new ArrayDeque<>();
  private final ExecutorService later = Executors.newFixedThreadPool(4);

  PlainLists(Flaw flaw, RunTables place) {
    this.flaw = flaw;
    this.manager = place.manager();
    this.hbase = place.connection();
    this.oracle = OracleClient.builder().address(place.access().oracle()).build();
    this.tables = place.tables();
  }

  @Override
  public ListTransaction begin(Isolation isolation, boolean readOnly) throws IOException {
    return new PlainTransaction(flaw == Flaw.BEGINS_AHEAD ? begunAhead() : manager.begin());
  }

  private Transaction begunAhead() throws IOException {
    synchronized (ahead) {
      while (ahead.size() < AHEAD) {
        ahead.add(manager.begin());
      }
      return ahead.remove();
    }
  }

  /** Waits for what is done later. */
  @Override
  public void close() throws IOException {
    later.shutdown();
    try {
      if (!later.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new IOException("what was to be done later is not done");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    oracle.close();
  }

  private static ListKey rowOf(ListKey key) {
    return new ListKey(key.table(), key.group(), key.generation(), key.row(), 0);
  }

  private Table table(ListKey key) throws IOException {
    return hbase.getTable(tables.get(key.table()));
  }

  private final class PlainTransaction implements ListTransaction {
    private final Transaction reader;
    private final TransactionHandle handle;
    private final long start;
    private final Map<ListKey, byte[]> own = new LinkedHashMap<>();

    /** A row, by the key of its first column, to the number of its mark. */
    private final Map<ListKey, Integer> marks = new HashMap<>();

    private TimestampPair timestamps;
    private boolean hasRead;

    PlainTransaction(Transaction reader) {
      this.reader = reader;
      this.handle = TransactionHandle.parse(reader.handle());
      this.start = handle.startTimestamp();
      this.timestamps = TimestampPair.started(start);
    }

    @Override
    public TimestampPair timestamps() {
      return timestamps;
    }

    @Override
    public List<long[]> run(Action action) throws IOException, Violation {
      List<Action.Append> appends = action.appends();
      if (flaw == Flaw.MUTATES_ANYWAY && action instanceof Action.CheckInVain check) {
        appends = List.of(new Action.Append(check.key(), check.value(), Action.Way.CHECK_AND_PUT));
      }
      List<long[]> lists = new ArrayList<>();
      for (ListKey key : action.reads()) {
        lists.add(ListValue.decode(read(key)));
      }
      for (Action.Append append : appends) {
        own.put(append.key(), ListValue.with(read(append.key()), append.value()));
        if (flaw != Flaw.COMMITS_BEFORE_WRITES) {
          write(append.key());
        }
      }
      return lists;
    }

    private byte[] read(ListKey key) throws IOException {
      if (own.containsKey(key) && flaw != Flaw.FORGETS_OWN_WRITES) {
        return own.get(key);
      }
      Get get = new Get(key.rowKey()).addColumn(key.family(), key.qualifier());
      switch (flaw) {
        case READS_PENDING_VERSIONS -> {
          try (Table plain = table(key)) {
            return valueOf(key, plain.get(get.setTimeRange(0, start)));
          }
        }
        case READS_LATEST, FORGETS_OWN_WRITES -> {
          try (ReadTransaction latest = manager.beginReadOnly()) {
            return valueOf(key, latest.table(tables.get(key.table())).get(get));
          }
        }
        case CLEANS_UNASKED -> removeMarks(key);
        case VALIDATES_NOTHING -> {
          if (!hasRead) {
            hasRead = true;
            try (Transaction older = begunAhead()) {
              return valueOf(key, older.table(tables.get(key.table())).get(get));
            }
          }
        }
        default -> {}
      }
      return valueOf(key, reader.table(tables.get(key.table())).get(get));
    }

    private static byte[] valueOf(ListKey key, Result row) {
      return row.getValue(key.family(), key.qualifier());
    }

    private void removeMarks(ListKey key) throws IOException {
      try (Table plain = table(key)) {
        Result marks = plain.get(new Get(key.rowKey()).addFamily(PendingWrite.family()));
        for (Cell mark : marks.rawCells()) {
          long writer = PendingWrite.startOf(mark);
          if (writer < start && PendingWrite.isWellFormed(mark)) {
            plain.delete(delete(key, writer));
          }
        }
      }
    }

    private static Delete delete(ListKey key, long writer) {
      return new Delete(key.rowKey())
          .addColumn(key.family(), key.qualifier(), writer)
          .addColumn(PendingWrite.family(), PendingWrite.qualifier(writer), writer);
    }

    private void write(ListKey key) throws IOException {
      Put put = new Put(key.rowKey()).addColumn(key.family(), key.qualifier(), start, own.get(key));
      if (flaw != Flaw.WRITES_NO_MARKS) {
        PendingWrite.mark(put, start, marks.merge(rowOf(key), 1, Integer::sum));
      }
      try (Table plain = table(key)) {
        plain.put(put);
      }
    }

    @Override
    public void commit() throws CommitFailure {
      if (own.isEmpty()) {
        oracle.commitAsync(handle);
        return;
      }
      try {
        long[] ids =
            own.keySet().stream()
                .mapToLong(
                    key ->
                        RowId.of(
                            tables.get(key.table()).getName(),
                            key.rowKey(),
                            key.family(),
                            key.qualifier()))
                .toArray();
        CommitResult result = oracle.commit(handle, ids);
        if (!result.isCommitted()) {
          remove();
          throw new CommitFailure(
              CommitFailure.Kind.CONFLICT, new IOException(String.valueOf(result.abortReason())));
        }
        timestamps = new TimestampPair(start, result.commitTimestamp());
        later.execute(() -> finish(result.commitTimestamp()));
      } catch (OracleException | IOException e) {
        throw new CommitFailure(CommitFailure.Kind.UNKNOWN, e);
      }
    }

    /** Behind the reply. */
    private void finish(long commit) {
      try {
        if (flaw == Flaw.COMMITS_BEFORE_WRITES) {
          for (ListKey key : own.keySet()) {
            write(key);
          }
        }
        for (ListKey row : own.keySet().stream().map(PlainLists::rowOf).distinct().toList()) {
          move(row, commit);
        }
        oracle.cleanedUp(handle);
      } catch (IOException | OracleException e) {
        // A sweep finishes it.
      }
    }

    /** Moves the cells of a row, and removes its mark. */
    private void move(ListKey row, long commit) throws IOException {
      byte[] qualifier = PendingWrite.qualifier(start);
      Put moved = new Put(row.rowKey());
      Delete old = new Delete(row.rowKey());
      own.forEach(
          (key, value) -> {
            if (rowOf(key).equals(row)) {
              moved.addColumn(key.family(), key.qualifier(), CellVersion.committed(commit), value);
              old.addColumn(key.family(), key.qualifier(), start);
            }
          });
      RowMutations moves = new RowMutations(row.rowKey()).add(List.of(moved, old));
      try (Table plain = table(row)) {
        if (flaw == Flaw.WRITES_NO_MARKS) {
          plain.mutateRow(moves);
        } else if (flaw == Flaw.CLEANS_MARKS_FIRST) {
          plain.delete(new Delete(row.rowKey()).addColumn(PendingWrite.family(), qualifier, start));
          LockSupport.parkNanos(LATER_NANOS);
          plain.mutateRow(moves);
        } else {
          old.addColumn(PendingWrite.family(), qualifier, start);
          byte[] mark = Bytes.toBytes(marks.get(row));
          plain.checkAndMutate(
              CheckAndMutate.newBuilder(row.rowKey())
                  .ifEquals(PendingWrite.family(), qualifier, mark)
                  .build(moves));
        }
      }
    }

    /** A row at a time: a cell whose mark went with another one would look committed. */
    private void remove() throws IOException {
      Map<ListKey, Delete> rows = new HashMap<>();
      for (ListKey key : own.keySet()) {
        rows.merge(
            rowOf(key),
            delete(key, start),
            (row, other) -> row.addColumn(key.family(), key.qualifier(), start));
      }
      for (Map.Entry<ListKey, Delete> row : rows.entrySet()) {
        try (Table plain = table(row.getKey())) {
          plain.delete(row.getValue());
        }
      }
      oracle.cleanedUp(handle);
    }

    @Override
    public void rollback() throws IOException {
      oracle.abort(handle);
      if (flaw != Flaw.COMMITS_BEFORE_WRITES) {
        remove();
      }
    }

    @Override
    public Resolved resolve() {
      CommitResult result = oracle.abort(handle);
      return result.isCommitted()
          ? new Resolved(true, new TimestampPair(start, result.commitTimestamp()))
          : new Resolved(false, TimestampPair.started(start));
    }
  }
}
