package io.retso.workload.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.history.SerialCheck.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Histories made by hand. Rows are 1 and 2, and what was there before was written by 0. */
class SerialCheckTest {
  private static final int X = 1;
  private static final int Y = 2;

  private final List<Recorded> ended = new ArrayList<>();

  private SerialCheckTest ran(long number, Map<Integer, Long> reads, int... writes) {
    ended.add(new Recorded(number, "T", 0, true, reads, writes));
    return this;
  }

  private SerialCheckTest refused(long number, Map<Integer, Long> reads, int... writes) {
    ended.add(new Recorded(number, "T", 0, false, reads, writes));
    return this;
  }

  private Verdict verdict() {
    return SerialCheck.check(new History(ended, 0));
  }

  private Verdict assertOneCycleOf(int members) {
    Verdict verdict = verdict();
    assertEquals(1, verdict.groups(), verdict.toString());
    assertEquals(members, verdict.members(), verdict.toString());
    assertFalse(verdict.isSerializable());
    return verdict;
  }

  private void assertSerializable() {
    assertTrue(verdict().isSerializable(), verdict().toString());
    assertEquals("", verdict().example());
  }

  @Test
  void nothingIsSerializable() {
    assertSerializable();
  }

  @Test
  void oneAfterTheOtherIsSerializable() {
    ran(1, Map.of(X, 0L, Y, 0L), X).ran(2, Map.of(X, 1L, Y, 0L), Y).ran(3, Map.of(X, 1L, Y, 2L), X);
    assertSerializable();
  }

  @Test
  void aReaderOfAnOldSnapshotIsSerializable() {
    ran(1, Map.of(X, 0L), X).ran(2, Map.of(Y, 0L), Y).ran(3, Map.of(X, 1L, Y, 0L));
    assertSerializable();
  }

  @Test
  void oneThatReadsWhatAnotherReplacesIsSerializable() {
    ran(1, Map.of(X, 0L), X).ran(2, Map.of(X, 0L, Y, 0L), Y);
    assertSerializable();
  }

  @Test
  void writeSkew() {
    ran(1, Map.of(X, 0L, Y, 0L), X).ran(2, Map.of(X, 0L, Y, 0L), Y);
    Verdict verdict = assertOneCycleOf(2);
    assertEquals("T 1 -rw-> T 2 -rw-> T 1", verdict.example());
  }

  @Test
  void lostUpdate() {
    ran(1, Map.of(X, 0L), X).ran(2, Map.of(X, 0L), X);
    assertOneCycleOf(2);
  }

  /** Fekete, O'Neil and O'Neil (2004): X is savings, Y checking; 1 WC, 2 TS, 3 Bal. */
  @Test
  void readOnlyAnomaly() {
    ran(1, Map.of(X, 0L, Y, 0L), Y).ran(2, Map.of(X, 0L), X);
    assertSerializable();
    ran(3, Map.of(X, 2L, Y, 0L));
    assertOneCycleOf(3);
  }

  @Test
  void readSkew() {
    ran(1, Map.of(X, 0L, Y, 0L), X, Y).ran(2, Map.of(X, 1L, Y, 0L));
    assertOneCycleOf(2);
  }

  @Test
  void groupsAreCountedOneByOne() {
    ran(1, Map.of(X, 0L), X).ran(2, Map.of(X, 0L), X);
    ran(3, Map.of(Y, 0L), Y).ran(4, Map.of(Y, 0L), Y).ran(5, Map.of(Y, 0L), Y);
    assertEquals(2, verdict().groups());
    assertEquals(5, verdict().members());
  }

  @Test
  void readsOfRefusedWritersAreFound() {
    ran(1, Map.of(X, 0L), X).ran(3, Map.of(X, 2L));
    assertEquals(1, verdict().unknownWriters());
    assertFalse(verdict().isSerializable());
  }

  @Test
  void writersFromBeforeTheHistoryAreKnown() {
    ran(7, Map.of(X, 5L), X).ran(8, Map.of(X, 7L, Y, 6L));
    assertSerializable();
  }

  @Test
  void rowsThatAreWrittenUnreadOrderNobody() {
    ran(1, Map.of(), X).ran(2, Map.of(), X).ran(3, Map.of(X, 1L));
    assertSerializable();
  }

  @Test
  void aRefusalThatPreventsACycleIsNeeded() {
    ran(1, Map.of(X, 0L, Y, 0L), X).refused(2, Map.of(X, 0L, Y, 0L), Y);
    assertEquals(0, verdict().needless());
    assertEquals(1, verdict().transactions());
  }

  @Test
  void aRefusalWithoutACycleIsNeedless() {
    ran(1, Map.of(X, 0L), X).refused(2, Map.of(X, 0L, Y, 0L), Y);
    assertEquals(1, verdict().needless());
  }

  @Test
  void whatCommitsAfterARefusalDoesNotExcuseIt() {
    refused(2, Map.of(X, 0L, Y, 0L), Y).ran(1, Map.of(X, 0L, Y, 0L), X);
    assertEquals(1, verdict().needless());
  }

  @Test
  void aRefusedReaderClosesTheReadOnlyAnomaly() {
    ran(1, Map.of(X, 0L, Y, 0L), Y).ran(2, Map.of(X, 0L), X).refused(3, Map.of(X, 2L, Y, 0L));
    assertEquals(0, verdict().needless());
  }
}
