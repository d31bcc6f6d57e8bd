package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.TableRules;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The oracle is gone, or silent, while a transaction reads. Rows in doubt cannot be decided: the
 * read says so in time, guesses nothing, and gives the right answer once the oracle is back.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class OracleDownTest {
  static final List<Options> MODES = Fixture.MODES;

  /** What a client of these tests waits for HBase, and HBase or the client for the oracle. */
  private static final int STORE_MILLIS = 5_000;

  private static final int ORACLE_MILLIS = 1_000;

  private Fixture fixture;
  private MutedOracle oracle;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    oracle = fixture.mutedOracle();
    name = fixture.cluster.freshName("t");
  }

  @AfterEach
  void letTheOracleAnswer() {
    oracle.down(false);
    oracle.mute(false);
  }

  private ManagerBuilder builder() {
    return builder(fixture.cluster.configuration());
  }

  private ManagerBuilder builder(Configuration impatient) {
    // A region server connects again within 2 s; some attempts of the client are to come after it.
    impatient.setInt("hbase.client.pause", 10);
    impatient.setInt("hbase.rpc.timeout", STORE_MILLIS);
    impatient.setInt("hbase.client.operation.timeout", STORE_MILLIS);
    impatient.setInt("hbase.client.scanner.timeout.period", STORE_MILLIS);
    return TransactionManager.builder(impatient)
        .oracle(oracle.address())
        .requestTimeout(Duration.ofMillis(ORACLE_MILLIS))
        .oracleBackoff(Duration.ofMillis(10), Duration.ofMillis(100))
        .sweepInterval(Duration.ZERO);
  }

  /** Row "doubt" was committed by a client that died, "plain" is cleaned up. */
  private void prepare(Options options) throws Exception {
    TableDescriptor prepared =
        fixture.preparation(oracle.address()).create(Fixture.descriptor(name).build(), options);
    if (prepared.hasCoprocessor(TableRules.OBSERVER)) {
      // These region servers have less patience with the oracle than their others have.
      try (Admin admin = fixture.cluster.connection().getAdmin()) {
        admin.modifyTable(Fixture.withOracleTimeout(prepared, ORACLE_MILLIS));
      }
    }
    TransactionManager dying = fixture.opened(Fixture.dying(builder()).build());
    manager = fixture.opened(builder().build());
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("doubt", "0"), put("plain", "0")));
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    dying.run(
        tx -> {
          tx.table(name).put(put("doubt", "1"));
          return null;
        });
    assertEquals("0", manager.run(tx -> read(tx.table(name), "plain")), "the horizon is known");
  }

  /** What is sent before it is noticed that the connection is down was not answered. */
  private static void failsAsDown(ReadTransaction tx, Read read) {
    failsInTime(tx, "(check that|is the oracle overloaded)", read);
  }

  private static void failsInTime(ReadTransaction tx, String remedy, Read read) {
    long begun = System.nanoTime();
    OracleUnavailableException e = assertThrows(OracleUnavailableException.class, read::run);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    assertTrue(millis < 5 * STORE_MILLIS, () -> millis + " ms");
    assertTrue(e.getMessage().contains("nothing was decided"), e.getMessage());
    assertTrue(Pattern.compile(remedy).matcher(e.getMessage()).find(), e.getMessage());
    assertTrue(Inside.isOpen(tx), "it goes on");
  }

  private static void readToTheEnd(ReadTable table) throws IOException {
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      Result row = scanner.next();
      while (row != null) {
        row = scanner.next();
      }
    }
  }

  private interface Read {
    void run() throws Exception;
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void readsOfRowsInDoubtFailUntilTheOracleIsBack(Options options) throws Exception {
    prepare(options);
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      oracle.down(true);
      assertEquals("0", read(table, "plain"));
      assertEquals("plain=0", scan(table, new Scan().withStartRow(Fixture.bytes("p"))));
      failsAsDown(tx, () -> read(table, "doubt"));
      failsAsDown(tx, () -> readToTheEnd(table));
      assertEquals("0", read(table, "plain"));
      oracle.down(false);
      assertEquals("1", read(table, "doubt"));
      assertEquals("doubt=1 plain=0", scan(table, new Scan()));
      tx.commit();
    }
  }

  /** A region server's handler does not wait for the oracle again and again, row by row. */
  @Test
  void aReadOfManyRowsInDoubtDoesNotAskAboutEachInVain() throws Exception {
    prepare(Options.DEFAULT);
    List<Put> rows = IntStream.range(0, 40).mapToObj(i -> put("row" + i, "1")).toList();
    List<Get> gets = rows.stream().map(row -> new Get(row.getRow())).toList();
    TransactionManager dying = fixture.opened(Fixture.dying(builder()).build());
    dying.run(
        tx -> {
          tx.table(name).put(rows);
          return null;
        });
    Configuration settings = fixture.cluster.configuration();
    settings.setInt("hbase.client.retries.number", 2); // the last attempt's failure is reported
    TransactionManager shortTimeout = fixture.opened(builder(settings).build());
    try (Transaction tx = shortTimeout.begin();
        Transaction later = manager.begin()) {
      TransactionalTable table = tx.table(name);
      oracle.down(true);
      long before = queries();
      failsAsDown(tx, () -> table.get(gets));
      long asked = queries() - before;
      assertTrue(asked > 0 && asked < 20, asked + " questions about 40 rows");
      oracle.down(false);
      for (Result row : later.table(name).get(gets)) {
        assertEquals("1", Fixture.text(row.getValue(Fixture.F, Fixture.Q)));
      }
      assertEquals("1", read(table, "row0"));
      later.commit();
      tx.commit();
    }
  }

  /** What region servers asked the oracle about writers. */
  private static long queries() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .flatMap(registry -> registry.get("oracleQueries").stream())
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void soDoTheyWhenItIsSilent(Options options) throws Exception {
    prepare(options);
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      oracle.mute(true);
      assertEquals("0", read(table, "plain"));
      String remedy = options.reads() == Reads.SERVER ? "check that" : "raise requestTimeout";
      failsInTime(tx, remedy, () -> read(table, "doubt"));
      oracle.mute(false);
      assertEquals("1", read(table, "doubt"));
      tx.commit();
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void aReaderTakesItsSnapshotWhenTheOracleIsBack(Options options) throws Exception {
    prepare(options);
    try (ReadTransaction tx = manager.beginReadOnly()) {
      ReadTable table = tx.table(name);
      oracle.down(true);
      failsAsDown(tx, () -> read(table, "plain"));
      failsAsDown(tx, () -> readToTheEnd(table));
      oracle.down(false);
      assertEquals("0", read(table, "plain"));
      assertEquals("doubt=1 plain=0", scan(table, new Scan()));
    }
  }

  /** For longer than a time-out, at the begin and in the middle. */
  @Test
  void workIsRepeatedUntilTheOracleIsBack() throws Exception {
    prepare(Options.DEFAULT);
    AtomicInteger attempts = new AtomicInteger();
    long retries = Inside.counters(manager).retries.sum();
    CompletableFuture<String> working =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return manager.run(
                    tx -> {
                      if (attempts.incrementAndGet() == 1) {
                        oracle.down(true);
                      }
                      String seen = read(tx.table(name), "doubt");
                      tx.table(name).put(put("plain", seen));
                      return seen;
                    });
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    // The first attempt fails in a read, the next ones do not even begin.
    Fixture.eventually("tries again", () -> Inside.counters(manager).retries.sum() > retries + 1);
    oracle.down(false);
    assertEquals("1", working.get(60, TimeUnit.SECONDS));
    assertEquals("1", manager.read(tx -> read(tx.table(name), "plain")));
    oracle.down(true);
    RetryPolicy twice =
        RetryPolicy.DEFAULT
            .withAttemptsMax(2)
            .withTimeMax(Duration.ofMinutes(1))
            .withPauses(Duration.ofMillis(1), Duration.ofMillis(1));
    TransactionOptions options = TransactionOptions.DEFAULT.withRetryPolicy(twice);
    GaveUpException e = assertThrows(GaveUpException.class, () -> manager.run(options, tx -> null));
    assertEquals(TransactionException.Category.ORACLE_UNAVAILABLE, e.category());
    assertTrue(e.getMessage().contains("Bring the oracle back"), e.getMessage());
    ExecutionException later =
        assertThrows(
            ExecutionException.class,
            () ->
                manager
                    .runAsync(options, tx -> CompletableFuture.completedFuture(null))
                    .get(60, TimeUnit.SECONDS));
    assertInstanceOf(GaveUpException.class, later.getCause());
  }

  /** The caller does not get it, so no other would end it before its time is up. */
  @Test
  void aTransactionWhoseBeginWasInterruptedIsOver() throws Exception {
    TransactionManager patient =
        fixture.opened(
            TransactionManager.builder(fixture.cluster.configuration())
                .oracle(oracle.address())
                .sweepInterval(Duration.ZERO)
                .build());
    long begun = Inside.counters(patient).begun.sum();
    oracle.hold(true);
    Thread.currentThread().interrupt();
    assertThrows(IOException.class, patient::begin);
    assertTrue(Thread.interrupted());
    oracle.hold(false);
    Fixture.eventually("begun all the same", () -> Inside.counters(patient).begun.sum() > begun);
    OracleClient direct = fixture.opened(OracleClient.builder().address(oracle.address()).build());
    TransactionHandle last = direct.begin();
    direct.commit(last);
    Fixture.eventually("no snapshot is kept", () -> direct.lowWatermark() > last.startTimestamp());
  }
}
