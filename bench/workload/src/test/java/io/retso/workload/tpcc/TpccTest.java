package io.retso.workload.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Loads;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.RefusedException;
import io.retso.workload.StoreTransaction;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.store.OracleAlone;
import io.retso.workload.tpcc.Inputs.Wanted;
import io.retso.workload.tpcc.Rows.Customer;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the programs do, and what is isolated of it, in memory. */
@Timeout(120)
class TpccTest {
  /** Few customers, so that credits are checked while orders are made. */
  private static final Scale HOT = new Scale(1, 3, 2, 200);

  private static final int CLIENTS = 8;
  private static final int KEPT = 200_000;
  private static final String DISTRICT = "0101";

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

  private Tpcc loaded(Scale scale, Isolation isolation, Mix mix) throws IOException {
    Tpcc workload = new Tpcc(scale, isolation, mix);
    store.create(workload.schema());
    workload.load(store);
    store.history(); // not that of the load
    return workload;
  }

  private Verdict run(Tpcc workload, long seed) throws Exception {
    Loads.untilCommitted(400, workload, store, CLIENTS, seed);
    assertEquals("", workload.check(store), "seed " + seed);
    return SerialCheck.check(store.history());
  }

  @Test
  void snapshotIsolationHasAnomaliesOfCreditCheckAndNewOrder() throws Exception {
    Tpcc workload = loaded(HOT, Isolation.SNAPSHOT, new Mix(0));
    long seed = 1;
    Verdict verdict = run(workload, seed);
    while (verdict.groups() == 0) {
      System.out.println("no anomaly with seed " + seed);
      verdict = run(workload, ++seed);
    }
    assertEquals(0, verdict.unknownWriters());
    assertTrue(verdict.example().contains("CreditCheck"), verdict.toString());
    assertTrue(verdict.example().contains("NewOrder"), verdict.toString());
  }

  /** TPC-C itself is serializable under snapshot isolation; and so is all of it at that level. */
  @ParameterizedTest
  @ValueSource(ints = {0, 8, 70})
  void serializableHasNone(int readOnlyPercent) throws Exception {
    Tpcc workload = loaded(HOT, Isolation.SERIALIZABLE, new Mix(readOnlyPercent));
    Verdict verdict = run(workload, readOnlyPercent + 1);
    assertTrue(verdict.isSerializable(), verdict.toString());
    assertEquals(0, verdict.unrecorded());
  }

  @Test
  void severalWarehousesOrderFromEachOther() throws Exception {
    Tpcc workload = loaded(new Scale(3, 2, 20, 100), Isolation.SERIALIZABLE, Mix.STANDARD);
    Verdict verdict = run(workload, 5);
    assertTrue(verdict.isSerializable(), verdict.toString());
  }

  private static final class Fixture {
    private final Journal journal = new Journal();
    private final Inputs inputs = new Inputs(HOT, 1);
    private final Isolation isolation;

    Fixture(Isolation isolation) {
      this.isolation = isolation;
    }

    Options options(Kind kind) {
      return new Options(kind.label(), isolation, kind.isReadOnly());
    }

    NewOrder order(int item, int quantity) {
      return new NewOrder(
          options(Kind.NEW_ORDER),
          journal,
          inputs,
          1,
          DISTRICT,
          1,
          List.of(new Wanted(item, 1, quantity)));
    }

    CreditCheck check() {
      return new CreditCheck(options(Kind.CREDIT_CHECK), journal, DISTRICT, 1);
    }

    Delivery delivery() {
      return new Delivery(options(Kind.DELIVERY), journal, 1, 1, 7);
    }
  }

  private Customer customer() throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      return Customer.of(tx.get(Tables.customer(DISTRICT, 1)));
    }
  }

  /** The customer may owe this much. */
  private void limit(long limit) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      Customer now = customer();
      tx.put(
          Tables.customer(DISTRICT, 1),
          new Customer(true, limit, now.balance(), now.paid(), now.payments(), now.deliveries())
              .bytes());
      tx.commit();
    }
  }

  /** All orders of the customer are delivered. */
  private Fixture delivered(Isolation isolation) throws IOException {
    loaded(HOT, isolation, Mix.STANDARD);
    Fixture fixture = new Fixture(isolation);
    for (int i = 0; i < HOT.customers(); i++) {
      fixture.delivery().runOn(store);
    }
    return fixture;
  }

  @Test
  void creditEndsWhereOrdersCostMoreThanTheLimit() throws IOException {
    Fixture fixture = delivered(Isolation.SERIALIZABLE);
    NewOrder order = fixture.order(3, 10);
    assertTrue(order.runOn(store));
    long costs = 10L * fixture.inputs.price(3);
    limit(customer().balance() + costs);
    assertTrue(fixture.check().runOn(store));
    assertTrue(customer().goodCredit());
    assertTrue(fixture.order(3, 1).runOn(store));
    assertTrue(fixture.check().runOn(store));
    assertFalse(customer().goodCredit());
    NewOrder last = fixture.order(3, 1);
    assertTrue(last.runOn(store));
    assertFalse(last.hasGoodCredit());
  }

  @Test
  void aDeliveredOrderIsOwedOnce() throws IOException {
    Fixture fixture = delivered(Isolation.SNAPSHOT);
    long before = customer().balance();
    assertTrue(fixture.order(3, 10).runOn(store));
    assertEquals(before, customer().balance());
    assertTrue(fixture.delivery().runOn(store));
    long costs = 10L * fixture.inputs.price(3);
    assertEquals(before + costs, customer().balance());
    assertTrue(fixture.delivery().runOn(store)); // there is no other one
    assertEquals(before + costs, customer().balance());
    limit(before + costs);
    assertTrue(fixture.check().runOn(store));
    assertTrue(customer().goodCredit());
  }

  @Test
  void anItemThatDoesNotExistTakesAnOrderBack() throws IOException {
    Tpcc workload = loaded(HOT, Isolation.SNAPSHOT, Mix.STANDARD);
    assertFalse(new Fixture(Isolation.SNAPSHOT).order(HOT.items(), 1).runOn(store));
    assertEquals("", workload.check(store));
  }

  /** Each misses what the other one writes: the order is made with credit that was not there. */
  private void interleave(Isolation isolation) throws IOException {
    Fixture fixture = delivered(isolation);
    assertTrue(fixture.order(3, 1).runOn(store));
    CreditCheck check = fixture.check();
    NewOrder order = fixture.order(4, 1);
    store.history();
    try (StoreTransaction checking = store.begin(check.options())) {
      assertTrue(check.run(checking));
      assertTrue(order.runOn(store));
      checking.commit();
    }
  }

  @Test
  void theAnomalyHappensUnderSnapshotIsolation() throws IOException {
    interleave(Isolation.SNAPSHOT);
    Verdict verdict = SerialCheck.check(store.history());
    assertEquals(2, verdict.members(), verdict.toString());
  }

  @Test
  void theAnomalyIsRefusedIfTheyAreSerializable() {
    assertThrows(RefusedException.class, () -> interleave(Isolation.SERIALIZABLE));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 60, 100})
  void theMixKeepsItsProportions(int readOnlyPercent) {
    SplittableRandom random = new SplittableRandom(5);
    Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      kinds.put(kind, 0);
    }
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      kinds.merge(new Mix(readOnlyPercent).kind(random), 1, Integer::sum);
    }
    double readers = readOnlyPercent / 100.0;
    for (Kind kind : Kind.values()) {
      double share = kind.percent() * (kind.isReadOnly() ? readers / 8 : (1 - readers) / 92);
      assertEquals(share, (double) kinds.get(kind) / count, 0.02, kind.label());
    }
  }

  @Test
  void anotherWorkloadOfTheSameTablesGoesOnWhereTheyAre() throws Exception {
    Scale scale = new Scale(1, 2, 10, 100);
    Tpcc workload = loaded(scale, Isolation.SNAPSHOT, Mix.STANDARD);
    LoadCounts counts = Loads.untilCommitted(200, workload, store, 4, 1);
    assertTrue(counts.rolledBack() > 0 || counts.attempts() > 0);
    Tpcc again = new Tpcc(scale, Isolation.SERIALIZABLE, new Mix(50));
    again.load(store);
    assertEquals("", again.check(store));
    Loads.untilCommitted(200, again, store, 4, 1);
    assertEquals("", again.check(store));
    assertFalse(workload.check(store).isEmpty(), "it does not know what others have done");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void programsThatOnlyReadWriteNothing(Kind kind) throws Exception {
    Tpcc workload = loaded(new Scale(1, 2, 10, 100), Isolation.SNAPSHOT, Mix.STANDARD);
    Program program = workload.program(kind, new SplittableRandom(7));
    assertTrue(program.runOn(store));
    boolean wrote = store.history().ended().stream().anyMatch(ended -> ended.writes().length > 0);
    assertEquals(!kind.isReadOnly(), wrote);
    assertEquals("", workload.check(store));
  }
}
