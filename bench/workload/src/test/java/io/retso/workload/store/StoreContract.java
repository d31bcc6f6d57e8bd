package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.bank.Bank;
import io.retso.workload.history.RecordedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What ReTSO promises, wherever its rows are. */
@Timeout(120)
abstract class StoreContract {
  private static final String TABLE = "contract";
  private static final String RECORDED = "contract_recorded";
  private static final byte[] ONE = {1};
  private static final byte[] TWO = {2};
  private static final Options WRITES = new Options("w", Isolation.SNAPSHOT, false);
  private static final Options READS = new Options("r", Isolation.SNAPSHOT, true);

  private static final AtomicInteger TESTS = new AtomicInteger();

  private final String prefix = "test" + TESTS.incrementAndGet() + "-";
  private final Row x = new Row(TABLE, prefix + "x");
  private final Row y = new Row(TABLE, prefix + "y");
  private final Row z = new Row(TABLE, prefix + "z");
  private Store store;

  /** The store, with whatever is in it. */
  abstract Store store();

  @BeforeEach
  void start() {
    store = store();
  }

  /** To be called once, as HBase needs a second for a table; each test has rows of its own. */
  static void createTable(Store store) throws IOException {
    store.create(List.of(TABLE, RECORDED));
  }

  private void write(Row row, byte[] value) throws IOException {
    try (StoreTransaction tx = store.begin(WRITES)) {
      tx.put(row, value);
      tx.commit();
    }
  }

  private byte[] read(Row row) throws IOException {
    try (StoreTransaction tx = store.begin(READS)) {
      byte[] value = tx.get(row);
      tx.commit();
      return value;
    }
  }

  private static void assertRefused(Reason reason, StoreTransaction tx) {
    assertEquals(reason, assertThrows(RefusedException.class, tx::commit).reason());
  }

  @Test
  void whatIsCommittedIsReadAndWhatIsNotIsNot() throws IOException {
    assertNull(read(x));
    write(x, ONE);
    try (StoreTransaction tx = store.begin(WRITES)) {
      tx.put(x, TWO);
      assertArrayEquals(TWO, tx.get(x));
    }
    assertArrayEquals(ONE, read(x));
  }

  @Test
  void aSnapshotStaysAsItWasHoweverManyVersionsFollow() throws IOException {
    write(x, ONE);
    for (Options options : List.of(WRITES, READS)) {
      write(x, ONE);
      try (StoreTransaction tx = store.begin(options)) {
        assertArrayEquals(ONE, tx.get(x)); // it reads the snapshot of its first read
        for (int i = 0; i < 50; i++) {
          write(x, TWO);
          write(y, TWO);
        }
        assertArrayEquals(ONE, tx.get(x));
      }
      assertArrayEquals(TWO, read(x));
    }
  }

  @Test
  void ofTwoWritersOfARowOneIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES)) {
      a.put(x, ONE);
      b.put(x, TWO);
      a.commit();
      assertRefused(Reason.CONFLICT, b);
    }
    assertArrayEquals(ONE, read(x));
  }

  @Test
  void aLockIsRefusedBesideAWriterAndChangesNothing() throws IOException {
    write(x, ONE);
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES)) {
      assertArrayEquals(ONE, a.lock(x));
      b.put(x, TWO);
      a.commit();
      assertRefused(Reason.CONFLICT, b);
    }
    assertArrayEquals(ONE, read(x));
  }

  @Test
  void aValidatedReadIsRefusedAfterAWriterAndRefusesNobody() throws IOException {
    write(x, ONE);
    try (StoreTransaction a = store.begin(WRITES);
        StoreTransaction b = store.begin(WRITES);
        StoreTransaction c = store.begin(WRITES)) {
      assertArrayEquals(ONE, a.validate(x));
      a.put(y, ONE);
      a.commit();
      b.put(x, TWO);
      b.commit();
      c.validate(x);
      c.put(z, ONE);
      assertRefused(Reason.CONFLICT, c);
    }
  }

  private static Options serializable(boolean readOnly) {
    return new Options("s", Isolation.SERIALIZABLE, readOnly);
  }

  @Test
  void writeSkewIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      a.get(x);
      b.get(y);
      a.put(y, ONE);
      b.put(x, ONE);
      a.commit();
      assertRefused(Reason.PIVOT, b);
    }
  }

  @Test
  void writeSkewThroughScansIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      a.scan(TABLE, (key, value) -> {});
      b.scan(TABLE, (key, value) -> {});
      a.put(y, ONE);
      b.put(x, ONE);
      a.commit();
      assertTrue(assertThrows(RefusedException.class, b::commit).reason().isCertification());
    }
  }

  @Test
  void rangesHaveTheirRows() throws IOException {
    Ranges.check(store, TABLE, prefix);
    Ranges.check(new RecordedStore(store, 0), RECORDED, prefix);
  }

  private static void look(StoreTransaction tx, String begin) throws IOException {
    tx.scan(Range.prefix(TABLE, begin), 1, (key, value) -> {});
  }

  /** Each looks where the other one adds a row: neither has read a row. */
  @Test
  void writeSkewThroughRangesThatWereEmptyIsRefused() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      look(a, prefix + "a");
      look(b, prefix + "b");
      a.insert(new Row(TABLE, prefix + "b1"), ONE);
      b.insert(new Row(TABLE, prefix + "a1"), ONE);
      a.commit();
      assertTrue(assertThrows(RefusedException.class, b::commit).reason().isCertification());
    }
  }

  @Test
  void whatIsAddedBesideARangeRefusesNobody() throws IOException {
    try (StoreTransaction a = store.begin(serializable(false));
        StoreTransaction b = store.begin(serializable(false))) {
      look(a, prefix + "a");
      look(b, prefix + "b");
      a.insert(new Row(TABLE, prefix + "a1"), ONE);
      b.insert(new Row(TABLE, prefix + "b1"), ONE);
      a.commit();
      b.commit();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SNAPSHOT", "SERIALIZABLE"})
  void theMoneyOfTheBankAddsUpWhileItMoves(Isolation isolation) throws Exception {
    Bank bank = new Bank(prefix, 20, isolation);
    store.create(bank.schema());
    bank.load(store);
    store.awaitQuiet();
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Integer> audits =
        CompletableFuture.supplyAsync(() -> auditedUntil(isOver, bank));
    Loads.untilCommitted(100, bank, store, 6, 1);
    isOver.set(true);
    assertTrue(audits.join() > 0);
    assertEquals("", bank.check(store));
  }

  private int auditedUntil(AtomicBoolean isOver, Bank bank) {
    try {
      int audits = 0;
      while (!isOver.get() || audits == 0) {
        assertEquals(bank.total(), bank.audit(store));
        audits++;
      }
      return audits;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void readersOfSafeSnapshotsAreNeverRefusedHoweverManyVersionsFollow() throws IOException {
    for (int i = 0; i < 100; i++) {
      try (StoreTransaction reader = store.begin(serializable(true))) {
        byte[] before = reader.get(x);
        write(x, new byte[] {(byte) i});
        assertArrayEquals(before, reader.get(x));
        reader.commit();
      }
    }
  }

  @Test
  void whoeverBeginsInAQuietStoreSeesWhatWasCommitted() throws IOException {
    for (int i = 0; i < 20; i++) {
      byte[] value = {(byte) i};
      write(x, value);
      store.awaitQuiet();
      try (StoreTransaction tx = store.begin(serializable(true))) {
        assertArrayEquals(value, tx.get(x));
      }
    }
  }

  @Test
  void aScanHasAllRowsOfItsSnapshotInOrder() throws IOException {
    write(y, ONE);
    write(x, TWO);
    List<String> rows = new ArrayList<>();
    try (StoreTransaction tx = store.begin(READS)) {
      tx.get(x);
      write(z, ONE);
      tx.scan(TABLE, (key, value) -> rows.add(key + value[0]));
    }
    rows.removeIf(row -> !row.startsWith(prefix));
    assertEquals(List.of(x.key() + 2, y.key() + 1), rows);
  }
}
