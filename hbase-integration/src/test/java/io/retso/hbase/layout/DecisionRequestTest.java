package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.DecisionRequest.Decision;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class DecisionRequestTest {
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] DECISIONS = Bytes.toBytes("decisions");
  private static final DecisionRequest REQUEST =
      new DecisionRequest(
          ROW, List.of(new Decision(16, 32, 1), new Decision(48, CleanupRequest.ABORTED, 100_000)));

  private static Put put(byte[] list) {
    Put put = new Put(ROW).addColumn(PendingWrite.family(), DECISIONS, 0, new byte[0]);
    put.setAttribute(DecisionRequest.ATTRIBUTE, list);
    return put;
  }

  private static void refused(Mutation mutation, String reason) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> DecisionRequest.of(mutation));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void aListTravelsAsAnAttributeOfAPutThatIsNoMark() {
    Put put = REQUEST.toPut(7);
    assertTrue(DecisionRequest.isRequest(put));
    assertEquals(REQUEST, DecisionRequest.of(put));
    assertNull(CleanupRequest.of(put));
    assertArrayEquals(
        new byte[] {
          1, // version
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          16,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          32,
          0,
          0,
          0,
          1, //
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          48,
          -1,
          -1,
          -1,
          -1,
          -1,
          -1,
          -1,
          -1,
          0,
          1,
          (byte) 0x86,
          (byte) 0xA0
        },
        put.getAttribute(DecisionRequest.ATTRIBUTE));
    // So a region with a coprocessor that does not know it refuses the put.
    assertThrows(IllegalArgumentException.class, () -> PendingWrite.startOf(put));
    assertNull(DecisionRequest.of(new Put(ROW).addColumn(DECISIONS, DECISIONS, ROW)));
  }

  @Test
  void aListHasAThousandTransactionsAtMost() {
    List<Decision> most = Collections.nCopies(1_000, new Decision(16, 32, 1));
    assertEquals(most, DecisionRequest.of(new DecisionRequest(ROW, most).toPut(7)).decisions());
    List<Decision> more = Collections.nCopies(1_001, new Decision(16, 32, 1));
    assertThrows(IllegalArgumentException.class, () -> new DecisionRequest(ROW, more));
    assertThrows(IllegalArgumentException.class, () -> new DecisionRequest(ROW, List.of()));
    byte[] list = new byte[1 + 1_001 * 20];
    list[0] = 1;
    refused(put(list), "1001 transactions");
    refused(put(new byte[] {1}), "0 transactions");
  }

  @Test
  void whatIsMalformedIsRefused() {
    refused(put(new byte[0]), "0 bytes");
    refused(put(new byte[20]), "version 0");
    byte[] later = REQUEST.toPut(7).getAttribute(DecisionRequest.ATTRIBUTE);
    later[0] = 2;
    refused(put(later), "version 2, this region server knows 1");
    byte[] cut = new byte[20];
    cut[0] = 1;
    refused(put(cut), "20 bytes");
    byte[] unordered = new byte[21];
    unordered[0] = 1;
    unordered[8] = 32;
    unordered[16] = 16;
    refused(put(unordered), "not above");
    assertThrows(IllegalArgumentException.class, () -> new Decision(16, 32, 0));
    assertThrows(IllegalArgumentException.class, () -> new Decision(17, 32, 1));
    assertThrows(IllegalArgumentException.class, () -> new Decision(16, 0, 1));
  }

  @Test
  void otherMutationsWithTheAttributeAreRefused() {
    Put two = REQUEST.toPut(7).addColumn(PendingWrite.family(), ROW, 0, ROW);
    refused(two, "put of one column");
    Put mark = PendingWrite.mark(new Put(ROW), 16);
    mark.setAttribute(DecisionRequest.ATTRIBUTE, new byte[21]);
    refused(mark, "put of one column");
    Put data = new Put(ROW).addColumn(DECISIONS, DECISIONS, ROW);
    data.setAttribute(DecisionRequest.ATTRIBUTE, new byte[21]);
    refused(data, "put of one column");
    Append append = new Append(ROW).addColumn(PendingWrite.family(), DECISIONS, ROW);
    append.setAttribute(DecisionRequest.ATTRIBUTE, new byte[21]);
    refused(append, "put of one column");
  }

  @Test
  void anAnswerSaysOfEachTransactionWhetherItIsDecided() {
    BitSet second = new BitSet();
    second.set(1);
    assertEquals(second, REQUEST.decided(REQUEST.answer(second)));
    assertEquals(new BitSet(), REQUEST.decided(REQUEST.answer(new BitSet())));
  }

  @Test
  void othersDoNotDecide() {
    assertNull(REQUEST.decided(Result.EMPTY_RESULT));
    assertNull(REQUEST.decided(CleanupRequest.DONE));
    assertNull(REQUEST.decided(null));
    DecisionRequest shorter = new DecisionRequest(ROW, REQUEST.decisions().subList(0, 1));
    assertNull(REQUEST.decided(shorter.answer(new BitSet())));
  }

  @Test
  void aRegionHasAFirstRow() {
    assertArrayEquals(ROW, DecisionRequest.firstRow(ROW));
    assertArrayEquals(new byte[] {0}, DecisionRequest.firstRow(new byte[0]));
    assertFalse(DecisionRequest.isRequest(new Put(ROW)));
  }
}
