package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One snapshot that many processes read. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class HeldSnapshotTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final HoldOptions NIGHTLY = HoldOptions.named("nightly");

  /** Timestamps of the window of the tests' oracle. */
  private static final int WINDOW = 1 << 17;

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  private TableName table(Options options) throws IOException {
    TableName name = fixture.table(options);
    write(name, "0");
    return name;
  }

  private void write(TableName name, String value) throws IOException {
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("x", value), put("y", value)));
          return null;
        });
  }

  private static String both(ReadTransaction tx, TableName name) throws IOException {
    return Fixture.scan(tx.table(name), new Scan());
  }

  private String plainly(Scan scan, TableName name) throws IOException {
    try (Table table = fixture.cluster.connection().getTable(name)) {
      return Fixture.scan(table, scan);
    }
  }

  /** Readers elsewhere refuse it when a region has heard that it is held no longer. */
  private void assertEnds(SnapshotToken token, TableName name) throws Exception {
    fixture.deleteTablesThatHinderSweeps();
    TransactionOptions at = TransactionOptions.DEFAULT.at(token);
    Fixture.eventually(
        "the end of the snapshot",
        () -> {
          manager.sweep(); // what another test has left behind holds the watermark, too
          write(name, "again");
          fixture.compact(name);
          try {
            manager.read(at, tx -> read(tx.table(name), "x"));
            return false;
          } catch (SnapshotTooOldException e) {
            return true; // at once: another attempt could not succeed
          }
        });
    Scan scan = manager.scanAt(token, name, new Scan());
    IOException e = assertThrows(UncheckedIOException.class, () -> plainly(scan, name)).getCause();
    assertInstanceOf(DoNotRetryIOException.class, e);
    assertTrue(e.getMessage().contains("[RETSO SNAPSHOT_TOO_OLD]"), e.getMessage());
  }

  /** The window passes, versions are purged as always, and this snapshot stays. */
  @ParameterizedTest
  @FieldSource("MODES")
  void itIsReadElsewhereHoweverMuchIsWritten(Options options) throws Exception {
    TableName name = table(options);
    try (HeldSnapshot held = manager.hold(NIGHTLY)) {
      SnapshotToken token = SnapshotToken.parse(held.token().toString());
      for (int i = 1; i <= 5; i++) {
        write(name, String.valueOf(i));
        fixture.compact(name);
      }
      passWindow();
      write(name, "6");
      fixture.compact(name);
      TransactionManager other = fixture.manager();
      TransactionOptions at = TransactionOptions.DEFAULT.at(token);
      assertEquals("x=0 y=0", other.read(at, tx -> both(tx, name)));
      assertEquals("x=6 y=6", other.read(tx -> both(tx, name)));
      try (ReadTransaction tx = other.beginReadOnly(at)) {
        assertEquals("0", read(tx.table(name), "y"));
        assertEquals(token.timestamp(), tx.readTimestamp());
      }
      assertTrue(held.isHeld());
    }
  }

  private void passWindow() {
    OracleClient oracle = Inside.oracle(manager);
    int pieces = 128;
    for (int i = 0; i <= pieces; i++) {
      CompletableFuture<?>[] begins = new CompletableFuture<?>[WINDOW / pieces];
      for (int j = 0; j < begins.length; j++) {
        begins[j] = oracle.beginAsync().thenCompose(oracle::abortAsync);
      }
      CompletableFuture.allOf(begins).join();
    }
  }

  @Test
  void aPlainScanReadsItAsLongAsItIsHeld() throws Exception {
    TableName name = table(Options.DEFAULT);
    SnapshotToken token;
    try (HeldSnapshot held = manager.hold(NIGHTLY)) {
      token = held.token();
      write(name, "1");
      fixture.compact(name);
      Scan asked = new Scan().withStartRow(Fixture.bytes("y"));
      Scan scan = held.scan(name, asked);
      assertEquals("y=0", plainly(scan, name));
      assertEquals("x=0 y=0", plainly(held.scan(name, new Scan()), name));
      assertTrue(asked.getAttributesMap().isEmpty(), "the application's scan is not changed");
    }
    assertEnds(token, name);
  }

  @Test
  void itEndsWhenItsTimeIsOver() throws Exception {
    TableName name = table(Options.DEFAULT);
    OracleClient oracle = Inside.oracle(manager);
    long timestamp = oracle.hold("abandoned", Duration.ofSeconds(1));
    SnapshotToken token = new SnapshotToken(oracle.identity().id(), timestamp);
    Fixture.eventually("the end of its time", () -> oracle.holds().isEmpty());
    assertEnds(token, name);
  }

  /** It is renewed in the background, and knows when another process has ended it. */
  @Test
  void itIsRenewedWhileItIsOpen() throws Exception {
    OracleClient oracle = Inside.oracle(manager);
    try (HeldSnapshot held = manager.hold(NIGHTLY.ttl(Duration.ofSeconds(1)))) {
      long timestamp = held.token().timestamp();
      long since = System.nanoTime();
      Fixture.eventually(
          "three times its time",
          () -> {
            assertEquals(timestamp, oracle.holds().get(0).timestamp());
            return System.nanoTime() - since > TimeUnit.SECONDS.toNanos(3);
          });
      assertTrue(held.isHeld());
      assertEquals(held.token(), manager.holds().get(0).token());
      assertTrue(fixture.manager().release(held.token()));
      Fixture.eventually("news of its end", () -> !held.isHeld());
    }
    assertEquals(List.of(), oracle.holds());
  }

  @Test
  void aNameIsTakenOnce() throws Exception {
    HeldSnapshot ended;
    try (HeldSnapshot held = manager.hold(NIGHTLY)) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> manager.hold(NIGHTLY));
      assertTrue(e.getMessage().contains("take another name"), e.getMessage());
      assertTrue(held.isHeld());
      ended = held;
    }
    assertFalse(ended.isHeld());
    manager.hold(NIGHTLY).close();
  }

  /** Whatever the isolation is, it is read at once, and by transactions that only read. */
  @Test
  void itIsOnlyRead() throws Exception {
    TableName name = table(Options.DEFAULT);
    try (HeldSnapshot held = manager.hold(NIGHTLY)) {
      TransactionOptions at = TransactionOptions.DEFAULT.at(held.token());
      assertThrows(IllegalArgumentException.class, () -> manager.begin(at));
      assertThrows(IllegalArgumentException.class, () -> manager.run(at, tx -> null));
      write(name, "1");
      TransactionOptions serializable =
          at.withIsolation(Isolation.SERIALIZABLE).withReadSnapshot(ReadSnapshot.LATEST);
      assertEquals("x=0 y=0", manager.read(serializable, tx -> both(tx, name)));
      assertEquals("x=0 y=0", manager.readAsync(at, tx -> all(tx, name)).get());
    }
  }

  private static CompletableFuture<String> all(ReadTransaction tx, TableName name) {
    return tx.asyncTable(name)
        .thenCompose(table -> table.scanAll(new Scan()))
        .thenApply(
            rows ->
                String.join(
                    " ",
                    rows.stream()
                        .map(
                            row ->
                                text(row.getRow()) + "=" + text(row.getValue(Fixture.F, Fixture.Q)))
                        .toList()));
  }

  @Test
  void whatCannotBeReadIsRefused() throws Exception {
    TableName name = table(Options.CLIENT_READS);
    try (HeldSnapshot held = manager.hold(NIGHTLY)) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> held.scan(name, new Scan()));
      assertTrue(e.getMessage().contains("has client reads"), e.getMessage());
      TableName other = table(Options.DEFAULT);
      assertThrows(
          IllegalArgumentException.class, () -> held.scan(other, new Scan().readAllVersions()));
      SnapshotToken foreign = new SnapshotToken(UUID.randomUUID(), held.token().timestamp());
      e =
          assertThrows(
              IllegalArgumentException.class, () -> manager.scanAt(foreign, other, new Scan()));
      assertTrue(e.getMessage().contains("that of another oracle"), e.getMessage());
      assertThrows(
          IllegalArgumentException.class,
          () -> manager.beginReadOnly(TransactionOptions.DEFAULT.at(foreign)));
    }
  }

  /** Each row comes once, and in its snapshot, while regions split. */
  @Test
  void manyThreadsReadItRegionByRegion() throws Exception {
    TableName name = fixture.cluster.freshName("t");
    byte[][] splits = {Fixture.bytes("row3"), Fixture.bytes("row5"), Fixture.bytes("row7")};
    fixture.preparation().create(Fixture.descriptor(name).build(), Options.DEFAULT, splits);
    List<String> keys = IntStream.range(0, 1_000).mapToObj(i -> "row" + i).sorted().toList();
    manager.run(
        tx -> {
          tx.table(name).put(keys.stream().map(key -> put(key, "0")).toList());
          return null;
        });
    try (HeldSnapshot held = manager.hold(NIGHTLY);
        Admin admin = fixture.cluster.connection().getAdmin()) {
      manager.run(
          tx -> {
            tx.table(name).put(keys.stream().map(key -> put(key, "1")).toList());
            return null;
          });
      admin.split(name, Fixture.bytes("row4"));
      ParallelScan scan = ParallelScan.of(manager, held.token());
      assertEquals(keys, rows(scan, name, new Scan(), 4));
      Scan some =
          new Scan().withStartRow(Fixture.bytes("row25")).withStopRow(Fixture.bytes("row7"), true);
      List<String> wanted =
          keys.stream()
              .filter(key -> key.compareTo("row25") >= 0 && key.compareTo("row7") <= 0)
              .toList();
      assertEquals(wanted, rows(scan, name, some, 16));
      IllegalStateException wrong = new IllegalStateException("enough");
      assertEquals(
          wrong,
          assertThrows(
              IllegalStateException.class,
              () ->
                  scan.rows(
                      name,
                      new Scan(),
                      2,
                      row -> {
                        throw wrong;
                      })));
      assertThrows(IllegalArgumentException.class, () -> scan.rows(name, new Scan(), 0, row -> {}));
      assertThrows(
          IllegalArgumentException.class,
          () -> scan.rows(name, new Scan().setReversed(true), 2, row -> {}));
    }
  }

  /** The consumer may be closed then. */
  @Test
  void noThreadIsAtWorkBehindAParallelScanThatFailed() throws Exception {
    TableName name = fixture.cluster.freshName("failing");
    fixture
        .preparation()
        .create(Fixture.descriptor(name).build(), Options.DEFAULT, Fixture.bytes("m"));
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "1"), put("z", "1")));
          return null;
        });
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch hasReturned = new CountDownLatch(1);
    AtomicBoolean isOver = new AtomicBoolean();
    try (HeldSnapshot held = manager.hold(HoldOptions.named("failing"))) {
      assertThrows(
          IllegalStateException.class,
          () ->
              ParallelScan.of(manager, held.token())
                  .rows(
                      name,
                      new Scan(),
                      2,
                      row -> {
                        if (text(row.getRow()).equals("z")) {
                          awaitUnchecked(begun, 60);
                          throw new IllegalStateException("enough");
                        }
                        begun.countDown();
                        while (!Thread.interrupted()) {
                          Thread.onSpinWait();
                        }
                        awaitUnchecked(hasReturned, 1); // which is not to come
                        isOver.set(true);
                      }));
      assertTrue(isOver.get());
    } finally {
      hasReturned.countDown();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch, int seconds) {
    try {
      latch.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> rows(ParallelScan scan, TableName name, Scan of, int threads)
      throws IOException {
    ConcurrentSkipListSet<String> seen = new ConcurrentSkipListSet<>();
    scan.rows(
        name,
        of,
        threads,
        row -> {
          assertEquals("0", text(row.getValue(Fixture.F, Fixture.Q)));
          assertTrue(seen.add(text(row.getRow())), () -> "twice: " + row);
        });
    return List.copyOf(seen);
  }
}
