package io.retso.hbase.resolve;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A row, its transactions and the oracle, as simple as can be: transactions are a list, the answer
 * to a read is found by looking at all of them. Beside it the cells that HBase would hold.
 */
final class RowModel {
  static final byte[] ROW = Bytes.toBytes("row");
  static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String[] COLUMNS = {"a", "b", "c"};
  private static final String DELETED = "deleted";

  /** A transaction, or (if {@code start} is 0) the write of somebody who knows of none. */
  private static final class Writer {
    final long start;
    final Map<String, String> writes = new HashMap<>();
    long commit;
    boolean aborted;
    boolean cleaned;
    boolean forgotten;

    Writer(long start) {
      this.start = start;
    }

    boolean isOpen() {
      return commit == 0 && !aborted;
    }
  }

  private final Random random;
  private final List<Writer> writers = new ArrayList<>();
  private final TreeSet<Long> marks = new TreeSet<>();
  private final Map<String, TreeMap<Long, String>> versions = new TreeMap<>();
  private long clock = 160;
  private Writer reader;
  private boolean readerWrites = true;

  RowModel(Random random) {
    this.random = random;
    for (String column : COLUMNS) {
      versions.put(column, new TreeMap<>(Collections.reverseOrder()));
    }
  }

  /** Begins the transaction whose reads are checked. */
  void beginReader() {
    reader = begin();
  }

  /** From now on the reader only reads: what it must see stands still. */
  void readerWrites(boolean writes) {
    readerWrites = writes;
  }

  long readTimestamp() {
    return reader.start;
  }

  /** One random event. */
  void step() {
    switch (random.nextInt(12)) {
      case 0, 1 -> begin();
      case 2, 3, 4 -> pick(writers.stream().filter(this::mayWrite), this::write);
      case 5, 6 -> pick(others(), this::commit);
      case 7 -> pick(others(), w -> w.aborted = true);
      case 8, 9 -> pick(writers.stream().filter(w -> w.start != 0 && !w.isOpen()), this::cleanUp);
      case 10 -> pick(writers.stream().filter(this::mayBeForgotten), w -> w.forgotten = true);
      default -> rareEvent();
    }
  }

  private void rareEvent() {
    if (random.nextBoolean()) {
      plainWrite();
    } else {
      pick(writers.stream().filter(w -> w.start != 0 && !w.isOpen()), this::lateDuplicate);
    }
  }

  /** Aborted ones may not know it yet. */
  private boolean mayWrite(Writer writer) {
    return writer.aborted || writer.isOpen() && (writer != reader || readerWrites);
  }

  private Stream<Writer> others() {
    return writers.stream().filter(w -> w.isOpen() && w != reader);
  }

  private void pick(Stream<Writer> candidates, Consumer<Writer> action) {
    List<Writer> list = candidates.toList();
    if (!list.isEmpty()) {
      action.accept(list.get(random.nextInt(list.size())));
    }
  }

  private long timestamp() {
    return clock += 16L * (1 + random.nextInt(3));
  }

  private Writer begin() {
    Writer writer = new Writer(timestamp());
    writers.add(writer);
    return writer;
  }

  private void write(Writer writer) {
    String column = COLUMNS[random.nextInt(COLUMNS.length)];
    String value = random.nextInt(4) == 0 ? DELETED : "value " + random.nextInt(1_000_000);
    writer.writes.put(column, value);
    versions.get(column).put(writer.start, value);
    marks.add(writer.start);
  }

  /** Conflicts are between cells: more interleavings than between rows. */
  private void commit(Writer writer) {
    long now = timestamp();
    boolean conflict =
        writers.stream()
            .filter(other -> other.commit > writer.start)
            .anyMatch(
                other -> !Collections.disjoint(other.writes.keySet(), writer.writes.keySet()));
    if (conflict) {
      writer.aborted = true;
    } else {
      writer.commit = now;
    }
  }

  private void cleanUp(Writer writer) {
    cleanUp(writer.start, writer.aborted ? Outcome.ABORTED : writer.commit);
    writer.cleaned = true;
  }

  /** Cleanup of one row, docs/protocol.md: conditional on the mark. */
  void cleanUp(long start, long commit) {
    if (marks.remove(start)) {
      for (TreeMap<Long, String> column : versions.values()) {
        String value = column.remove(start);
        if (value != null && commit != Outcome.ABORTED) {
          column.put(commit + 1, value);
        }
      }
    }
  }

  private boolean mayBeForgotten(Writer writer) {
    return writer.aborted || writer.cleaned;
  }

  private void lateDuplicate(Writer writer) {
    writer.writes.forEach((column, value) -> versions.get(column).put(writer.start, value));
    if (!writer.writes.isEmpty()) {
      marks.add(writer.start);
    }
  }

  /** While no transaction is under way that could write the column, too. */
  private void plainWrite() {
    String column = COLUMNS[random.nextInt(COLUMNS.length)];
    if (others().findAny().isPresent()) {
      return;
    }
    long version = timestamp() + random.nextInt(16);
    clock += 16;
    Writer plain = new Writer(0);
    plain.commit = version;
    plain.writes.put(column, "plain " + version);
    writers.add(plain);
    versions.get(column).put(version, "plain " + version);
  }

  /** Adds to {@code statuses} what the oracle answers to the reader. */
  void answer(long start, WriterStatuses statuses) {
    Writer writer = writer(start);
    if (writer.forgotten) {
      statuses.forgotten(start);
    } else if (writer.isOpen()) {
      statuses.open(start);
    } else if (writer.aborted) {
      statuses.aborted(start);
    } else {
      statuses.committed(start, writer.commit);
    }
  }

  /** Whether the request does no harm: a forgotten writer's mark is a leftover in either case. */
  boolean isTrue(CleanupRequest request) {
    Writer writer = writer(request.start());
    return request.isCommitted()
        ? writer.commit == request.outcome()
        : writer.aborted || writer.forgotten;
  }

  private Writer writer(long start) {
    return writers.stream().filter(w -> w.start == start).findFirst().orElseThrow();
  }

  /** What the reader must see, column to value: found without any version or mark. */
  SortedMap<String, String> expected() {
    SortedMap<String, String> seen = new TreeMap<>();
    for (String column : COLUMNS) {
      String value =
          writers.stream()
              .filter(w -> w.writes.containsKey(column))
              .filter(w -> w == reader || w.commit != 0 && w.commit < reader.start)
              .max((v, w) -> Long.compare(order(v), order(w)))
              .map(w -> w.writes.get(column))
              .orElse(DELETED);
      if (!value.equals(DELETED)) {
        seen.put(column, value);
      }
    }
    return seen;
  }

  private long order(Writer writer) {
    return writer == reader ? Long.MAX_VALUE : writer.commit;
  }

  /** A raw read of the row: marks and the newest versions, up to the read timestamp. */
  List<Cell> cells(int limit) {
    List<Cell> cells = new ArrayList<>();
    for (long start : marks.headSet(reader.start, true)) {
      byte[] qualifier = PendingWrite.qualifier(start);
      cells.add(new KeyValue(ROW, PendingWrite.family(), qualifier, start, new byte[0]));
    }
    versions.forEach(
        (column, values) ->
            values.tailMap(reader.start, true).entrySet().stream()
                .limit(limit)
                .forEach(v -> cells.add(cell(column, v.getKey(), v.getValue()))));
    return cells;
  }

  /** The first part of a server read: data, of each column up to the first committed version. */
  List<Cell> dataUpToCommitted() {
    List<Cell> cells = new ArrayList<>();
    versions.forEach(
        (column, values) -> {
          for (var v : values.tailMap(reader.start, true).entrySet()) {
            cells.add(cell(column, v.getKey(), v.getValue()));
            if (CellVersion.isCommitted(v.getKey())) {
              break;
            }
          }
        });
    return cells;
  }

  private static Cell cell(String column, long version, String value) {
    byte[] bytes = value.equals(DELETED) ? Tombstone.value() : Bytes.toBytes(value);
    return new KeyValue(ROW, FAMILY, Bytes.toBytes(column), version, bytes);
  }

  /** Column to value, as {@link #expected()}. */
  static SortedMap<String, String> values(List<Cell> cells) {
    SortedMap<String, String> values = new TreeMap<>();
    for (Cell cell : cells) {
      values.put(
          Bytes.toString(CellUtil.cloneQualifier(cell)), Bytes.toString(CellUtil.cloneValue(cell)));
    }
    return values;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("reader " + reader.start + ", marks " + marks);
    versions.forEach((column, values) -> text.append(", ").append(column).append(values));
    for (Writer w : writers) {
      text.append("\n  ").append(w.start).append(w.writes).append(" commit ").append(w.commit);
      text.append(w.aborted ? " aborted" : "").append(w.forgotten ? " forgotten" : "");
    }
    return text.toString();
  }
}
