package io.retso.workload.tpcb;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Loads;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.store.OracleAlone;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What TPC-B does to a store in memory: safe at both levels, and its check sees what is lost. */
@Timeout(120)
class TpcbTest {
  private OracleAlone alone;
  private RecordedStore store;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    store = new RecordedStore(alone.store(), 100_000);
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  private Tpcb loaded(int scale, Isolation isolation) throws IOException {
    Tpcb workload = new Tpcb(scale, 20, isolation);
    store.create(workload.schema());
    workload.load(store);
    store.history(); // not that of the load
    return workload;
  }

  @ParameterizedTest
  @CsvSource({"1, SNAPSHOT", "1, SERIALIZABLE", "5, SNAPSHOT", "5, SERIALIZABLE"})
  void itIsSafeAtBothLevels(int scale, Isolation isolation) throws Exception {
    Tpcb workload = loaded(scale, isolation);
    LoadCounts counts = Loads.untilCommitted(300, workload, store, 8, 7);
    assertEquals("", workload.check(store));
    Verdict verdict = SerialCheck.check(store.history());
    assertTrue(verdict.isSerializable(), verdict.toString());
    assertTrue(counts.attempts() >= counts.committed());
  }

  /** What is wrong with the tables of a run of one client. */
  private enum Flaw {
    NONE("", ""),
    LOST_UPDATE("account", "account: "),
    LOST_TELLER("teller", "teller: "),
    LOST_BRANCH("branch", "branch: "),
    LOST_HISTORY("history", "rows of history of");

    private final String table;
    private final String says;

    Flaw(String table, String says) {
      this.table = table;
      this.says = says;
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCheckFindsWhatIsLost(Flaw flaw) throws Exception {
    Tpcb workload = loaded(1, Isolation.SNAPSHOT);
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 20; i++) {
      workload.next(random).runOn(store);
    }
    if (flaw != Flaw.NONE) {
      undoOne("tpcb1_" + flaw.table);
    }
    String wrong = workload.check(store);
    assertEquals(flaw == Flaw.NONE, wrong.isEmpty(), wrong);
    assertTrue(wrong.contains(flaw.says), wrong);
  }

  /** Puts a row back to what it was when it was loaded; one of history was not there. */
  private void undoOne(String table) throws IOException {
    Row[] found = new Row[1];
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.scan(
          table,
          (key, value) -> {
            if (number(value) != 0) {
              found[0] = new Row(table, key);
            }
          });
      if (table.endsWith("history")) {
        tx.delete(found[0]);
      } else {
        tx.put(found[0], bytes(0));
      }
      tx.commit();
    }
  }

  @Test
  void levelsShareTheirTables() throws Exception {
    Tpcb workload = loaded(2, Isolation.SNAPSHOT);
    SplittableRandom random = new SplittableRandom(5);
    workload.next(random).runOn(store);
    workload.at(Isolation.SERIALIZABLE).next(random).runOn(store);
    assertEquals("", workload.check(store));
    assertEquals("", workload.at(Isolation.SERIALIZABLE).check(store));
  }
}
