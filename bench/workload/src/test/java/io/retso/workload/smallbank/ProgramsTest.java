package io.retso.workload.smallbank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.RefusedException;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.smallbank.Programs.Call;
import io.retso.workload.store.OracleAlone;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What the five programs do, whatever the strategy adds to them. */
@Timeout(60)
class ProgramsTest {
  private static final long OPENING = SmallBank.OPENING_BALANCE;
  private static final Mix MIX = new Mix(4, 2, 20);

  /** What only PostgreSQL has. */
  private static final String BEYOND = "READ_COMMITTED";

  private OracleAlone alone;
  private Store store;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    store = alone.store();
    store.create(Accounts.TABLES);
    new SmallBank(MIX, Strategy.SI).load(store);
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  private boolean run(Call program) throws IOException {
    try (StoreTransaction tx = store.begin(program.options())) {
      if (!program.run(tx)) {
        return false;
      }
      tx.commit();
    }
    program.committed();
    return true;
  }

  private long at(String table, int customer) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      return Numbers.number(tx.get(Accounts.row(table, customer)));
    }
  }

  private void assertMoney(long savings, long checking, int customer) throws IOException {
    assertEquals(savings, at(Accounts.SAVINGS, customer), "savings");
    assertEquals(checking, at(Accounts.CHECKING, customer), "checking");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.MATCH_NONE, names = BEYOND)
  void programsDoWhatTheySay(Strategy strategy) throws IOException {
    Programs programs = new Programs(strategy);
    Call balance = programs.balance("name000001");
    assertTrue(run(balance));
    assertEquals(2 * OPENING, balance.found());
    assertTrue(run(programs.depositChecking("name000001", 7)));
    assertMoney(OPENING, OPENING + 7, 1);
    assertTrue(run(programs.transactSaving("name000001", -5)));
    assertMoney(OPENING - 5, OPENING + 7, 1);
    assertTrue(run(programs.writeCheck("name000001", 10)));
    assertMoney(OPENING - 5, OPENING - 3, 1);
    assertEquals(7 - 5 - 10, programs.journal());
    assertTrue(run(programs.amalgamate("name000001", "name000002")));
    assertMoney(0, 0, 1);
    assertMoney(OPENING, OPENING + 2 * OPENING - 8, 2);
    assertEquals(7 - 5 - 10, programs.journal());
  }

  @Test
  void anOverdraftCostsOneMore() throws IOException {
    Programs programs = new Programs(Strategy.SI);
    assertTrue(run(programs.writeCheck("name000001", 2 * OPENING)));
    assertMoney(OPENING, -OPENING, 1);
    assertTrue(run(programs.writeCheck("name000001", 1)));
    assertMoney(OPENING, -OPENING - 2, 1);
    assertEquals(-2 * OPENING - 2, programs.journal());
  }

  @Test
  void programsTakeThemselvesBack() throws IOException {
    Programs programs = new Programs(Strategy.MATERIALIZE_ALL);
    assertFalse(run(programs.depositChecking("name000001", -1)));
    assertFalse(run(programs.transactSaving("name000001", -OPENING - 1)));
    assertFalse(run(programs.balance("nobody")));
    assertFalse(run(programs.amalgamate("name000001", "nobody")));
    assertMoney(OPENING, OPENING, 1);
    assertEquals(0, programs.journal());
  }

  /**
   * The paper's anomaly: WC does not see what TS takes, so no penalty is due; Bal sees TS, and not
   * WC.
   */
  private void interleave(Strategy strategy) throws IOException {
    Programs programs = new Programs(strategy);
    Call check = programs.writeCheck("name000001", 2 * OPENING - 1);
    Call balance = programs.balance("name000001");
    try (StoreTransaction wc = store.begin(check.options())) {
      assertTrue(check.run(wc));
      assertTrue(run(programs.transactSaving("name000001", -2)));
      assertTrue(run(balance));
      wc.commit();
    }
    assertEquals(2 * OPENING - 2, balance.found());
    assertMoney(OPENING - 2, 1 - OPENING, 1);
  }

  @Test
  void theAnomalyHappensUnderSnapshotIsolation() throws IOException {
    interleave(Strategy.SI);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.MATCH_NONE, names = BEYOND + "|SI")
  void theAnomalyIsRefusedByEveryStrategy(Strategy strategy) {
    assertThrows(RefusedException.class, () -> interleave(strategy));
  }

  @Test
  void onlyBalanceIsReadOnlyAndOnlyIfItStaysSo() {
    assertTrue(Strategy.SI.isReadOnly(Kind.BAL));
    assertTrue(Strategy.VALIDATE_WT.isReadOnly(Kind.BAL));
    assertTrue(Strategy.SERIALIZABLE.isReadOnly(Kind.BAL));
    assertFalse(Strategy.PROMOTE_BW_SFU.isReadOnly(Kind.BAL));
    assertFalse(Strategy.PROMOTE_ALL.isReadOnly(Kind.BAL));
    assertFalse(Strategy.MATERIALIZE_BW.isReadOnly(Kind.BAL));
    assertFalse(Strategy.SI.isReadOnly(Kind.DC));
  }
}
