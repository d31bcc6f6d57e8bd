package io.retso.hbase.write;

import io.retso.hbase.errors.ConflictingChange.Place;
import io.retso.hbase.errors.ConflictingChange.Use;
import io.retso.hbase.errors.WriteSetTooLargeException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.Timings;
import io.retso.hbase.operation.Protection;
import io.retso.hbase.table.Granules;
import io.retso.hbase.table.IdNames;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.hbase.table.WrittenRows;
import io.retso.hbase.trace.TraceContext;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What one transaction writes: cells that have not been sent yet, and the rows and conflict ids of
 * everything. Rows leave in one batch per table, a row's cells and its mark in one put, so there is
 * never a cell without its mark. A put has one {@link Protection}: cells of a row that differ in it
 * leave in batches one after another.
 *
 * <p><strong>Order.</strong> A batch is sent after the one before it was acknowledged. So of two
 * writes to a cell the later one is the last in HBase, too, where both have version {@code Ts}.
 *
 * <p>Thread-safe.
 */
public final class WriteBuffer {
  /** What a cell costs in memory besides its bytes. */
  private static final int CELL_OVERHEAD_BYTES = 64;

  private static final class TableWrites {
    final PreparedTable table;

    /** Cells that have not been sent, of all rows. */
    final NavigableMap<Cell, Cell> pending = new TreeMap<>(CellComparator.getInstance());

    /** Rows that were sent, or were tried to: they may bear a mark. */
    final NavigableSet<byte[]> sent = new TreeSet<>(Bytes.BYTES_COMPARATOR);

    TableWrites(PreparedTable table) {
      this.table = table;
    }

    /** The first row from this one on that has cells which have not been sent; null if none. */
    byte[] nextPending(byte[] row) {
      Cell first = pending.ceilingKey(KeyValueUtil.createFirstOnRow(row));
      return first == null ? null : CellUtil.cloneRow(first);
    }
  }

  private final long start;
  private final WriteLimits limits;
  private final Counters counters;
  private final Timings timings;
  private final Map<TableName, TableWrites> tables = new LinkedHashMap<>();

  /** Ids of what was written or locked. */
  private final IdSet conflictIds = new IdSet();

  /** Ids of what must be unchanged at the commit, and is not written. */
  private final IdSet validated = new IdSet();

  /** What stands behind ids that cannot be found by the rows that were sent. */
  private final IdNames names = new IdNames();

  /** Bytes of all cells ever added: overwritten ones are counted, too. */
  private long bytes;

  private long pendingBytes;
  private boolean sealed;

  /** Number of the last batch, the value of its marks. */
  private int batch;

  /** Completes when everything that was sent is acknowledged, or failed. */
  private CompletableFuture<Void> acknowledged = CompletableFuture.completedFuture(null);

  public WriteBuffer(long start, WriteLimits limits, Counters counters, Timings timings) {
    this.start = start;
    this.limits = limits;
    this.counters = counters;
    this.timings = timings;
  }

  /**
   * Adds cells, all or none.
   *
   * @param cells at version {@code start}, of any rows; a later cell of a column replaces an
   *     earlier
   * @param locked what a condition has checked, or a read has locked: counts as written; may be
   *     null
   */
  public synchronized void add(PreparedTable table, List<Cell> cells, Get locked)
      throws WriteSetTooLargeException {
    checkOpen();
    long more = 0;
    for (Cell cell : cells) {
      more += cell.getSerializedSize() + CELL_OVERHEAD_BYTES;
    }
    IdSet ids = new IdSet();
    if (locked != null) {
      ids.addAll(table.conflictIds(locked));
    }
    cells.forEach(cell -> ids.add(table.conflictId(cell)));
    long[] fresh = ids.without(conflictIds);
    check(bytes + more <= limits.bytesMax(), limits.bytesMax() + " bytes", "maxWriteBytes");
    checkRows(fresh.length);
    bytes += more;
    pendingBytes += more;
    if (locked != null) {
      names.add(table, locked, Use.LOCKED);
    }
    if (table.isCellConflicts() && fresh.length > 0) {
      cells.forEach(cell -> name(table, cell));
    }
    conflictIds.addAll(fresh);
    TableWrites writes = tables.computeIfAbsent(table.name(), name -> new TableWrites(table));
    for (Cell cell : cells) {
      writes.pending.put(cell, cell); // the key of an equal cell stays, its value is not looked at
    }
  }

  private void name(PreparedTable table, Cell cell) {
    names.add(
        table,
        CellUtil.cloneRow(cell),
        CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell),
        Use.WRITTEN);
  }

  /** Adds what a get looks at, which must be unchanged at the commit. */
  public synchronized void validate(PreparedTable table, Get get) throws WriteSetTooLargeException {
    validate(table.conflictIds(get));
    names.add(table, get, Use.VALIDATED);
  }

  /** Adds ids of what was read, which must be unchanged at the commit. */
  private void validate(long... ids) throws WriteSetTooLargeException {
    checkOpen();
    checkRows(ids.length);
    validated.addAll(ids);
  }

  private void checkOpen() {
    if (sealed) {
      throw new IllegalStateException(
          "transaction " + start + " ended before this write was carried out: begin a new one");
    }
  }

  private void checkRows(int more) throws WriteSetTooLargeException {
    check(
        conflictIds.size() + validated.size() + more <= limits.rowsMax(),
        limits.rowsMax() + " rows",
        "maxRows");
  }

  private void check(boolean within, String limit, String setting)
      throws WriteSetTooLargeException {
    if (!within) {
      throw new WriteSetTooLargeException(
          Text.of(
              "the write set of transaction %s is too large, the limit is %s: split the"
                  + " transaction, or raise %s of the transaction manager if it is below its"
                  + " maximum",
              start, limit, setting),
          null);
    }
  }

  /** Takes no more: the transaction ends. A write that is late fails, instead of being lost. */
  public synchronized void seal() {
    sealed = true;
  }

  /** Whether so much waits that it should be sent ahead of the commit. */
  public synchronized boolean isFull() {
    return pendingBytes >= limits.flushBytes();
  }

  /** Whether nothing was written at all, nor locked. */
  public synchronized boolean isEmpty() {
    return conflictIds.isEmpty();
  }

  /** What a get is answered with if own writes decide it; null if HBase must be asked. */
  public Result answer(PreparedTable table, Get get) {
    if (!OwnReads.namesColumns(get)) {
      return null;
    }
    synchronized (this) {
      TableWrites writes = tables.get(table.name());
      return writes == null ? null : OwnReads.answer(get, writes.pending, start);
    }
  }

  /** Makes the transaction's own writes of these rows readable. */
  public synchronized CompletableFuture<Void> sendBeforeReading(
      PreparedTable table, Iterable<byte[]> rows) {
    TableWrites writes = tables.get(table.name());
    return writes != null && touches(rows, writes::nextPending)
        ? send(List.of(writes))
        : acknowledged;
  }

  /** Makes the transaction's own writes within the range of the scan readable. */
  public synchronized CompletableFuture<Void> sendBeforeReading(PreparedTable table, Scan scan) {
    TableWrites writes = tables.get(table.name());
    return writes != null && touches(scan, writes::nextPending)
        ? send(List.of(writes))
        : acknowledged;
  }

  /** Whether own writes of these rows may be in the table. */
  public synchronized boolean hasSent(PreparedTable table, Iterable<byte[]> rows) {
    TableWrites writes = tables.get(table.name());
    return writes != null && touches(rows, writes.sent::ceiling);
  }

  /** Whether own writes within the range of the scan may be in the table. */
  public synchronized boolean hasSent(PreparedTable table, Scan scan) {
    TableWrites writes = tables.get(table.name());
    return writes != null && touches(scan, writes.sent::ceiling);
  }

  /** Whether one of the rows was written; {@code next} gives the written row from a row on. */
  private static boolean touches(Iterable<byte[]> rows, UnaryOperator<byte[]> next) {
    for (byte[] row : rows) {
      if (Arrays.equals(row, next.apply(row))) {
        return true;
      }
    }
    return false;
  }

  private static boolean touches(Scan scan, UnaryOperator<byte[]> next) {
    boolean reversed = scan.isReversed();
    byte[] low = reversed ? scan.getStopRow() : scan.getStartRow();
    byte[] high = reversed ? scan.getStartRow() : scan.getStopRow();
    byte[] first = next.apply(low);
    return first != null && (high.length == 0 || Bytes.compareTo(first, high) <= 0);
  }

  /** Sends everything, and completes when all writes of the transaction are acknowledged. */
  public synchronized CompletableFuture<Void> sendAll() {
    return send(tables.values());
  }

  /** Tables are written side by side, the batches of one after each other. */
  private CompletableFuture<Void> send(Collection<TableWrites> what) {
    assert Thread.holdsLock(this);
    List<CompletableFuture<Void>> sending = new ArrayList<>(what.size());
    for (TableWrites writes : what) {
      if (!writes.pending.isEmpty()) {
        CompletableFuture<Void> sent = TraceContext.keep(acknowledged);
        for (List<Put> puts : takePending(writes)) {
          counters.writeBatches.increment();
          // After a failure nothing more is sent: the transaction can only be rolled back.
          sent =
              sent.thenCompose(
                  done -> timings.of(Timings.Step.WRITE, () -> send(writes.table, puts)));
        }
        sending.add(sent);
      }
    }
    if (!sending.isEmpty()) {
      acknowledged = sending.size() == 1 ? sending.get(0) : Futures.all(sending);
    }
    pendingBytes = tables.values().stream().allMatch(t -> t.pending.isEmpty()) ? 0 : pendingBytes;
    return acknowledged;
  }

  /** A single row takes the short way through HBase's client. */
  private static CompletableFuture<Void> send(PreparedTable table, List<Put> puts) {
    CompletableFuture<Void> sent =
        puts.size() == 1
            ? table.raw().put(puts.get(0))
            : RowBatches.all(table, puts).thenApply(results -> null);
    return TraceContext.keep(sent)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                table.learnFrom(Futures.unwrap(failure));
              }
            });
  }

  /** A table that was written to by settings that it has no more; null if there is none. */
  public synchronized TableName outdatedTable() {
    for (TableWrites writes : tables.values()) {
      if (writes.table.isOutdated()) {
        return writes.table.name();
      }
    }
    return null;
  }

  /** What is to be sent, batch after batch. */
  private List<List<Put>> takePending(TableWrites writes) {
    List<List<Put>> batches = new ArrayList<>();
    Map<Protection, Put> ofRow = new LinkedHashMap<>();
    Cell last = null;
    for (Cell cell : writes.pending.values()) {
      if (last == null || !CellUtil.matchingRows(last, cell)) {
        ofRow.clear();
        writes.sent.add(CellUtil.cloneRow(cell));
      }
      Put put = ofRow.get(ProtectedCell.of(cell));
      if (put == null) {
        put = newPut(writes.table, cell, batches, ofRow.size());
        ofRow.put(ProtectedCell.of(cell), put);
      }
      put.getFamilyCellMap()
          .computeIfAbsent(CellUtil.cloneFamily(cell), family -> new ArrayList<>())
          .add(cell);
      last = cell;
    }
    writes.pending.clear();
    batch += batches.size();
    return batches;
  }

  /** For a cell and others of its row, in a batch of which there may be none yet. */
  private Put newPut(PreparedTable table, Cell cell, List<List<Put>> batches, int index) {
    if (index == batches.size()) {
      batches.add(new ArrayList<>());
    }
    int number = batch + 1 + index;
    Put put = table.mark(new Put(CellUtil.cloneRow(cell), start, true), start, number);
    ProtectedCell.of(cell).protect(put);
    batches.get(index).add(put);
    return put;
  }

  /** Completes when nothing is on its way any more, in whatever way it ended. */
  public synchronized CompletableFuture<Void> acknowledged() {
    return acknowledged.handle((done, failure) -> null);
  }

  /** The ids of what it wrote or locked, for the oracle; not changed once it is sealed. */
  public synchronized IdSet written() {
    return conflictIds;
  }

  /** The ids of what it validates; what it wrote, too, is checked anyway. */
  public synchronized long[] validated() {
    return validated.without(conflictIds);
  }

  public synchronized boolean validates() {
    return !validated.isEmpty();
  }

  /**
   * The granules of the rows that were sent, to tell those who read ranges.
   *
   * @param isSerializable names them in all tables; others do in tables where all writers do
   * @param room for so many; if there are more, whole tables go in for them
   */
  public synchronized long[] granules(boolean isSerializable, long room) {
    IdSet named = new IdSet();
    IdSet bulk = new IdSet();
    for (TableWrites writes : tables.values()) {
      if (writes.sent.isEmpty() || !isSerializable && !writes.table.hasGranulesOfAll()) {
        continue;
      }
      Granules granules = writes.table.granules();
      bulk.add(granules.whole());
      bulk.add(granules.bulk());
      for (byte[] row : writes.sent) {
        if (named.size() > room) {
          break;
        }
        granules.addAll(row, named);
      }
    }
    return (named.size() > room ? bulk : named).toArray();
  }

  /** What stands behind an id that was written, locked or validated; empty if it is not known. */
  public synchronized Optional<Place> find(long id) {
    Place named = names.find(id);
    return named != null
        ? Optional.of(named)
        : findRow(
            (table, row) -> !table.isCellConflicts() && table.conflictId(row, null, null) == id);
  }

  /** A row that was written in this granule; empty if there is none. */
  public synchronized Optional<Place> findInGranule(long granule) {
    return findRow(
        (table, row) -> {
          IdSet ofRow = new IdSet();
          table.granules().addAll(row, ofRow);
          return ofRow.contains(granule);
        });
  }

  /** Goes over all rows that were sent. */
  private Optional<Place> findRow(BiPredicate<PreparedTable, byte[]> wanted) {
    for (TableWrites writes : tables.values()) {
      for (byte[] row : writes.sent) {
        if (wanted.test(writes.table, row)) {
          return Optional.of(Place.row(writes.table.name(), Use.WRITTEN, row));
        }
      }
    }
    return Optional.empty();
  }

  /** The rows that may bear the transaction's mark, by table. */
  public synchronized List<WrittenRows> sentRows() {
    return tables.values().stream()
        .filter(writes -> !writes.sent.isEmpty())
        .map(writes -> new WrittenRows(writes.table, writes.sent))
        .toList();
  }
}
