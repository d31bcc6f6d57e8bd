package io.retso.hbase.coprocessor.region;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.MutedOracle;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.transaction.Inside;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A region that closes, as it does before each move, split and merge, waits for all that are
 * inside. Requests that wait for an oracle that does not answer keep it for one time-out at most.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class ClosingRegionTest {
  /** A scan asks about more than one of them at once, but not about all. */
  private static final int ROWS_IN_DOUBT = 20;

  /** What a busy machine may need besides, far less than a second time-out of the oracle. */
  private static final int SLACK_MILLIS = 8_000;

  private final ExecutorService background = Executors.newCachedThreadPool();
  private final List<Future<?>> working = new ArrayList<>();
  private Fixture fixture;
  private MutedOracle oracle;
  private TransactionManager manager;
  private Admin admin;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    oracle = fixture.mutedOracle();
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    manager = fixture.opened(builder().build());
    name = fixture.cluster.freshName("closing");
  }

  @AfterEach
  void end() throws Exception {
    oracle.hold(false);
    background.shutdown();
    assertTrue(background.awaitTermination(120, TimeUnit.SECONDS));
  }

  private ManagerBuilder builder() {
    Configuration configuration = fixture.cluster.configuration();
    configuration.setInt("hbase.rpc.timeout", 10_000);
    configuration.setInt("hbase.client.operation.timeout", 10_000);
    configuration.setInt("hbase.client.scanner.timeout.period", 10_000);
    return TransactionManager.builder(configuration)
        .oracle(oracle.address())
        .sweepInterval(Duration.ZERO);
  }

  /** A table whose rows were committed by clients that died, each by a transaction of its own. */
  private void prepare(int oracleMillis) throws Exception {
    TableDescriptor prepared =
        fixture
            .preparation(oracle.address())
            .create(Fixture.descriptor(name).build(), Options.DEFAULT);
    admin.modifyTable(Fixture.withOracleTimeout(prepared, oracleMillis));
    TransactionManager dying = fixture.opened(Fixture.dying(builder()).build());
    for (int i = 0; i < ROWS_IN_DOUBT; i++) {
      String row = "row" + (100 + i);
      dying.run(
          tx -> {
            tx.table(name).put(put(row, "1"));
            return null;
          });
    }
  }

  private HRegion region() {
    return fixture.regions(name).get(0);
  }

  private void begin(Callable<?> work) {
    working.add(background.submit(work));
  }

  /** Threads of region servers that wait for an answer. */
  private static long waiting() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames)
                    .anyMatch(
                        frame ->
                            frame.getClassName().equals(OracleLink.class.getName())
                                && frame.getMethodName().equals("await")))
        .count();
  }

  /** Times that reads have waited for the oracle, of regions that are open now. */
  private static List<Counter> rounds() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .flatMap(registry -> registry.get("oracleRounds").stream())
        .map(Counter.class::cast)
        .toList();
  }

  private static long sum(List<Counter> counters) {
    return counters.stream().mapToLong(Counter::getCount).sum();
  }

  /** Closes the region; returns for how many ms it could not be used. */
  private long close() throws Exception {
    HRegion region = region();
    Future<?> disabled = admin.disableTableAsync(name);
    Fixture.eventually("it closes", region::isClosing);
    long begun = System.nanoTime();
    Fixture.eventually("it is closed", region::isClosed);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    disabled.get(60, TimeUnit.SECONDS);
    return millis;
  }

  @Test
  void readersAndFlushesAndCompactionsHoldItForOneTimeOut() throws Exception {
    int oracleMillis = 3_000;
    prepare(oracleMillis);
    HRegion region = region();
    region.flush(true);
    List<Transaction> readers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      readers.add(fixture.opened(manager.begin()));
    }
    oracle.hold(true);
    for (Transaction tx : readers) {
      begin(() -> Fixture.scan(tx.table(name), new Scan()));
    }
    for (int i = 0; i < 4; i++) {
      begin(() -> region.flush(true));
      begin(
          () -> {
            region.compact(true);
            return null;
          });
    }
    Fixture.eventually("somebody waits", () -> waiting() > 0);
    long millis = close();
    System.out.println("closed after " + millis + " ms");
    assertTrue(millis < oracleMillis + SLACK_MILLIS, () -> millis + " ms");
  }

  /** Just after it was opened: its first readers and writers need the oracle once. */
  @Test
  void whoWaitsForItsHorizonHoldsItForOneTimeOut() throws Exception {
    int oracleMillis = 3_000;
    prepare(oracleMillis);
    Transaction reader = fixture.opened(manager.begin());
    Transaction writer = fixture.opened(manager.begin());
    writer.table(name).put(put("w", "1"));
    oracle.hold(true);
    admin.disableTable(name);
    admin.enableTable(name);
    begin(() -> Fixture.scan(reader.table(name), new Scan()));
    begin(() -> Inside.writes(writer).sendAll().get(60, TimeUnit.SECONDS));
    Fixture.eventually("somebody waits", () -> waiting() > 0);
    long millis = close();
    System.out.println("closed after " + millis + " ms");
    assertTrue(millis < oracleMillis + SLACK_MILLIS, () -> millis + " ms");
  }

  /** However slow the oracle is: a scan comes to its next row in doubt, and finds the door shut. */
  @Test
  void aReaderThatHasItsAnswerDoesNotAskAgain() throws Exception {
    prepare(60_000);
    Transaction tx = fixture.opened(manager.begin());
    oracle.hold(true);
    begin(() -> Fixture.scan(tx.table(name), new Scan()));
    Fixture.eventually("it waits", () -> waiting() > 0);
    HRegion region = region();
    List<Counter> rounds = rounds(); // of a registry that ends with the last region
    Future<?> disabled = admin.disableTableAsync(name);
    Fixture.eventually("it closes", region::isClosing);
    long before = sum(rounds);
    assertTrue(before > 0);
    oracle.hold(false);
    disabled.get(60, TimeUnit.SECONDS);
    assertEquals(before, sum(rounds));
  }
}
