package io.retso.hbase.coprocessor.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.apache.hadoop.hbase.metrics.impl.MetricRegistryImpl;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

public class VersionPurgeTest {
  private static final byte[] F = Bytes.toBytes("f");

  private static ObserverMetrics metrics() {
    return new ObserverMetrics(
        new MetricRegistryImpl(new MetricRegistryInfo("test", "", "test", "test", false)));
  }

  @Test
  void everySnapshotFromTheHorizonOnSeesTheSame() throws IOException {
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      List<Cell> cells = randomCells(random);
      long horizon = 16L * random.nextInt(40);
      long tombstones = random.nextBoolean() ? horizon : 0;
      List<Cell> left =
          Pieces.drain(
              new VersionPurge(
                  new Pieces(cells, random), horizon, tombstones, Long.MAX_VALUE, metrics()));
      for (long reader = horizon; reader < 16 * 45; reader += 16) {
        assertEquals(seen(cells, reader), seen(left, reader), "seed " + seed);
      }
      if (tombstones == horizon) {
        assertEquals(bounded(left, horizon), left, "seed " + seed);
      }
    }
  }

  /** Open scanners see what was there when they were opened, whatever was written since. */
  @Test
  void whatAScannerDoesNotSeeCoversNothing() throws IOException {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<Cell> cells = randomCells(random);
      for (Cell cell : cells) {
        ((KeyValue) cell).setSequenceId(random.nextInt(20));
      }
      long horizon = 16L * random.nextInt(40);
      long oldest = random.nextInt(20);
      List<Cell> left =
          Pieces.drain(
              new VersionPurge(new Pieces(cells, random), horizon, horizon, oldest, metrics()));
      for (long point = oldest; point < 20; point++) {
        List<Cell> before = upTo(cells, point);
        List<Cell> after = upTo(left, point);
        for (long reader = horizon; reader < 16 * 45; reader += 16) {
          assertEquals(seen(before, reader), seen(after, reader), "seed " + seed);
        }
      }
    }
  }

  private static List<Cell> upTo(List<Cell> cells, long point) {
    return cells.stream().filter(cell -> RewritingScanner.sequence(cell) <= point).toList();
  }

  /** Versions of all kinds: those that may be pending below the horizon are never visible. */
  private static List<Cell> randomCells(Random random) {
    List<Cell> cells = new ArrayList<>();
    for (int row = 0; row < 2; row++) {
      for (int column = 0; column < 3; column++) {
        for (int i = random.nextInt(8); i > 0; i--) {
          long version = 16L * random.nextInt(40) + random.nextInt(3);
          byte[] value =
              random.nextInt(3) == 0 ? Tombstone.value() : Bytes.toBytes(random.nextInt(100));
          KeyValue.Type type = random.nextInt(6) == 0 ? KeyValue.Type.Delete : KeyValue.Type.Put;
          Cell cell =
              new KeyValue(Bytes.toBytes(row), F, Bytes.toBytes(column), version, type, value);
          if (cells.stream().noneMatch(other -> samePlace(other, cell))) {
            cells.add(cell);
          }
        }
      }
    }
    cells.sort(CellComparator.getInstance());
    return cells;
  }

  private static boolean samePlace(Cell one, Cell other) {
    return CellUtil.matchingRows(one, other)
        && CellUtil.matchingColumn(one, other)
        && one.getTimestamp() == other.getTimestamp();
  }

  /** Newest committed version below the reader; what may be pending is not (Horizon). */
  private static Map<String, String> seen(List<Cell> cells, long reader) {
    Map<String, String> seen = new TreeMap<>();
    for (Cell cell : cells) {
      if (cell.getType() == Cell.Type.Put
          && cell.getTimestamp() < reader
          && CellVersion.isCommitted(cell.getTimestamp())) {
        seen.putIfAbsent(
            Bytes.toString(CellUtil.cloneRow(cell))
                + Bytes.toStringBinary(CellUtil.cloneQualifier(cell)),
            Tombstone.is(cell) ? "" : Bytes.toStringBinary(CellUtil.cloneValue(cell)));
      }
    }
    seen.values().removeIf(String::isEmpty);
    return seen;
  }

  /** Without a second committed version below the horizon, or a tombstone that covers. */
  private static List<Cell> bounded(List<Cell> cells, long horizon) {
    List<Cell> bounded = new ArrayList<>();
    Cell cover = null;
    for (Cell cell : cells) {
      boolean below =
          cell.getType() == Cell.Type.Put
              && cell.getTimestamp() < horizon
              && CellVersion.isCommitted(cell.getTimestamp());
      boolean covered =
          cover != null
              && CellUtil.matchingRows(cover, cell)
              && CellUtil.matchingColumn(cover, cell);
      if (!below || !covered && !Tombstone.is(cell)) {
        bounded.add(cell);
      }
      if (below) {
        cover = cell;
      }
    }
    return bounded;
  }

  @Test
  void ofEachMarkTheLastStateStays() throws IOException {
    List<Cell> cells = new ArrayList<>();
    mark(cells, 16, KeyValue.Type.Delete, 17);
    mark(cells, 16, KeyValue.Type.Put, 12);
    mark(cells, 32, KeyValue.Type.Delete, 18);
    mark(cells, 32, KeyValue.Type.Put, 23);
    mark(cells, 32, KeyValue.Type.Put, 13);
    mark(cells, 48, KeyValue.Type.Put, 14);
    mark(cells, 64, KeyValue.Type.Delete, 90); // some scanner does not see it yet
    mark(cells, 64, KeyValue.Type.Put, 15);
    for (long seed = 0; seed < 20; seed++) {
      List<Long> found = new ArrayList<>();
      List<Cell> left =
          Pieces.drain(
              new MarkScanner(
                  new Pieces(cells, new Random(seed)),
                  50,
                  mark -> found.add(PendingWrite.startOf(mark))));
      assertEquals(List.of(32L, 48L), found, "seed " + seed);
      List<Cell> expected =
          List.of(cells.get(0), cells.get(3), cells.get(5), cells.get(6), cells.get(7));
      assertEquals(expected, left, "seed " + seed);
    }
  }

  private static void mark(List<Cell> cells, long start, KeyValue.Type type, long sequence) {
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes("r"), PendingWrite.family(), PendingWrite.qualifier(start), start, type);
    cell.setSequenceId(sequence);
    cells.add(cell);
  }

  @Test
  void deletesWithoutACellOfTheirVersionGo() throws IOException {
    List<Cell> cells = new ArrayList<>();
    delete(cells, "a", 64, KeyValue.Type.Delete); // its cell is in another file
    delete(cells, "a", 48, KeyValue.Type.Delete); // spent
    delete(cells, "a", 32, KeyValue.Type.Delete); // its cell follows
    delete(cells, "a", 32, KeyValue.Type.Put);
    delete(cells, "a", 16, KeyValue.Type.Put);
    delete(cells, "b", 33, KeyValue.Type.Delete); // no cleanup's
    delete(cells, "c", 32, KeyValue.Type.DeleteColumn); // no cleanup's
    delete(cells, "d", 32, KeyValue.Type.Delete); // spent: the next cell is another column's
    delete(cells, "e", 32, KeyValue.Type.Put);
    labelled(cells, "f", 32, KeyValue.Type.Delete); // no cleanup's
    delete(cells, "g", 32, KeyValue.Type.Delete); // its cell follows another marker
    labelled(cells, "g", 32, KeyValue.Type.Delete);
    delete(cells, "g", 32, KeyValue.Type.Put);
    delete(cells, "h", 32, KeyValue.Type.Delete); // spent, and the last
    List<Cell> expected = new ArrayList<>(cells);
    expected.removeAll(List.of(cells.get(1), cells.get(7), cells.get(13)));
    for (long seed = 0; seed < 50; seed++) {
      ObserverMetrics metrics = metrics();
      CleanupDeletePurge scanner =
          new CleanupDeletePurge(
              new Pieces(cells, new Random(seed)), version -> version >= 64, metrics);
      assertEquals(expected, Pieces.drain(scanner), "seed " + seed);
      assertEquals(3, metrics.purgedDeletes.getCount());
    }
  }

  private static void labelled(List<Cell> cells, String column, long version, KeyValue.Type type) {
    Tag label = new ArrayBackedTag(TagType.VISIBILITY_TAG_TYPE, new byte[] {1});
    byte[] row = Bytes.toBytes("r");
    byte[] none = new byte[0];
    cells.add(new KeyValue(row, F, Bytes.toBytes(column), version, type, none, List.of(label)));
  }

  private static void delete(List<Cell> cells, String column, long version, KeyValue.Type type) {
    cells.add(new KeyValue(Bytes.toBytes("r"), F, Bytes.toBytes(column), version, type));
  }
}
