package io.retso.verify.check;

import static io.retso.verify.check.Txn.fail;
import static io.retso.verify.check.Txn.history;
import static io.retso.verify.check.Txn.info;
import static io.retso.verify.check.Txn.ok;
import static io.retso.verify.history.Step.append;
import static io.retso.verify.history.Step.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.History;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Histories written by hand: one for each anomaly that has a name, and some that are allowed. */
class NamedAnomaliesTest {
  private static Verdict check(Txn... transactions) {
    return Checker.check(history(transactions), Model.STRONG_SNAPSHOT_ISOLATION);
  }

  /** Exactly one anomaly, and the naive oracle agrees that the history is not consistent. */
  private static String only(AnomalyKind kind, Txn... transactions) {
    Verdict verdict = check(transactions);
    assertEquals(Map.of(kind, 1), verdict.anomalyCounts(), () -> "" + verdict.anomalies());
    assertFalse(NaiveOracle.explains(history(transactions), Model.STRONG_SNAPSHOT_ISOLATION));
    return verdict.anomalies().get(0).explanation();
  }

  private static void has(AnomalyKind kind, Txn... transactions) {
    Verdict verdict = check(transactions);
    assertTrue(verdict.anomalyCounts().containsKey(kind), () -> "" + verdict.anomalies());
    assertFalse(NaiveOracle.explains(history(transactions), Model.STRONG_SNAPSHOT_ISOLATION));
  }

  private static Verdict consistent(Txn... transactions) {
    Verdict verdict = check(transactions);
    assertTrue(verdict.isConsistent(), () -> "" + verdict.anomalies());
    assertTrue(NaiveOracle.explains(history(transactions), Model.STRONG_SNAPSHOT_ISOLATION));
    return verdict;
  }

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  @Test
  void transactionsReadTheirOwnAppends() {
    consistent(ok(0, 1, append(1, 1), read(1, 1), append(1, 2), read(1, 1, 2)));
    String text = only(AnomalyKind.INTERNAL, ok(0, 1, append(1, 1), read(1)));
    assertContains("T0: read k1 = [] should end with its own appends [1]", text);
    only(AnomalyKind.INTERNAL, ok(0, 1, read(1, 1), append(1, 1)));
  }

  /** P2 of Berenson et al., non-repeatable read. */
  @Test
  void readsAreRepeatable() {
    has(AnomalyKind.INTERNAL, ok(0, 3, read(1), read(1, 5)), ok(1, 2, append(1, 5)));
  }

  /** P1 of Berenson et al., dirty read. */
  @Test
  void g1aAbortedRead() {
    String text = only(AnomalyKind.ABORTED_READ, fail(0, 1, append(1, 5)), ok(2, 3, read(1, 5)));
    assertContains("k1: T1 read value 5, appended by T0, which failed", text);
  }

  @Test
  void g1bIntermediateRead() {
    has(
        AnomalyKind.INTERMEDIATE_READ,
        ok(0, 3, append(1, 1), append(1, 2)),
        ok(1, 2, read(1, 1)),
        ok(4, 5, read(1, 1, 2)));
  }

  @Test
  void garbageAndDuplicates() {
    only(AnomalyKind.GARBAGE_READ, ok(0, 1, read(1, 5)));
    only(AnomalyKind.GARBAGE_READ, ok(0, 1, append(2, 5)), ok(2, 3, read(1, 5), read(2, 5)));
    only(AnomalyKind.DUPLICATE, ok(0, 1, append(1, 5)), ok(2, 3, read(1, 5, 5)));
  }

  @Test
  void incompatibleOrders() {
    String text =
        only(
            AnomalyKind.INCOMPATIBLE_ORDER,
            ok(0, 4, append(1, 1)),
            ok(1, 5, append(1, 2)),
            ok(2, 6, read(1, 1, 2)),
            ok(3, 7, read(1, 2, 1)));
    assertContains("T3 read [2 1], but T2 read [1 2]: they differ from place 1 on", text);
    only(
        AnomalyKind.INCOMPATIBLE_ORDER,
        ok(0, 1, append(1, 1), append(1, 2), append(1, 3)),
        ok(2, 3, read(1, 2, 1, 3)));
  }

  @Test
  void lostAppend() {
    String text =
        only(
            AnomalyKind.LOST_APPEND,
            ok(0, 1, append(1, 1)),
            ok(2, 3, append(1, 2)),
            ok(4, 5, read(1, 2)));
    assertContains("k1: T0 appended 1", text);
    assertContains("the last read of the key, by T2, lacks it", text);
    has(AnomalyKind.LOST_APPEND, ok(0, 1, append(1, 1)), ok(2, 3, read(1, 1)), ok(4, 5, read(1)));
  }

  @Test
  void missingLastReadsAreTold() {
    assertEquals(List.of(1L), consistent(ok(0, 1, append(1, 1))).withoutLastRead());
    assertEquals(
        List.of(1L), consistent(ok(0, 2, append(1, 1)), ok(1, 3, read(1))).withoutLastRead());
    assertEquals(
        List.of(), consistent(ok(0, 1, append(1, 1)), ok(2, 3, read(1, 1))).withoutLastRead());
  }

  /** P0 of Berenson et al., dirty write. */
  @Test
  void g0WriteCycle() {
    String text =
        only(
            AnomalyKind.G0,
            ok(0, 2, append(1, 1), append(2, 1)),
            ok(1, 3, append(1, 2), append(2, 2)),
            ok(4, 5, read(1, 1, 2), read(2, 2, 1)));
    assertContains("T0 -ww(k1)-> T1 -ww(k2)-> T0", text);
    only(
        AnomalyKind.G0_REALTIME,
        ok(0, 1, append(1, 1)),
        ok(2, 3, append(1, 2)),
        ok(4, 5, read(1, 2, 1)));
  }

  @Test
  void g1cCircularInformationFlow() {
    only(
        AnomalyKind.G1C,
        ok(0, 2, append(1, 1), read(2, 2)),
        ok(1, 3, append(2, 2), read(1, 1)),
        ok(4, 5, read(1, 1), read(2, 2)));
    only(AnomalyKind.G1C_REALTIME, ok(0, 1, read(1, 1)), ok(2, 3, append(1, 1)));
  }

  /** P4 of Berenson et al. */
  @Test
  void lostUpdate() {
    String text =
        only(
            AnomalyKind.G_SINGLE,
            ok(0, 2, read(1), append(1, 1)),
            ok(1, 3, read(1), append(1, 2)),
            ok(4, 5, read(1, 1, 2)));
    assertContains("(lost update)", text);
    assertContains("T1 -rw(k1)-> T0", text);
    assertContains("T1 read k1 without the append [1]", text);
    only(AnomalyKind.G_SINGLE, ok(0, 2, read(1), append(1, 1)), ok(1, 3, read(1), append(1, 2)));
  }

  /** A5A of Berenson et al. */
  @Test
  void readSkew() {
    String text =
        only(
            AnomalyKind.G_SINGLE,
            ok(0, 2, append(1, 1), append(2, 1)),
            ok(1, 3, read(1, 1), read(2)),
            ok(4, 5, read(1, 1), read(2, 1)));
    assertContains("(fractured read, or read skew)", text);
    assertContains("T0 -wr(k1)-> T1 -rw(k2)-> T0", text);
  }

  @Test
  void unknownTransactionsThatAreSeenCommittedAsAWhole() {
    consistent(info(0, 1, append(1, 1), append(2, 1)), ok(2, 3, read(1), read(2)));
    consistent(
        info(0, 1, append(1, 1), append(2, 1)),
        ok(2, 3, read(1), read(2)),
        ok(4, 5, read(1, 1), read(2, 1)));
    only(
        AnomalyKind.G_SINGLE,
        info(0, 1, append(1, 1), append(2, 1)),
        ok(2, 3, read(1, 1), read(2)));
    only(
        AnomalyKind.G_SINGLE_REALTIME,
        info(0, 1, append(1, 1)),
        ok(2, 3, read(1, 1)),
        ok(4, 5, read(1)),
        ok(6, 7, read(1, 1)));
    // Seen by one that is itself known only because it was seen.
    has(
        AnomalyKind.G_SINGLE,
        info(0, 1, append(1, 1), append(2, 1)),
        info(2, 3, read(1, 1), append(3, 1)),
        ok(4, 5, read(3, 1), read(2)));
  }

  @Test
  void staleRead() {
    String text =
        only(
            AnomalyKind.G_SINGLE_REALTIME,
            ok(0, 1, append(1, 1)),
            ok(2, 3, read(1)),
            ok(4, 5, read(1, 1)));
    assertContains("(stale read)", text);
    assertContains("T0 completed (index 1) before T1 was invoked (index 2)", text);
  }

  /** Allowed by parallel snapshot isolation, not by snapshot isolation. */
  @Test
  void longFork() {
    String text =
        only(
            AnomalyKind.G_NONADJACENT,
            ok(0, 10, append(1, 1)),
            ok(1, 11, append(2, 2)),
            ok(2, 12, read(1, 1), read(2)),
            ok(3, 13, read(1), read(2, 2)),
            ok(14, 15, read(1, 1), read(2, 2)));
    assertContains("(long fork)", text);
  }

  @Test
  void longForkInRealTime() {
    only(
        AnomalyKind.G_NONADJACENT_REALTIME,
        ok(0, 4, append(1, 1)),
        ok(1, 10, append(2, 2)),
        ok(2, 11, read(1), read(2, 2)),
        ok(5, 12, read(2)),
        ok(14, 15, read(1, 1), read(2, 2)));
  }

  /** A5B of Berenson et al.; G2-item of Adya. */
  @Test
  void writeSkewIsAllowedAndCounted() {
    Txn[] transactions = {
      ok(0, 2, read(1), append(2, 1)),
      ok(1, 3, read(2), append(1, 1)),
      ok(4, 5, read(1, 1), read(2, 1))
    };
    Verdict verdict = consistent(transactions);
    assertEquals(1, verdict.writeSkews());
    assertEquals(1, verdict.unserializable());
    Verdict serial = Checker.check(history(transactions), Model.STRICT_SERIALIZABILITY);
    assertEquals(Map.of(AnomalyKind.G2_ITEM, 1), serial.anomalyCounts());
    assertFalse(NaiveOracle.explains(history(transactions), Model.STRICT_SERIALIZABILITY));
  }

  /** Fekete, O'Neil and O'Neil, 2004. */
  @Test
  void theReadOnlyAnomalyIsAllowed() {
    Verdict verdict =
        consistent(
            ok(0, 9, read(1), read(2), append(1, 1)),
            ok(1, 2, read(2), append(2, 2)),
            ok(3, 4, read(1), read(2, 2)),
            ok(10, 11, read(1, 1), read(2, 2)));
    assertEquals(0, verdict.writeSkews());
    assertEquals(1, verdict.unserializable());
  }

  @Test
  void timestampsThatAgree() {
    consistent(
        ok(0, 1, append(1, 1)).at(10, 20),
        ok(2, 3, read(1, 1), append(1, 2)).at(30, 40),
        ok(4, 5, read(1, 1, 2)).at(50, -1));
  }

  private static void timestamp(String reason, Txn... transactions) {
    Verdict verdict = check(transactions);
    assertEquals(
        List.of(AnomalyKind.TIMESTAMP), List.copyOf(verdict.anomalyCounts().keySet()), reason);
    assertTrue(
        verdict.anomalies().stream().anyMatch(a -> a.explanation().contains(reason)),
        () -> "" + verdict.anomalies());
  }

  @Test
  void timestampsThatContradict() {
    timestamp("did not commit after its start", ok(0, 1, append(1, 1)).at(10, 10));
    timestamp(
        "k1: T0 was read, but had not committed when the reader started (T1)",
        ok(0, 2, append(1, 1)).at(10, 20),
        ok(1, 3, read(1, 1)).at(15, -1));
    timestamp(
        "k1: T1 read a version that was replaced before it started (T0)",
        ok(0, 2, append(1, 1)).at(10, 20),
        ok(1, 3, read(1)).at(25, -1),
        ok(4, 5, read(1, 1)));
    timestamp(
        "overlaps with the next writer of the key, or has the wrong order",
        ok(0, 2, append(1, 1)).at(10, 20),
        ok(1, 3, append(1, 2)).at(15, 25),
        ok(4, 5, read(1, 1, 2)));
    timestamp(
        "T1 was invoked after T0 completed, but its snapshot is older",
        ok(0, 1, append(1, 1)).at(10, 20),
        ok(2, 3, append(2, 1)).at(5, 25));
  }

  @Test
  void anEmptyHistoryIsConsistent() {
    History nothing = new History.Builder().build();
    assertTrue(Checker.check(nothing, Model.STRONG_SNAPSHOT_ISOLATION).isConsistent());
  }
}
