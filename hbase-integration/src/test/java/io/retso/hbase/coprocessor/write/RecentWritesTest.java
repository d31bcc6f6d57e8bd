package io.retso.hbase.coprocessor.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.coprocessor.write.RowLatches.Latch;
import io.retso.hbase.layout.PendingWrite;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public class RecentWritesTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final long START = 1600;

  private long now;
  private RecentWrites.Shared shared;
  private RecentWrites recent;

  @BeforeEach
  void create() {
    shared = new RecentWrites.Shared(() -> now);
    recent = opened();
  }

  private RecentWrites opened() {
    RecentWrites region = new RecentWrites(shared);
    region.opened(0);
    return region;
  }

  private static Latch latch(String row) {
    return new Latch(Bytes.toBytes(row), START);
  }

  private static Put put(String row, int batch, byte[] value) {
    return PendingWrite.mark(new Put(Bytes.toBytes(row)), START, batch)
        .addColumn(F, Q, START, value);
  }

  private static void write(RecentWrites region, String row, int batch, int valueBytes) {
    long moment = region.moment();
    RecentWrites.Entry entry =
        region.entry(latch(row), batch, put(row, batch, new byte[valueBytes]));
    region.remember(List.of(entry), moment);
  }

  @Test
  void anEntryIsUsedOnce() {
    write(recent, "r", 1, 5);
    List<KeyValue> cells = recent.take(latch("r"), 1);
    assertEquals(List.of(put("r", 1, new byte[5]).get(F, Q).get(0)), cells);
    assertNull(recent.take(latch("r"), 1));
    assertNull(recent.take(latch("other"), 1));
    assertEquals(0, shared.bytes());
  }

  @Test
  void anEntryIsForTheNamedBatchOnlyAndGoneEitherWay() {
    for (int named : new int[] {0, 2}) {
      write(recent, "r", 1, 5);
      assertNull(recent.take(latch("r"), named));
      assertNull(recent.take(latch("r"), 1));
    }
    Put unnumbered = new Put(Bytes.toBytes("r")).addColumn(F, Q, START, Q);
    unnumbered.addColumn(PendingWrite.family(), PendingWrite.qualifier(START), START, Q);
    recent.remember(List.of(recent.entry(latch("r"), 0, unnumbered)), recent.moment());
    assertNull(recent.take(latch("r"), 0));
  }

  @Test
  void aLaterWriteReplacesAnEarlierOne() {
    write(recent, "r", 1, 5);
    write(recent, "r", 2, 7);
    assertEquals(1, recent.size());
    assertEquals(7, recent.take(latch("r"), 2).get(0).getValueLength());
    assertEquals(0, shared.bytes());
  }

  @Test
  void nothingIsUsedAfterPlainChanges() {
    write(recent, "r", 1, 5);
    write(recent, "s", 1, 5);
    recent.plainBegins();
    assertTrue(recent.moment() < 0);
    assertNull(recent.take(latch("r"), 1));
    recent.plainEnds();
    assertNull(recent.take(latch("s"), 1));
    assertEquals(0, shared.bytes());
    write(recent, "r", 1, 5);
    assertNotNull(recent.take(latch("r"), 1));
  }

  @Test
  void whatWasWrittenAtTheSameTimeAsPlainChangesIsNotRemembered() {
    RecentWrites.Entry entry = recent.entry(latch("r"), 1, put("r", 1, Q));
    long before = recent.moment();
    recent.plainBegins();
    long during = recent.moment();
    recent.remember(List.of(entry), before);
    recent.remember(List.of(entry), during);
    recent.plainEnds();
    recent.remember(List.of(entry), before);
    recent.remember(List.of(entry), during);
    assertEquals(0, recent.size());
    assertEquals(0, shared.bytes());
  }

  /** The change begins after the look for it. */
  @Test
  void whatAPlainChangeMeetsHalfRememberedIsNotUsed() {
    RecentWrites.Entry entry = recent.entry(latch("r"), 1, put("r", 1, Q));
    List<RecentWrites.Entry> writes =
        new AbstractList<>() {
          private boolean isBegun;

          @Override
          public RecentWrites.Entry get(int index) {
            if (!isBegun) {
              isBegun = true;
              recent.plainBegins();
            }
            return entry;
          }

          @Override
          public int size() {
            return 1;
          }
        };
    recent.remember(writes, recent.moment());
    recent.plainEnds();
    assertNull(recent.take(latch("r"), 1));
    assertEquals(0, shared.bytes());
  }

  @Test
  void whatADeleteMayHideIsNotRemembered() {
    assertNull(new RecentWrites(shared).entry(latch("r"), 1, put("r", 1, Q)), "not open");
    recent.hidden(START - 1);
    assertNotNull(recent.entry(latch("r"), 1, put("r", 1, Q)));
    recent.hidden(START);
    recent.hidden(5);
    assertNull(recent.entry(latch("r"), 1, put("r", 1, Q)));
  }

  @Test
  void largeCellsAndThoseWithTagsAreNotRemembered() {
    assertNull(recent.entry(latch("r"), 1, put("r", 1, new byte[RecentWrites.CELL_BYTES_MAX])));
    List<Tag> tags = List.of(new ArrayBackedTag((byte) 99, "x"));
    Put tagged = PendingWrite.mark(new Put(Bytes.toBytes("r")), START, 1);
    List<Cell> cells = new ArrayList<>();
    cells.add(new KeyValue(Bytes.toBytes("r"), F, Q, START, KeyValue.Type.Put, Q, tags));
    tagged.getFamilyCellMap().put(F, cells);
    assertNull(recent.entry(latch("r"), 1, tagged));
  }

  @Test
  void onlyPutsOfTheClaimedRowAndVersionAreRegular() {
    assertTrue(RecentWrites.isRegular(latch("r"), put("r", 1, Q)));
    assertFalse(RecentWrites.isRegular(latch("s"), put("r", 1, Q)));
    Mutation otherVersion = put("r", 1, Q).addColumn(F, Q, START + 16, Q);
    assertFalse(RecentWrites.isRegular(latch("r"), otherVersion));
    Put withDelete = put("r", 1, Q);
    withDelete
        .getFamilyCellMap()
        .get(F)
        .add(new KeyValue(Bytes.toBytes("r"), F, F, START, KeyValue.Type.Delete));
    assertFalse(RecentWrites.isRegular(latch("r"), withDelete));
  }

  @Test
  void theOldestGoesFirstWhicheverRegionItIsOf() {
    RecentWrites other = opened();
    write(other, "old", 1, 5);
    for (int i = 1; i < RecentWrites.ENTRIES_MAX; i++) {
      write(recent, "r" + i, 1, 5);
    }
    assertEquals(1, other.size());
    write(recent, "one more", 1, 5);
    assertEquals(0, other.size());
    assertEquals(RecentWrites.ENTRIES_MAX, recent.size());
    recent.closed();
    assertEquals(0, shared.bytes());
  }

  @Test
  void bytesAreBounded() {
    int value = 60_000;
    for (int i = 0; i < 500; i++) {
      write(recent, "r" + i, 1, value);
      assertTrue(shared.bytes() <= RecentWrites.BYTES_MAX);
    }
    assertTrue(shared.bytes() > RecentWrites.BYTES_MAX - 2 * value);
    assertNull(recent.take(latch("r0"), 1));
    assertNotNull(recent.take(latch("r499"), 1));
  }

  @Test
  void whatIsOldGoesWithTheNextWrite() {
    write(recent, "r", 1, 5);
    now += RecentWrites.AGE_NANOS;
    write(recent, "s", 1, 5);
    assertEquals(2, recent.size());
    now++;
    write(recent, "t", 1, 5);
    assertNull(recent.take(latch("r"), 1));
    assertNotNull(recent.take(latch("s"), 1));
  }
}
