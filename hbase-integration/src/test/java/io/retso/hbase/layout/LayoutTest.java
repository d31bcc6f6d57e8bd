package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The bytes of docs/data-format.md: other clients of the same tables rely on them. */
class LayoutTest {
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");

  @Test
  void cleanedUpCellsHaveTheVersionAfterTheCommit() {
    assertEquals(161, CellVersion.committed(160));
    assertEquals(160, CellVersion.commitTimestamp(161));
    assertTrue(CellVersion.isCommitted(161));
    assertFalse(CellVersion.isCommitted(160));
    for (long version : new long[] {162, 175}) {
      assertThrows(IllegalArgumentException.class, () -> CellVersion.commitTimestamp(version));
    }
    assertEquals(Timestamps.MAX + 1, CellVersion.committed(Timestamps.MAX));
    for (long timestamp : new long[] {0, -16, 161, Timestamps.MAX + 16, Long.MAX_VALUE}) {
      Exception e =
          assertThrows(IllegalArgumentException.class, () -> CellVersion.committed(timestamp));
      assertTrue(e.getMessage().contains("up to " + Timestamps.MAX), e.getMessage());
    }
  }

  @Test
  void aMarkIsACellOfItsTransaction() {
    Put put = PendingWrite.mark(new Put(ROW).addColumn(F, Q, 0x1230, Q), 0x1230, 2);
    assertEquals(0x1230, PendingWrite.startOf(put));
    Cell mark = put.getFamilyCellMap().get(PendingWrite.family()).get(0);
    assertTrue(PendingWrite.isMark(mark));
    assertFalse(PendingWrite.isMark(put.getFamilyCellMap().get(F).get(0)));
    assertEquals("!pw", Bytes.toString(CellUtil.cloneFamily(mark)));
    assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0x12, 0x30}, CellUtil.cloneQualifier(mark));
    assertArrayEquals(new byte[] {0, 0, 0, 2}, CellUtil.cloneValue(mark));
    assertEquals(0x1230, mark.getTimestamp());
    assertEquals(0x1230, PendingWrite.startOf(mark));
  }

  @Test
  void mutationsWithoutAMarkAreNotOfTransactions() {
    assertEquals(0, PendingWrite.startOf(new Put(ROW).addColumn(F, Q, Q)));
    assertEquals(
        0,
        PendingWrite.startOf(
            new Delete(ROW).addColumn(PendingWrite.family(), PendingWrite.qualifier(16), 16)));
    Put two = PendingWrite.mark(PendingWrite.mark(new Put(ROW), 16), 32);
    assertThrows(IllegalArgumentException.class, () -> PendingWrite.startOf(two));
  }

  @Test
  void whatHasNotTheFormOfAMarkIsNone() {
    byte[] family = PendingWrite.family();
    byte[] start = PendingWrite.qualifier(32);
    assertTrue(PendingWrite.isWellFormed(new KeyValue(ROW, family, start, 32, Q)));
    for (Put put :
        List.of(
            new Put(ROW).addColumn(family, Q, 17, Q),
            new Put(ROW).addColumn(family, Q, 32, Q),
            new Put(ROW).addColumn(family, start, 16, Q),
            new Put(ROW).addColumn(family, start, 33, Q),
            new Put(ROW).addColumn(family, start, Q))) {
      assertFalse(PendingWrite.isWellFormed(put.getFamilyCellMap().get(family).get(0)));
      assertThrows(IllegalArgumentException.class, () -> PendingWrite.startOf(put));
    }
    for (Mutation other :
        List.of(
            new Increment(ROW).addColumn(family, start, 1),
            new Append(ROW).addColumn(family, start, Q))) {
      assertThrows(IllegalArgumentException.class, () -> PendingWrite.startOf(other));
    }
  }

  @Test
  void tombstonesAreSixteenReservedBytes() {
    assertEquals("b1f0c2d49e7a4d0c8a563ef71c98e52d", Bytes.toHex(Tombstone.value()));
    assertTrue(Tombstone.is(new KeyValue(ROW, F, Q, 16, Tombstone.value())));
    byte[] almost = Tombstone.value();
    almost[15]++;
    for (byte[] other : new byte[][] {almost, {}, new byte[16], Bytes.copy(almost, 0, 15)}) {
      assertFalse(Tombstone.is(new KeyValue(ROW, F, Q, 16, other)));
    }
    Tombstone.value()[0]++;
    assertEquals("b1f0c2d49e7a4d0c8a563ef71c98e52d", Bytes.toHex(Tombstone.value()));
  }

  @Test
  void cleanupTravelsAsAPutOfTheMark() {
    for (long commit : new long[] {320, Outcome.ABORTED}) {
      CleanupRequest request = new CleanupRequest(ROW, 160, commit, 7);
      CleanupRequest received = CleanupRequest.of(request.toPut());
      assertArrayEquals(ROW, received.row());
      assertEquals(160, received.start());
      assertEquals(commit, received.outcome());
      assertEquals(7, received.receipt());
      assertEquals(commit == 320, received.isCommitted());
    }
    assertNull(CleanupRequest.of(PendingWrite.mark(new Put(ROW), 160)));
  }

  @Test
  void malformedCleanupsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new CleanupRequest(ROW, 160, 160));
    assertThrows(IllegalArgumentException.class, () -> new CleanupRequest(ROW, 160, 321));
    assertThrows(IllegalArgumentException.class, () -> new CleanupRequest(ROW, 161, 320));
    Put withData = new CleanupRequest(ROW, 160, 320).toPut().addColumn(F, Q, Q);
    assertThrows(IllegalArgumentException.class, () -> CleanupRequest.of(withData));
    Put withoutMark = new Put(ROW).addColumn(F, Q, Q);
    withoutMark.setAttribute(CleanupRequest.ATTRIBUTE, new byte[16]);
    assertThrows(IllegalArgumentException.class, () -> CleanupRequest.of(withoutMark));
    for (int bytes : new int[] {0, 8, 15, 17}) {
      Put wrong = PendingWrite.mark(new Put(ROW), 160);
      wrong.setAttribute(CleanupRequest.ATTRIBUTE, new byte[bytes]);
      Exception e = assertThrows(IllegalArgumentException.class, () -> CleanupRequest.of(wrong));
      assertTrue(e.getMessage().contains(bytes + " bytes instead of 16"), e.getMessage());
    }
  }

  @Test
  void theReadTimestampIsAnAttribute() {
    Get get = new Get(ROW);
    assertEquals(0, ReadAttribute.of(get));
    ReadAttribute.set(get, 7, 160);
    assertEquals(160, ReadAttribute.of(get));
    assertThrows(IllegalArgumentException.class, () -> ReadAttribute.set(get, 7, 161));
    for (byte[] malformed : new byte[][] {{}, new byte[8], Bytes.toBytes(161L), new byte[9]}) {
      get.setAttribute(ReadAttribute.NAME, malformed);
      assertThrows(IllegalArgumentException.class, () -> ReadAttribute.of(get));
    }
  }
}
