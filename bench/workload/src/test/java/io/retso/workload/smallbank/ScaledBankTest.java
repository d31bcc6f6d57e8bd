package io.retso.workload.smallbank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.FlawedStore;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Loads;
import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.store.OracleAlone;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** BenchBase's SmallBank on a store in memory: random banks at both levels, and what is lost. */
@Timeout(120)
class ScaledBankTest {
  private static final int CLIENTS = 6;

  private OracleAlone alone;
  private Store store;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    store = alone.store();
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 12);
  }

  private static Isolation level(SplittableRandom random) {
    return random.nextBoolean() ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT;
  }

  private static ScaledBank loaded(Store store, int customers, Isolation isolation)
      throws IOException {
    ScaledBank bank = new ScaledBank(customers, isolation);
    store.create(bank.schema());
    bank.load(store);
    return bank;
  }

  /** Few customers, so that programs meet, in whatever way the threads are woken. */
  @ParameterizedTest
  @MethodSource("seeds")
  void moneyIsKeptAtBothLevels(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Isolation level = level(random);
    RecordedStore recorded = new RecordedStore(store, 100_000);
    ScaledBank bank = loaded(recorded, random.nextInt(2, 40), level);
    recorded.history(); // not that of the load
    LoadCounts counts = Loads.untilCommitted(200, bank, recorded, CLIENTS, seed);
    assertTrue(counts.attemptsByProgram().getOrDefault("SP", 0L) > 0);
    assertEquals("", bank.check(recorded));
    SerialCheck.Verdict verdict = SerialCheck.check(recorded.history());
    assertTrue(level == Isolation.SNAPSHOT || verdict.isSerializable(), verdict::toString);
  }

  /** Levels share the tables and what is known of them. */
  @ParameterizedTest
  @MethodSource("seeds")
  void oneClientLeavesWhatItsProgramsSay(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    ScaledBank bank = loaded(store, random.nextInt(2, 10), Isolation.SNAPSHOT);
    for (int i = 0; i < 40; i++) {
      bank.at(level(random)).next(random).runOn(store);
      store.awaitQuiet();
    }
    assertEquals("", bank.check(store));
    assertEquals("", bank.at(Isolation.SERIALIZABLE).check(store));
  }

  /** An update of an account gets lost, as a later one that has not seen it would do. */
  @ParameterizedTest
  @MethodSource("seeds")
  void theCheckFindsALostUpdate(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    String lost = random.nextBoolean() ? "bank5_savings" : "bank5_checking";
    FlawedStore flawed =
        new FlawedStore(store, false, (program, row, isDelete) -> row.table().equals(lost));
    ScaledBank bank = loaded(flawed, 5, level(random));
    flawed.begin();
    while (!flawed.happened()) {
      assertEquals("", bank.check(store));
      bank.next(random).runOn(flawed);
      store.awaitQuiet();
    }
    assertFalse(bank.check(store).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theMixIsThatOfBenchBase(long seed) {
    ScaledBank bank = new ScaledBank(2, Isolation.SNAPSHOT);
    SplittableRandom random = new SplittableRandom(seed);
    TreeMap<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < 10_000; i++) {
      counts.merge(bank.next(random).options().name(), 1, Integer::sum);
    }
    assertEquals(6, counts.size());
    counts.forEach((name, count) -> assertEquals(name.equals("SP") ? 2500 : 1500, count, 250));
  }

  @Test
  void paymentsMoveMoneyAndTakeThemselvesBackIfThereIsTooLittle() throws Exception {
    store.create(Accounts.TABLES);
    new SmallBank(new Mix(4, 2, 20), Strategy.SI).load(store);
    for (Strategy strategy : new Strategy[] {Strategy.SI, Strategy.MATERIALIZE_ALL}) {
      Programs programs = new Programs(strategy);
      long before = checking(0);
      assertTrue(programs.sendPayment("name000000", "name000001", 500).runOn(store));
      store.awaitQuiet();
      assertEquals(before - 500, checking(0));
      assertFalse(programs.sendPayment("name000000", "name000001", before).runOn(store));
      assertFalse(programs.sendPayment("name000000", "no customer", 1).runOn(store));
      assertFalse(programs.sendPayment("no customer", "name000001", 1).runOn(store));
      assertEquals(before - 500, checking(0));
      assertEquals(0, programs.journal());
    }
    assertNotEquals(SmallBank.OPENING_BALANCE, checking(1));
  }

  private long checking(int customer) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      return Numbers.number(tx.get(Accounts.row(Accounts.CHECKING, customer)));
    }
  }

  @Test
  void whatLosesUpdatesIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new ScaledBank(10, Isolation.READ_COMMITTED));
    assertThrows(IllegalArgumentException.class, () -> new ScaledBank(1, Isolation.SNAPSHOT));
  }
}
