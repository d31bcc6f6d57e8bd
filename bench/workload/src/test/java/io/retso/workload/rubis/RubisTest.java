package io.retso.workload.rubis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.Workload;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import io.retso.workload.store.OracleAlone;
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
class RubisTest {
  /** Few items and users, so that programs meet. */
  private static final Scale HOT = new Scale(4, 2, 4, 2, 2);

  private static final int CLIENTS = 8;
  private static final int KEPT = 200_000;

  /** The first item that can be bought. */
  private static final int OPEN = HOT.closed() + 1;

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

  private Rubis loaded(Scale scale, Isolation isolation) throws IOException {
    Rubis workload = new Rubis(scale, isolation);
    store.create(workload.schema());
    workload.load(store);
    store.history(); // not that of the load
    return workload;
  }

  /** Only some of the programs, each as often as the others. */
  private record Some(Rubis of, Kind... kinds) implements Workload {
    @Override
    public List<String> schema() {
      return of.schema();
    }

    @Override
    public void load(Store store) throws IOException {
      of.load(store);
    }

    @Override
    public Program next(SplittableRandom random) {
      return of.program(kinds[random.nextInt(kinds.length)], random);
    }

    @Override
    public String check(Store store) throws IOException {
      return of.check(store);
    }
  }

  private Verdict run(Workload workload, long seed) throws Exception {
    Loads.untilCommitted(400, workload, store, CLIENTS, seed);
    assertEquals("", workload.check(store), "seed " + seed);
    return SerialCheck.check(store.history());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void serializableHasNoAnomalies(long seed) throws Exception {
    Verdict verdict = run(loaded(HOT, Isolation.SERIALIZABLE), seed);
    assertTrue(verdict.isSerializable(), "seed " + seed + ": " + verdict);
    assertEquals(0, verdict.unrecorded());
  }

  @Test
  void writersAloneAreSerializableToo() throws Exception {
    Rubis workload = loaded(HOT, Isolation.SERIALIZABLE);
    Kind[] kinds = {Kind.BID, Kind.BUY_NOW, Kind.REGISTER_ITEM, Kind.REGISTER_USER, Kind.COMMENT};
    Verdict verdict = run(new Some(workload, kinds), 3);
    assertTrue(verdict.isSerializable(), verdict.toString());
  }

  @Test
  void snapshotIsolationHasAnomalies() throws Exception {
    Rubis all = loaded(HOT, Isolation.SNAPSHOT);
    Workload workload = new Some(all, Kind.BID, Kind.BUY_NOW, Kind.REGISTER_ITEM);
    long seed = 1;
    Verdict verdict = run(workload, seed);
    while (verdict.groups() == 0) {
      System.out.println("no anomaly with seed " + seed);
      verdict = run(workload, ++seed);
    }
    assertEquals(0, verdict.unknownWriters());
    assertTrue(verdict.example().contains("Bid"), verdict.toString());
    assertTrue(verdict.example().contains("BuyNow"), verdict.toString());
  }

  /** Of a moderate size, both levels after each other on the same tables. */
  @Test
  void levelsShareTheirTables() throws Exception {
    Rubis workload = loaded(new Scale(50, 30, 40, 5, 7), Isolation.SNAPSHOT);
    run(workload, 1);
    Verdict verdict = run(workload.at(Isolation.SERIALIZABLE), 2);
    assertTrue(verdict.isSerializable(), verdict.toString());
    run(workload, 3);
  }

  private static Options options(Isolation isolation, Kind kind) {
    return new Options(kind.label(), isolation, kind.isReadOnly());
  }

  /** Programs on the first open item, which has one piece. */
  private static final class Fixture {
    private final Journal journal;
    private final Isolation isolation;

    Fixture(Journal journal, Isolation isolation) {
      this.journal = journal;
      this.isolation = isolation;
    }

    PlaceBid bid(int raise) {
      return new PlaceBid(options(isolation, Kind.BID), journal, 1, OPEN, raise);
    }

    BuyNow purchase() {
      return new BuyNow(options(isolation, Kind.BUY_NOW), journal, 2, 0, 1);
    }

    Browse list(Item item) {
      return new Browse(
          options(isolation, Kind.BROWSE_CATEGORY),
          journal,
          Tables.ITEM_OF_CATEGORY,
          item.category(),
          OPEN);
    }
  }

  private Fixture fixture(Rubis workload, Isolation isolation) throws IOException {
    Item item = item();
    put(
        Tables.item(OPEN),
        new Item(
                item.seller(),
                item.category(),
                item.region(),
                item.start(),
                current().most() + 5,
                item.quantity(),
                item.quantity(),
                0,
                false)
            .bytes());
    return new Fixture(workload.journal(), isolation);
  }

  private void put(Row row, byte[] value) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.put(row, value);
      tx.commit();
    }
  }

  private byte[] get(Row row) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      return tx.get(row);
    }
  }

  private Item item() throws IOException {
    return Item.of(get(Tables.item(OPEN)));
  }

  private Current current() throws IOException {
    return Current.of(get(Tables.current(OPEN)));
  }

  private void sellAll(Fixture fixture) throws IOException {
    while (item().isOpen()) {
      assertTrue(fixture.purchase().runOn(store));
    }
  }

  @Test
  void aBidIsHigherThanAllBeforeIt() throws IOException {
    Rubis workload = loaded(HOT, Isolation.SERIALIZABLE);
    Current before = current();
    assertTrue(fixture(workload, Isolation.SERIALIZABLE).bid(3).runOn(store));
    assertEquals(new Current(before.bids() + 1, before.most() + 3), current());
    assertEquals("", workload.check(store));
  }

  @Test
  void whatIsSoldOutCanNeitherBeBoughtNorBidFor() throws IOException {
    Rubis workload = loaded(HOT, Isolation.SERIALIZABLE);
    Fixture fixture = fixture(workload, Isolation.SERIALIZABLE);
    sellAll(fixture);
    assertEquals(0, item().left());
    assertFalse(fixture.purchase().runOn(store));
    assertFalse(fixture.bid(1).runOn(store));
    assertTrue(fixture.list(item()).runOn(store));
    assertEquals("", workload.check(store));
  }

  @Test
  void aBidThatReachesThePriceEndsPurchases() throws IOException {
    Rubis workload = loaded(HOT, Isolation.SERIALIZABLE);
    Fixture fixture = fixture(workload, Isolation.SERIALIZABLE);
    assertTrue(fixture.bid(4).runOn(store));
    assertTrue(fixture.purchase().runOn(store));
    if (item().isOpen()) {
      assertTrue(fixture.bid(1).runOn(store));
      assertFalse(fixture.purchase().runOn(store));
    }
    assertEquals("", workload.check(store));
  }

  /** Each misses what the other one writes: the last piece is sold beside a higher bid. */
  private Rubis interleave(Isolation isolation) throws IOException {
    Rubis workload = loaded(HOT, isolation);
    Fixture fixture = fixture(workload, isolation);
    while (item().left() > 1) {
      assertTrue(fixture.purchase().runOn(store));
    }
    PlaceBid bid = fixture.bid(5);
    store.history();
    try (StoreTransaction bidding = store.begin(bid.options())) {
      assertTrue(bid.run(bidding));
      assertTrue(fixture.purchase().runOn(store));
      bidding.commit();
    }
    bid.committed();
    return workload;
  }

  @Test
  void theAnomalyHappensUnderSnapshotIsolation() throws IOException {
    Rubis workload = interleave(Isolation.SNAPSHOT);
    assertEquals(2, SerialCheck.check(store.history()).members());
    assertTrue(
        workload.at(Isolation.SERIALIZABLE).check(store).contains("bids beside the last purchase"));
    assertEquals("", workload.at(Isolation.SERIALIZABLE).check(store), "it is said once");
  }

  @Test
  void theAnomalyIsNoFindingUnderSnapshotIsolation() throws IOException {
    assertEquals("", interleave(Isolation.SNAPSHOT).check(store));
  }

  @Test
  void theAnomalyIsRefusedIfTheyAreSerializable() {
    assertThrows(RefusedException.class, () -> interleave(Isolation.SERIALIZABLE));
  }

  @Test
  void aNameIsGivenOnce() throws IOException {
    Rubis workload = loaded(HOT, Isolation.SNAPSHOT);
    Options how = options(Isolation.SNAPSHOT, Kind.REGISTER_USER);
    assertFalse(new RegisterUser(how, workload.journal(), HOT.users(), 0).runOn(store));
    RegisterUser first = new RegisterUser(how, workload.journal(), 77, 0);
    RegisterUser second = new RegisterUser(how, workload.journal(), 77, 1);
    try (StoreTransaction tx = store.begin(how)) {
      assertTrue(first.run(tx));
      assertTrue(second.runOn(store));
      assertThrows(RefusedException.class, tx::commit);
    }
    assertEquals("", workload.check(store));
  }

  @Test
  void theMixIsTheBiddingMix() {
    SplittableRandom random = new SplittableRandom(5);
    Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      kinds.merge(Kind.any(random), 1, Integer::sum);
    }
    int readers = 0;
    int all = 0;
    for (Kind kind : Kind.values()) {
      assertEquals(kind.percent() / 100.0, (double) kinds.get(kind) / count, 0.02, kind.label());
      readers += kind.isReadOnly() ? kind.percent() : 0;
      all += kind.percent();
    }
    assertEquals(85, readers);
    assertEquals(100, all);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void programsThatOnlyReadWriteNothing(Kind kind) throws Exception {
    Rubis workload = loaded(new Scale(20, 10, 20, 2, 2), Isolation.SNAPSHOT);
    SplittableRandom random = new SplittableRandom(7);
    while (!workload.program(kind, random).runOn(store)) {} // a name may be taken
    boolean wrote = store.history().ended().stream().anyMatch(ended -> ended.writes().length > 0);
    assertEquals(!kind.isReadOnly(), wrote);
    assertEquals("", workload.check(store));
  }

  @Test
  void aScaleHasItsBounds() {
    assertEquals(new Scale(2250, 10_000, 13_500, 20, 62), Scale.of(100));
    assertThrows(IllegalArgumentException.class, () -> new Scale(0, 1, 2, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new Scale(1, 1, 1, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new Scale(1, 1, 2, 100, 1));
  }
}
