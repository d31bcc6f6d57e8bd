package io.retso.workload.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.FlawedStore;
import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Row;
import io.retso.workload.store.OracleAlone;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check finds one thing that a store has done wrong, whatever it is, and says which. */
@Timeout(120)
class InjectedTpccBugsTest {
  private static final int PROGRAMS = 60;

  /** What goes wrong, once, and what the check calls it. */
  private enum Flaw {
    NONE(""),
    /** The next number of a district is not written: the next order has the same one. */
    LOST_ORDER_NUMBER("condition 2: last order"),
    TORN_ORDER("condition 4: lines"),
    SKIPPED_HISTORY("condition 1: paid"),
    LOST_PAYMENT("condition 1: paid"),
    LOST_NEW_ORDER("condition 3: new orders|condition 2: last new order"),
    /** Half of a delivery: the order is still to be delivered. */
    KEPT_NEW_ORDER("new orders of customers"),
    LOST_DELIVERY("owed and paid"),
    LOST_STOCK("pieces sold"),
    /** A transaction that leaves nothing, though it was acknowledged. */
    LOST_TRANSACTION("beside the committed programs");

    private final String finding;

    Flaw(String finding) {
      this.finding = finding;
    }

    /** Whether a write is to be left out. */
    boolean isAt(String program, Row row, boolean isDelete) {
      return switch (this) {
        case NONE -> false;
        case LOST_ORDER_NUMBER -> row.table().equals(Tables.DISTRICT);
        case TORN_ORDER -> program.equals("NewOrder") && row.table().equals(Tables.LINE);
        case SKIPPED_HISTORY -> row.table().equals(Tables.HISTORY);
        case LOST_PAYMENT -> program.equals("Payment") && row.table().equals(Tables.CUSTOMER);
        case LOST_NEW_ORDER -> program.equals("NewOrder") && row.table().equals(Tables.NEW_ORDER);
        case KEPT_NEW_ORDER -> isDelete && row.table().equals(Tables.NEW_ORDER);
        case LOST_DELIVERY -> program.equals("Delivery") && row.table().equals(Tables.CUSTOMER);
        case LOST_STOCK -> row.table().equals(Tables.STOCK);
        case LOST_TRANSACTION -> program.equals("Payment");
      };
    }
  }

  /** One client, so that a flaw is found for what it is. */
  @ParameterizedTest
  @EnumSource(Flaw.class)
  void everyFlawIsFound(Flaw flaw) throws Exception {
    try (OracleAlone alone = new OracleAlone();
        FlawedStore store =
            new FlawedStore(alone.store(), flaw == Flaw.LOST_TRANSACTION, flaw::isAt)) {
      Tpcc workload = new Tpcc(new Scale(1, 2, 10, 100), Isolation.SNAPSHOT, Mix.STANDARD);
      store.create(workload.schema());
      workload.load(store);
      assertEquals("", workload.check(store));
      store.begin();
      SplittableRandom random = new SplittableRandom(3);
      for (Kind kind : Kind.values()) { // all of them, whatever comes next
        workload.program(kind, random).runOn(store);
      }
      if (flaw == Flaw.NONE) {
        Loads.untilCommitted(PROGRAMS, workload, store, 4, 1);
        assertEquals("", workload.check(store));
      } else {
        assertTrue(store.happened(), "the flaw did not happen");
        String found = workload.check(store);
        assertTrue(
            List.of(flaw.finding.split("\\|")).stream().anyMatch(found::contains),
            flaw + ": " + found);
      }
    }
  }
}
