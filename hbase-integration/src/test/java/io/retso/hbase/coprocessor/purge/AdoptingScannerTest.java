package io.retso.hbase.coprocessor.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.coprocessor.hbase.HBaseInternals.Deletes;
import io.retso.hbase.layout.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker.DeleteResult;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanDeleteTracker;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

public class AdoptingScannerTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final KeyValue.Type[] DELETES = {
    KeyValue.Type.Delete,
    KeyValue.Type.DeleteColumn,
    KeyValue.Type.DeleteFamily,
    KeyValue.Type.DeleteFamilyVersion
  };

  /** Some rows and columns, with versions of transactions and others, and all kinds of deletes. */
  private static List<Cell> randomCells(Random random) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(30); i++) {
      byte[] row = Bytes.toBytes("r" + random.nextInt(3));
      KeyValue.Type type = random.nextInt(5) == 0 ? DELETES[random.nextInt(4)] : KeyValue.Type.Put;
      boolean isOfFamily =
          type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
      byte[] column =
          isOfFamily || random.nextInt(4) == 0
              ? new byte[0]
              : Bytes.toBytes("c" + random.nextInt(2));
      long version = random.nextInt(3) == 0 ? random.nextInt(200) : 16 + 16L * random.nextInt(10);
      KeyValue cell = new KeyValue(row, F, column, version, type, Bytes.toBytes(i));
      cell.setSequenceId(i + 1);
      cells.add(cell);
    }
    cells.sort(CellComparator.getInstance());
    return cells;
  }

  private static Map<Long, Long> randomOutcomes(Random random) {
    Map<Long, Long> outcomes = new HashMap<>();
    for (long start = 16; start <= 160; start += 16) {
      switch (random.nextInt(3)) {
        case 0 -> outcomes.put(start, Outcome.ABORTED);
        case 1 -> outcomes.put(start, start + 16 + 16L * random.nextInt(6));
        default -> {}
      }
    }
    return outcomes;
  }

  @Test
  void writesWhatWasAdoptedInOrder() throws IOException {
    int moved = 0;
    for (long seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      List<Cell> cells = randomCells(random);
      Map<Long, Long> outcomes = randomOutcomes(random);
      List<Cell> written =
          Pieces.drain(
              new AdoptingScanner(
                  new Pieces(cells, random),
                  start -> outcomes.getOrDefault(start, 0L),
                  deletes(),
                  null));
      List<String> expected = expected(cells, outcomes);
      assertEquals(expected, written.stream().map(AdoptingScannerTest::text).toList(), "" + seed);
      moved += expected.equals(cells.stream().map(AdoptingScannerTest::text).toList()) ? 0 : 1;
    }
    assertTrue(moved > 1_000, "few were adopted: " + moved);
  }

  private static Deletes deletes() {
    ScanDeleteTracker tracker = new ScanDeleteTracker(CellComparator.getInstance());
    return new Deletes() {
      @Override
      public void add(Cell marker) {
        tracker.add(marker);
      }

      @Override
      public boolean hide(Cell put) {
        return tracker.isDeleted(put) != DeleteResult.NOT_DELETED;
      }

      @Override
      public void nextRow() {
        tracker.reset();
      }
    };
  }

  private static List<String> expected(List<Cell> cells, Map<Long, Long> outcomes) {
    List<Cell> expected = new ArrayList<>();
    for (Cell cell : cells) {
      long outcome =
          cell.getType() == Cell.Type.Put ? outcomes.getOrDefault(cell.getTimestamp(), 0L) : 0;
      if (outcome == 0) {
        expected.add(cell);
      } else if (outcome > 0 && cells.stream().noneMatch(marker -> hides(marker, cell))) {
        KeyValue copy = new KeyValue((KeyValue) cell);
        copy.setSequenceId(((KeyValue) cell).getSequenceId());
        copy.setTimestamp(outcome + 1);
        expected.add(copy);
      }
    }
    expected.sort(CellComparator.getInstance());
    return expected.stream().map(AdoptingScannerTest::text).toList();
  }

  private static boolean hides(Cell marker, Cell put) {
    if (!CellUtil.matchingRows(marker, put)) {
      return false;
    }
    long version = put.getTimestamp();
    return switch (marker.getType()) {
      case DeleteFamily -> version <= marker.getTimestamp();
      case DeleteFamilyVersion -> version == marker.getTimestamp();
      case DeleteColumn -> CellUtil.matchingColumn(marker, put) && version <= marker.getTimestamp();
      case Delete -> CellUtil.matchingColumn(marker, put) && version == marker.getTimestamp();
      default -> false;
    };
  }

  private static String text(Cell cell) {
    return cell + " #" + ((KeyValue) cell).getSequenceId();
  }
}
