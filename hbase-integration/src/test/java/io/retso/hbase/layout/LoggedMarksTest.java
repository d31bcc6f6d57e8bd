package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class LoggedMarksTest {
  private static final long START = 160;
  private static final byte[] FAMILY = PendingWrite.family();

  private static byte[] row(String row) {
    return Bytes.toBytes(row);
  }

  private static List<String> names(List<Cell> edit) {
    return edit.stream().map(Object::toString).toList();
  }

  @Test
  void theyBecomeTheMarksOfTheirRowsWhereTheyStand() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      List<byte[]> rows = new ArrayList<>();
      List<Cell> expected = new ArrayList<>();
      Cell before = new KeyValue(row("a"), row("f"), row("q"), START, row("v"));
      expected.add(before);
      for (int i = random.nextInt(LoggedMarks.ROWS_MAX); i >= 0; i--) {
        byte[] row = new byte[1 + random.nextInt(round == 0 ? Short.MAX_VALUE : 20)];
        random.nextBytes(row);
        rows.add(row);
        expected.add(PendingWrite.markOf(row, START));
      }
      Cell after = PendingWrite.deleteOf(row("z"), START);
      expected.add(after);
      KeyValue cell = LoggedMarks.of(START, rows);
      assertTrue(LoggedMarks.is(cell));
      assertFalse(PendingWrite.isWellFormed(cell));
      List<Cell> edit = new ArrayList<>(List.of(before, cell, after));
      LoggedMarks.expand(edit);
      assertEquals(names(expected), names(edit), "seed " + seed + ", round " + round);
      assertTrue(edit.stream().skip(1).allMatch(PendingWrite::isWellFormed));
    }
  }

  /** Before the table was prepared, or without the coprocessor, everybody may have put them. */
  @Test
  void cellsOfOthersStay() {
    List<Cell> edit =
        new ArrayList<>(
            List.of(
                PendingWrite.markOf(row("a"), START),
                new KeyValue(row("a"), FAMILY, null, START, row("no list")),
                new KeyValue(row("a"), FAMILY, null, START, new byte[] {0, 2, 'b'}),
                new KeyValue(row("a"), FAMILY, null, START, new byte[] {0, 0}),
                new KeyValue(row("a"), FAMILY, null, START, new byte[] {-1, -1}),
                new KeyValue(row("a"), FAMILY, null, START, new byte[] {0, 1, 'b', 0}),
                new KeyValue(row("a"), FAMILY, null, START + 1, new byte[] {0, 1, 'b'}),
                new KeyValue(row("a"), FAMILY, null, START, KeyValue.Type.Delete),
                new KeyValue(row("a"), row("f"), null, START, new byte[] {0, 1, 'b'})));
    List<String> before = names(edit);
    LoggedMarks.expand(edit);
    assertEquals(before, names(edit));
  }
}
