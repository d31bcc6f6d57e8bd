package io.retso.workload.smallbank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Loads;
import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.store.OracleAlone;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class SmallBankTest {
  private static final Mix HOT = new Mix(100, 4, 60);
  private static final int CLIENTS = 12;
  private static final int KEPT = 200_000;

  private OracleAlone alone;
  private RecordedStore store;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    store = new RecordedStore(alone.store(), KEPT);
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  private Verdict run(SmallBank bank, long seed) throws Exception {
    bank.load(store);
    store.history(); // not that of the load
    Loads.untilCommitted(500, bank, store, CLIENTS, seed);
    Verdict verdict = SerialCheck.check(store.history());
    assertEquals("", bank.check(store));
    return verdict;
  }

  @Test
  void snapshotIsolationHasAnomalies() throws Exception {
    store.create(Accounts.TABLES);
    long seed = 1;
    Verdict verdict = run(new SmallBank(HOT, Strategy.SI), seed);
    while (verdict.groups() == 0) {
      System.out.println("no anomaly with seed " + seed);
      verdict = run(new SmallBank(HOT, Strategy.SI), ++seed);
    }
    assertEquals(0, verdict.unknownWriters());
    assertTrue(verdict.example().contains("-rw-> "), verdict.toString());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "SI|READ_COMMITTED")
  void strategiesHaveNone(Strategy strategy) throws Exception {
    store.create(Accounts.TABLES);
    Verdict verdict = run(new SmallBank(HOT, strategy), 1);
    assertTrue(verdict.isSerializable(), verdict.toString());
    assertEquals(0, verdict.unrecorded());
  }

  @Test
  void moneyThatNobodyBroughtIsFound() throws Exception {
    store.create(Accounts.TABLES);
    SmallBank bank = new SmallBank(HOT, Strategy.SI);
    bank.load(store);
    assertEquals("", bank.check(store));
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.put(Accounts.row(Accounts.SAVINGS, 50), Numbers.bytes(SmallBank.OPENING_BALANCE + 1));
      tx.commit();
    }
    assertNotEquals("", bank.check(store));
  }

  @Test
  void theMixIsThatOfThePaper() {
    SplittableRandom random = new SplittableRandom(5);
    Mix mix = new Mix(Mix.CUSTOMERS, 10, 60);
    Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    int hot = 0;
    for (int i = 0; i < 10_000; i++) {
      kinds.merge(mix.kind(random), 1, Integer::sum);
      boolean isHot = mix.isHot(random);
      int customer = mix.customer(isHot, random);
      assertEquals(isHot, customer < 10);
      assertTrue(customer < Mix.CUSTOMERS);
      hot += isHot ? 1 : 0;
    }
    assertEquals(6_000, kinds.get(Kind.BAL), 300);
    assertEquals(1_000, kinds.get(Kind.AMG), 150);
    assertEquals(9_000, hot, 200);
  }
}
