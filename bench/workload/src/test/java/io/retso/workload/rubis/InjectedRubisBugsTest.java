package io.retso.workload.rubis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.FlawedStore;
import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Row;
import io.retso.workload.store.OracleAlone;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check finds one thing that a store has done wrong, whatever it is, and says which. */
@Timeout(120)
class InjectedRubisBugsTest {
  private static final int PROGRAMS = 60;

  /** What goes wrong, once, and what the check calls it. */
  private enum Flaw {
    NONE(Kind.BID, "", ""),
    LOST_BID(Kind.BID, Tables.CURRENT, "number of bids"),
    SKIPPED_BID(Kind.BID, Tables.BID, "number of bids"),
    LOST_SALE(Kind.BUY_NOW, Tables.ITEM, "pieces that are left"),
    SKIPPED_PURCHASE(Kind.BUY_NOW, Tables.PURCHASE, "pieces that are left"),
    /** An item that is sold out is still in a list. */
    KEPT_IN_CATEGORY(Kind.BUY_NOW, Tables.ITEM_OF_CATEGORY, "lists it is in"),
    TORN_CATEGORY(Kind.REGISTER_ITEM, Tables.ITEM_OF_CATEGORY, "lists it is in"),
    TORN_REGION(Kind.REGISTER_ITEM, Tables.ITEM_OF_REGION, "region by list"),
    LOST_ITEM(Kind.REGISTER_ITEM, Tables.ITEM, "there is no row of it"),
    NO_CURRENT_BID(Kind.REGISTER_ITEM, Tables.CURRENT, "none of its current bid"),
    LOST_RATING(Kind.COMMENT, Tables.USER, "comments"),
    SKIPPED_COMMENT(Kind.COMMENT, Tables.COMMENT, "comments"),
    LOST_NAME(Kind.REGISTER_USER, Tables.USER_OF_NAME, "names"),
    LOST_USER(Kind.REGISTER_USER, Tables.USER, "there is no row of it"),
    /** A transaction that leaves nothing, though it was acknowledged. */
    LOST_TRANSACTION(Kind.BID, "", "beside the committed programs");

    private final Kind kind;
    private final String table;
    private final String finding;

    Flaw(Kind kind, String table, String finding) {
      this.kind = kind;
      this.table = table;
      this.finding = finding;
    }

    /** Whether a write is to be left out. */
    boolean isAt(String program, Row row, boolean isDelete) {
      return this != NONE
          && program.equals(kind.label())
          && (table.isEmpty() || table.equals(row.table()));
    }
  }

  /** One client, so that a flaw is found for what it is. */
  @ParameterizedTest
  @EnumSource(Flaw.class)
  void everyFlawIsFound(Flaw flaw) throws Exception {
    try (OracleAlone alone = new OracleAlone();
        FlawedStore store =
            new FlawedStore(alone.store(), flaw == Flaw.LOST_TRANSACTION, flaw::isAt)) {
      Rubis workload = new Rubis(new Scale(20, 10, 10, 2, 3), Isolation.SNAPSHOT);
      store.create(workload.schema());
      workload.load(store);
      assertEquals("", workload.check(store));
      store.begin();
      SplittableRandom random = new SplittableRandom(3);
      if (flaw == Flaw.NONE) {
        Loads.untilCommitted(PROGRAMS, workload, store, 4, 1);
        assertEquals("", workload.check(store));
      } else {
        while (!store.happened()) { // the first ones may be rolled back
          workload.program(flaw.kind, random).runOn(store);
        }
        String found = workload.check(store);
        assertTrue(found.contains(flaw.finding), flaw + ": " + found);
      }
    }
  }
}
