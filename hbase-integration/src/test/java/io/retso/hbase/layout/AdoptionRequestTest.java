package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.AdoptionRequest.Adoption;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class AdoptionRequestTest {
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] ADOPTIONS = Bytes.toBytes("decisions");
  private static final AdoptionRequest REQUEST =
      new AdoptionRequest(
          ROW,
          List.of(
              new Adoption(16, 32, 0x1122334455667788L, 1),
              new Adoption(48, Outcome.ABORTED, 100_000)));

  private static Put put(byte[] list) {
    Put put = new Put(ROW).addColumn(PendingWrite.family(), ADOPTIONS, 0, new byte[0]);
    put.setAttribute(AdoptionRequest.ATTRIBUTE, list);
    return put;
  }

  private static void refused(Mutation mutation, String reason) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> AdoptionRequest.of(mutation));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void aListTravelsAsAnAttributeOfAPutThatIsNoMark() {
    Put put = REQUEST.toPut(7);
    assertTrue(AdoptionRequest.isRequest(put));
    assertArrayEquals(ROW, AdoptionRequest.of(put).row());
    assertEquals(REQUEST.adoptions(), AdoptionRequest.of(put).adoptions());
    assertNull(CleanupRequest.of(put));
    assertEquals(
        "01"
            + ("0000000000000010" + "0000000000000020" + "1122334455667788" + "00000001")
            + ("0000000000000030" + "ffffffffffffffff" + "0000000000000000" + "000186a0"),
        Bytes.toHex(put.getAttribute(AdoptionRequest.ATTRIBUTE)));
    // So a region with a coprocessor that does not know it refuses the put.
    assertThrows(IllegalArgumentException.class, () -> PendingWrite.startOf(put));
    assertNull(AdoptionRequest.of(new Put(ROW).addColumn(ADOPTIONS, ADOPTIONS, ROW)));
  }

  @Test
  void aListHasAThousandTransactionsAtMost() {
    List<Adoption> most = Collections.nCopies(1_000, new Adoption(16, 32, 1));
    assertEquals(most, AdoptionRequest.of(new AdoptionRequest(ROW, most).toPut(7)).adoptions());
    List<Adoption> more = Collections.nCopies(1_001, new Adoption(16, 32, 1));
    assertThrows(IllegalArgumentException.class, () -> new AdoptionRequest(ROW, more));
    assertThrows(IllegalArgumentException.class, () -> new AdoptionRequest(ROW, List.of()));
    byte[] list = new byte[1 + 1_001 * 28];
    list[0] = 1;
    refused(put(list), "1001 transactions");
    refused(put(new byte[] {1}), "0 transactions");
  }

  @Test
  void whatIsMalformedIsRefused() {
    refused(put(new byte[0]), "0 bytes");
    refused(put(new byte[28]), "version 0");
    byte[] later = REQUEST.toPut(7).getAttribute(AdoptionRequest.ATTRIBUTE);
    later[0] = 2;
    refused(put(later), "version 2, this region server knows 1");
    byte[] cut = new byte[28];
    cut[0] = 1;
    refused(put(cut), "28 bytes");
    byte[] unordered = new byte[29];
    unordered[0] = 1;
    unordered[8] = 32;
    unordered[16] = 16;
    refused(put(unordered), "not above");
    assertThrows(IllegalArgumentException.class, () -> new Adoption(16, 32, 0));
    assertThrows(IllegalArgumentException.class, () -> new Adoption(17, 32, 1));
    assertThrows(IllegalArgumentException.class, () -> new Adoption(16, 0, 1));
  }

  @Test
  void otherMutationsWithTheAttributeAreRefused() {
    Put two = REQUEST.toPut(7).addColumn(PendingWrite.family(), ROW, 0, ROW);
    refused(two, "put of one column");
    Put mark = PendingWrite.mark(new Put(ROW), 16);
    mark.setAttribute(AdoptionRequest.ATTRIBUTE, new byte[29]);
    refused(mark, "put of one column");
    Put data = new Put(ROW).addColumn(ADOPTIONS, ADOPTIONS, ROW);
    data.setAttribute(AdoptionRequest.ATTRIBUTE, new byte[29]);
    refused(data, "put of one column");
    Append append = new Append(ROW).addColumn(PendingWrite.family(), ADOPTIONS, ROW);
    append.setAttribute(AdoptionRequest.ATTRIBUTE, new byte[29]);
    refused(append, "put of one column");
  }

  @Test
  void anAnswerSaysOfEachTransactionWhetherItIsAdopted() {
    BitSet second = new BitSet();
    second.set(1);
    assertEquals(second, REQUEST.adopted(REQUEST.answer(second)));
    assertEquals(new BitSet(), REQUEST.adopted(REQUEST.answer(new BitSet())));
  }

  @Test
  void othersDoNotAdopt() {
    assertNull(REQUEST.adopted(Result.EMPTY_RESULT));
    assertNull(REQUEST.adopted(CleanupRequest.DONE));
    assertNull(REQUEST.adopted(null));
    AdoptionRequest shorter = new AdoptionRequest(ROW, REQUEST.adoptions().subList(0, 1));
    assertNull(REQUEST.adopted(shorter.answer(new BitSet())));
  }

  @Test
  void aRegionHasAFirstRow() {
    assertArrayEquals(ROW, AdoptionRequest.firstRow(ROW));
    assertArrayEquals(new byte[] {0}, AdoptionRequest.firstRow(new byte[0]));
    assertFalse(AdoptionRequest.isRequest(new Put(ROW)));
  }
}
