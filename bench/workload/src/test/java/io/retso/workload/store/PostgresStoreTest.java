package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.cluster.LocalPostgres;
import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.bank.Bank;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.rubis.Rubis;
import io.retso.workload.sibench.Sibench;
import io.retso.workload.smallbank.SmallBank;
import io.retso.workload.smallbank.Strategy;
import io.retso.workload.tpcc.Mix;
import io.retso.workload.tpcc.Scale;
import io.retso.workload.tpcc.Tpcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL's three levels, of a server of its own; skipped where none is installed. */
@Timeout(120)
class PostgresStoreTest {
  private static final String TABLE = "levels";
  private static final Row X = new Row(TABLE, "x");
  private static final Row Y = new Row(TABLE, "y");
  private static final byte[] ONE = {1};
  private static final byte[] TWO = {2};

  @TempDir static Path directory;

  private static LocalPostgres server;
  private static PostgresStore store;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(LocalPostgres.programs().isPresent(), LocalPostgres.NOT_INSTALLED);
    // Another user than root must be able to enter it.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    server = LocalPostgres.in(directory.resolve("postgresql"));
    store = new PostgresStore(server.url());
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      store.close();
      Set<ProcessHandle> all =
          server.process().descendants().collect(Collectors.toUnmodifiableSet());
      assertFalse(all.isEmpty());
      server.close();
      assertEquals(List.of(), all.stream().filter(ProcessHandle::isAlive).toList());
    }
  }

  @BeforeEach
  void fill() throws IOException {
    store.create(List.of(TABLE));
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.put(X, ONE);
      tx.put(Y, ONE);
      tx.commit();
    }
  }

  private static Options level(Isolation isolation) {
    return new Options("test", isolation, false);
  }

  /** Both read both rows, and each writes another one; null if both commit. */
  private static Reason writeSkew(Isolation isolation) throws IOException {
    try (StoreTransaction a = store.begin(level(isolation));
        StoreTransaction b = store.begin(level(isolation))) {
      for (StoreTransaction tx : List.of(a, b)) {
        tx.get(X);
        tx.get(Y);
      }
      a.put(X, TWO);
      b.put(Y, TWO);
      a.commit();
      b.commit();
      return null;
    } catch (RefusedException e) {
      return e.reason();
    }
  }

  @Test
  void onlySerializableRefusesWriteSkew() throws IOException {
    assertEquals(null, writeSkew(Isolation.READ_COMMITTED));
    assertEquals(null, writeSkew(Isolation.SNAPSHOT));
    assertEquals(Reason.DANGEROUS, writeSkew(Isolation.SERIALIZABLE));
  }

  @Test
  void snapshotsRefuseASecondWriterAndReadCommittedDoesNot() throws IOException {
    for (Isolation isolation : List.of(Isolation.SNAPSHOT, Isolation.READ_COMMITTED)) {
      try (StoreTransaction late = store.begin(level(isolation))) {
        late.get(X);
        try (StoreTransaction other = store.begin(level(isolation))) {
          other.put(X, TWO);
          other.commit();
        }
        if (isolation == Isolation.READ_COMMITTED) {
          late.put(X, ONE);
          late.commit();
        } else {
          RefusedException refused = assertThrows(RefusedException.class, () -> late.put(X, ONE));
          assertEquals(Reason.CONFLICT, refused.reason());
        }
      }
    }
  }

  @Test
  void aDeferredReaderReads() throws IOException {
    for (int i = 0; i < 2; i++) {
      try (StoreTransaction tx =
          store.begin(new Options("deferred", Isolation.SERIALIZABLE, true, true))) {
        assertArrayEquals(ONE, tx.get(X));
        tx.commit();
      }
    }
  }

  @Test
  void whatIsCommittedIsForcedToTheDisk() throws IOException {
    Map<String, String> facts = store.facts();
    assertEquals("on", facts.get("fsync"));
    assertEquals("on", facts.get("synchronous_commit"));
  }

  @Test
  void rangesHaveTheirRows() throws IOException {
    Ranges.check(store, TABLE, "ranges-");
    store.create(List.of(TABLE));
    Ranges.check(new RecordedStore(store, 0), TABLE, "ranges-");
  }

  /** Its check of ranges is its own: that it has one is what the programs rely on. */
  @Test
  void onlySerializableRefusesWriteSkewThroughEmptyRanges() throws IOException {
    for (Isolation isolation : List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)) {
      try (StoreTransaction a = store.begin(level(isolation));
          StoreTransaction b = store.begin(level(isolation))) {
        a.scan(Range.prefix(TABLE, "a"), 1, (key, value) -> {});
        b.scan(Range.prefix(TABLE, "b"), 1, (key, value) -> {});
        a.insert(new Row(TABLE, "b" + isolation), ONE);
        b.insert(new Row(TABLE, "a" + isolation), ONE);
        a.commit();
        if (isolation == Isolation.SNAPSHOT) {
          b.commit();
          store.create(List.of(TABLE)); // empty again
        } else {
          assertEquals(Reason.DANGEROUS, assertThrows(RefusedException.class, b::commit).reason());
        }
      }
    }
  }

  /** TPC-C with Credit Check: its conditions hold, and if asked for there is a serial order. */
  @Test
  void creditsAreCheckedAtBothLevels() throws Exception {
    Tpcc workload = new Tpcc(new Scale(1, 2, 6, 100), Isolation.SNAPSHOT, Mix.STANDARD);
    RecordedStore recorded = new RecordedStore(store, 100_000);
    recorded.create(workload.schema());
    for (Isolation isolation : List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)) {
      Tpcc at = workload.with(isolation, Mix.STANDARD);
      at.load(recorded);
      recorded.history();
      Loads.untilCommitted(100, at, recorded, 4, 1);
      assertEquals("", at.check(recorded));
      Verdict verdict = SerialCheck.check(recorded.history());
      assertTrue(isolation == Isolation.SNAPSHOT || verdict.isSerializable(), verdict.toString());
    }
  }

  @Test
  void auctionsAgreeAtBothLevels() throws Exception {
    Rubis workload =
        new Rubis(new io.retso.workload.rubis.Scale(10, 5, 10, 2, 2), Isolation.SNAPSHOT);
    RecordedStore recorded = new RecordedStore(store, 100_000);
    recorded.create(workload.schema());
    workload.load(recorded);
    recorded.history();
    for (Isolation isolation : List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)) {
      Rubis at = workload.at(isolation);
      Loads.untilCommitted(200, at, recorded, 4, 1);
      assertEquals("", at.check(recorded));
      Verdict verdict = SerialCheck.check(recorded.history());
      assertTrue(isolation == Isolation.SNAPSHOT || verdict.isSerializable(), verdict.toString());
    }
  }

  @Test
  void aSettingIsThatOfAllConnections() throws IOException {
    assertThrows(IllegalStateException.class, () -> store.set("enable_seqscan", "off"));
    try (PostgresStore other = new PostgresStore(server.url())) {
      other.set("enable_seqscan", "off");
      assertEquals("off", other.facts().get("enable_seqscan"));
    }
  }

  private static Verdict run(Strategy strategy) throws Exception {
    SmallBank bank = new SmallBank(new io.retso.workload.smallbank.Mix(20, 4, 20), strategy);
    RecordedStore recorded = new RecordedStore(store, 100_000);
    recorded.create(bank.schema());
    bank.load(recorded);
    recorded.history(); // not that of the load
    Loads.untilCommitted(100, bank, recorded, 8, 1);
    if (strategy != Strategy.READ_COMMITTED) {
      assertEquals("", bank.check(recorded));
    }
    return SerialCheck.check(recorded.history());
  }

  @Test
  void smallBankRunsAtEveryLevel() throws Exception {
    for (Strategy strategy :
        List.of(Strategy.READ_COMMITTED, Strategy.SI, Strategy.MATERIALIZE_WT)) {
      run(strategy);
    }
    Verdict verdict = run(Strategy.SERIALIZABLE);
    assertTrue(verdict.isSerializable(), verdict.toString());
  }

  @Test
  void theMoneyOfTheBankAddsUp() throws Exception {
    Bank bank = new Bank("teller", 20, Isolation.SNAPSHOT);
    store.create(bank.schema());
    bank.load(store);
    Loads.untilCommitted(100, bank, store, 4, 1);
    assertEquals(bank.total(), bank.audit(store));
    assertEquals("", bank.check(store));
  }

  @Test
  void sibenchLosesNoUpdates() throws Exception {
    Sibench workload = new Sibench(10, Isolation.SERIALIZABLE);
    store.create(workload.schema());
    workload.load(store);
    Loads.untilCommitted(100, workload, store, 4, 1);
    assertEquals("", workload.check(store));
  }
}
