package io.retso.verify.check;

import static io.retso.verify.check.Txn.history;
import static io.retso.verify.check.Txn.ok;
import static io.retso.verify.history.Step.append;
import static io.retso.verify.history.Step.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.Event;
import io.retso.verify.history.Isolation;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What serializable transactions must not see, beside others of snapshot isolation. */
class SerializableHistoriesTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 20_221_123);

  private static final Isolation SNAPSHOT = Isolation.SNAPSHOT;
  private static final Isolation SERIALIZABLE = Isolation.SERIALIZABLE;
  private static final Isolation RECENT = Isolation.RECENT;

  /** Judged as its transactions were promised; the naive oracle agrees. */
  private static Verdict check(Txn... transactions) {
    Verdict verdict = Checker.check(history(transactions), Model.AS_PROMISED);
    assertEquals(
        NaiveOracle.explains(history(transactions), Model.AS_PROMISED),
        verdict.isConsistent(),
        () -> "" + verdict.anomalies());
    return verdict;
  }

  private static void consistent(Txn... transactions) {
    Verdict verdict = check(transactions);
    assertTrue(verdict.isConsistent(), () -> "" + verdict.anomalies());
  }

  private static void only(AnomalyKind kind, Txn... transactions) {
    assertEquals(Map.of(kind, 1), check(transactions).anomalyCounts());
  }

  /** Each of two doctors saw the other one on call; what became of it is read at the end. */
  private static Txn[] writeSkew(Isolation first, Isolation second) {
    return new Txn[] {
      ok(0, 3, read(1), read(2), append(1, 5)).as(first),
      ok(1, 2, read(1), read(2), append(2, 6)).as(second),
      ok(4, 5, read(1, 5), read(2, 6))
    };
  }

  @Test
  void writeSkewNeedsTwoThatAreNotBothSerializable() {
    only(AnomalyKind.G2_ITEM, writeSkew(SERIALIZABLE, SERIALIZABLE));
    consistent(writeSkew(SERIALIZABLE, SNAPSHOT));
    consistent(writeSkew(SNAPSHOT, SERIALIZABLE));
    consistent(writeSkew(SNAPSHOT, SNAPSHOT));
  }

  /** Neither writes what the other one has read by key: what it did not find counts. */
  @Test
  void phantomsAreReadsOfEmptyLists() {
    only(
        AnomalyKind.G2_ITEM,
        ok(0, 3, read(1), read(2), read(3), append(3, 5)).as(SERIALIZABLE),
        ok(1, 2, read(1), read(2), read(3), append(2, 6)).as(SERIALIZABLE),
        ok(4, 5, read(1), read(2, 6), read(3, 5)));
  }

  /** Fekete, O'Neil, O'Neil (2004): withdrawal, deposit, and a reader that sees one of them. */
  private static Txn[] readOnlyAnomaly(Isolation writers, Isolation reader) {
    return new Txn[] {
      ok(0, 7, read(1), read(2), append(1, 11)).as(writers), // the withdrawal with its penalty
      ok(1, 2, append(2, 20)).as(writers), // the deposit
      ok(3, 4, read(1), read(2, 20)).as(reader),
      ok(8, 9, read(1, 11), read(2, 20))
    };
  }

  @Test
  void theAnomalyOfAReaderOnly() {
    only(AnomalyKind.G2_ITEM, readOnlyAnomaly(SERIALIZABLE, SERIALIZABLE));
    only(AnomalyKind.G2_ITEM, readOnlyAnomaly(SERIALIZABLE, RECENT));
    consistent(readOnlyAnomaly(SERIALIZABLE, SNAPSHOT)); // what it read was not certified
  }

  /** A serializable reader finds the order of writers of snapshot isolation. */
  @Test
  void writesOfTheOthersHaveTheirPlace() {
    consistent(
        ok(0, 7, read(1), read(2), append(1, 11)),
        ok(1, 2, append(2, 20)),
        ok(3, 4, read(1), read(2, 20)).as(SERIALIZABLE),
        ok(8, 9, read(1, 11), read(2, 20)));
    only(
        AnomalyKind.G2_ITEM,
        ok(0, 7, read(1), read(2), append(1, 11)).as(SERIALIZABLE),
        ok(1, 2, append(2, 20)),
        ok(3, 4, read(1), read(2, 20)).as(SERIALIZABLE),
        ok(8, 9, read(1, 11), read(2, 20)));
  }

  @Test
  void realTimeCountsForAllButReadersOfRecentSnapshots() {
    only(
        AnomalyKind.G_SINGLE_REALTIME,
        ok(0, 1, append(1, 5)).as(SERIALIZABLE),
        ok(2, 3, read(1)).as(SERIALIZABLE),
        ok(4, 5, read(1, 5)));
    for (Isolation strict : List.of(Isolation.DEFERRED, Isolation.LATEST)) {
      only(
          AnomalyKind.G_SINGLE_REALTIME,
          ok(0, 1, append(1, 5)).as(SERIALIZABLE),
          ok(2, 3, read(1)).as(strict),
          ok(4, 5, read(1, 5)));
    }
    consistent(
        ok(0, 1, append(1, 5)).as(SERIALIZABLE).at(1, 2),
        ok(2, 3, read(1)).as(RECENT).at(1, -1),
        ok(4, 5, read(1, 5)).at(3, -1));
    only(
        AnomalyKind.G_SINGLE,
        ok(0, 1, append(1, 5), append(2, 6)).as(SERIALIZABLE),
        ok(2, 3, read(1), read(2, 6)).as(RECENT),
        ok(4, 5, read(1, 5), read(2, 6)));
  }

  /** What completed before others began is in their past, though its snapshot is old. */
  @Test
  void aRecentSnapshotIsNotFromTheFuture() {
    only(
        AnomalyKind.G1C_REALTIME,
        ok(0, 1, read(1, 5)).as(RECENT),
        ok(2, 3, append(1, 5)).as(SERIALIZABLE),
        ok(4, 5, read(1, 5)));
  }

  /** A last read that may be stale shows no loss. */
  @Test
  void aStaleLastReadIsNotTheLast() {
    Verdict verdict =
        check(
            ok(0, 1, append(1, 5)).as(SERIALIZABLE),
            ok(2, 3, read(1, 5)).as(SERIALIZABLE),
            ok(4, 5, read(1)).as(RECENT));
    assertTrue(verdict.isConsistent(), () -> "" + verdict.anomalies());
    assertEquals(List.of(), verdict.withoutLastRead());
  }

  @Test
  void theModelOfAHistoryIsWhatWasPromised() {
    Txn snapshot = ok(0, 1, append(1, 5));
    Txn serializable = ok(2, 3, read(1, 5)).as(SERIALIZABLE);
    assertEquals(Model.STRONG_SNAPSHOT_ISOLATION, Model.of(history(snapshot)));
    assertEquals(Model.AS_PROMISED, Model.of(history(snapshot, serializable)));
    assertEquals(Model.STRICT_SERIALIZABILITY, Model.of(history(serializable)));
  }

  /** A store that certifies the reads of some of its transactions. */
  @Test
  void aCorrectStorePasses() {
    for (int percent : new int[] {10, 60, 100}) {
      List<Event> events = SimulatedStore.run(new Random(SEED), 5_000, 40, percent);
      Verdict verdict = Checker.check(history(events, 0), Model.AS_PROMISED);
      assertTrue(verdict.isConsistent(), () -> "seed " + SEED + verdict.anomalies());
      assertEquals(List.of(), verdict.withoutLastRead());
      assertTrue(verdict.unknownSeen() > 20, "seen: " + verdict.unknownSeen());
      assertEquals(percent == 100, verdict.unserializable() == 0, "seed " + SEED);
    }
  }

  /** One that promises what it does not keep is found out. */
  @Test
  void aStoreThatCertifiesNothingIsFoundOut() {
    List<Event> promised =
        SimulatedStore.run(new Random(SEED), 2_000, 20).stream()
            .map(SerializableHistoriesTest::serializable)
            .toList();
    Verdict verdict = Checker.check(history(promised, 0), Model.AS_PROMISED);
    assertTrue(verdict.anomalyCounts().containsKey(AnomalyKind.G2_ITEM), () -> "seed " + SEED);
  }

  private static Event serializable(Event event) {
    return new Event(
        event.index(),
        event.timeNanos(),
        event.type(),
        event.process(),
        SERIALIZABLE,
        event.steps(),
        event.timestamps(),
        event.error());
  }
}
