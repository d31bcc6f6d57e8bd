package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class AdoptionCellTest {
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final long GAP = Timestamps.GAP;

  private static Map<Long, Long> read(KeyValue cell) {
    Map<Long, Long> outcomes = new HashMap<>();
    AdoptionCell.read(cell, outcomes::put);
    return outcomes;
  }

  @Test
  void outcomesAreReadAsTheyWereWritten() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      TreeMap<Long, Long> outcomes = new TreeMap<>();
      long most = Timestamps.MAX / GAP >> random.nextInt(56);
      for (int i = random.nextInt(20); i >= 0; i--) {
        long start = GAP * (1 + random.nextLong(Math.max(1, most)));
        long above = (Timestamps.MAX - start) / GAP;
        boolean isAborted = above == 0 || random.nextInt(4) == 0;
        outcomes.put(
            start, isAborted ? Outcome.ABORTED : start + GAP * (1 + random.nextLong(above)));
      }
      KeyValue cell = AdoptionCell.of(ROW, random.nextLong(1L << 40), round, outcomes);
      assertTrue(AdoptionCell.is(cell));
      assertFalse(PendingWrite.isWellFormed(cell));
      assertEquals(outcomes.lastKey() + 2, cell.getTimestamp());
      assertEquals(outcomes, read(cell), "seed " + seed + ", round " + round);
    }
  }

  @Test
  void theBoundsOfTimestampsFit() {
    TreeMap<Long, Long> outcomes = new TreeMap<>(Map.of(GAP, Timestamps.MAX));
    outcomes.put(Timestamps.MAX, Outcome.ABORTED);
    assertEquals(outcomes, read(AdoptionCell.of(ROW, Long.MAX_VALUE, Long.MAX_VALUE, outcomes)));
  }

  @Test
  void cellsOfARegionDiffer() {
    TreeMap<Long, Long> outcomes = new TreeMap<>(Map.of(GAP, 2 * GAP));
    KeyValue cell = AdoptionCell.of(ROW, 200, 1, outcomes);
    for (long[] other : new long[][] {{200, 2}, {201, 1}, {2, 200}, {1, 200}}) {
      KeyValue another = AdoptionCell.of(ROW, other[0], other[1], outcomes);
      assertNotEquals(
          Bytes.toStringBinary(CellUtil.cloneQualifier(cell)),
          Bytes.toStringBinary(CellUtil.cloneQualifier(another)));
    }
  }

  /** An outcome costs a few bytes where transactions are short. */
  @Test
  void smallNumbersAreShort() {
    long start = 1_795_655_186_096L;
    KeyValue cell = AdoptionCell.of(ROW, 5_000, 300, new TreeMap<>(Map.of(start, start + 2_784)));
    assertEquals(5, cell.getQualifierLength());
    assertEquals(3, cell.getValueLength());
  }

  /** Plain HBase lets everybody put cells there. */
  @Test
  void whatOthersPutThereIsNoneOrHarmless() {
    byte[] qualifier = {'d', 1, 1};
    byte[] family = PendingWrite.family();
    for (KeyValue none :
        List.of(
            new KeyValue(ROW, family, qualifier, 18, KeyValue.Type.Delete),
            new KeyValue(ROW, family, qualifier, 16, new byte[2]),
            new KeyValue(ROW, family, qualifier, 0, new byte[2]),
            new KeyValue(ROW, family, new byte[0], 18, new byte[2]),
            new KeyValue(ROW, family, new byte[] {1}, 18, new byte[2]),
            new KeyValue(ROW, Bytes.toBytes("f"), qualifier, 18, new byte[2]))) {
      assertFalse(AdoptionCell.is(none), none.toString());
    }
    Random random = new Random(7);
    for (int length = 0; length < 200; length++) {
      byte[] value = new byte[length];
      random.nextBytes(value);
      read(new KeyValue(ROW, family, qualifier, 18, value)); // does not fail
    }
  }
}
