package io.retso.hbase.coprocessor.region;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.MutedOracle;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * For how long regions cannot be used while they move and split, beside flushes, reads and writes:
 * a prepared table and a plain one on the same servers. By hand, {@code -Dretso.moves=N} moves of
 * each; docs/testing.md has the command.
 */
@ExtendWith(RetsoCluster.Extension.class)
@EnabledIfSystemProperty(named = "retso.moves", matches = "\\d+")
class MovesTest {
  private static final int MOVES = Integer.getInteger("retso.moves", 0);
  private static final long SEED = Long.getLong("retso.moves.seed", new Random().nextLong());
  private static final boolean SPLITS = !Boolean.getBoolean("retso.moves.only");
  private static final int REGIONS_MAX = 4;
  private static final String[] ROWS = {"a", "b", "c", "d", "e", "f", "g", "h"};

  /** The default of {@code retso.oracle.timeout}, and what a busy machine may need besides. */
  private static final long BOUND_MILLIS = 5_000 + 5_000;

  /** The longest of several times. Thread-safe. */
  private static final class Longest {
    private final String name;
    private final AtomicLong millis = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    Longest(String name) {
      this.name = name;
    }

    void since(long nanos) {
      millis.accumulateAndGet(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos), Math::max);
    }

    @Override
    public String toString() {
      return name + ": " + millis + " ms, " + failures + " failed";
    }
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> working = new ArrayList<>();
  private final List<Longest> figures = new ArrayList<>();
  private final Random random = new Random(SEED);
  private volatile boolean over;
  private Fixture fixture;
  private Connection connection;
  private Admin admin;
  private TableName plain;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    if (fixture.cluster.hbase().liveRegionServers() < 2) {
      fixture.cluster.hbase().startRegionServer();
    }
    connection = fixture.cluster.connection();
    admin = fixture.opened(connection.getAdmin());
    plain = fixture.cluster.freshName("plain");
    admin.createTable(Fixture.descriptor(plain).build());
  }

  @AfterEach
  void end() {
    over = true;
    threads.shutdown();
  }

  private static String row() {
    return ROWS[ThreadLocalRandom.current().nextInt(ROWS.length)];
  }

  private void repeat(Callable<?> action) {
    working.add(
        threads.submit(
            () -> {
              while (!over) {
                action.call();
              }
              return null;
            }));
  }

  private Longest figure(String what) {
    Longest longest = new Longest(what);
    figures.add(longest);
    return longest;
  }

  private void timed(String what, Callable<?> action) {
    Longest longest = figure(what);
    repeat(
        () -> {
          long begun = System.nanoTime();
          try {
            action.call();
          } catch (Exception e) {
            longest.failures.incrementAndGet();
          }
          longest.since(begun);
          TimeUnit.MILLISECONDS.sleep(2); // a load, not all that the machine can do
          return null;
        });
  }

  /** Looks at the servers themselves: where a row's region is neither open nor about to close. */
  private Longest watched(TableName name) {
    Longest longest = figure(name + ", no region open");
    long[] since = new long[ROWS.length];
    repeat(
        () -> {
          List<HRegion> open =
              fixture.regions(name).stream().filter(region -> !region.isClosing()).toList();
          for (int i = 0; i < ROWS.length; i++) {
            byte[] row = Fixture.bytes(ROWS[i]);
            if (open.stream().noneMatch(region -> region.getRegionInfo().containsRow(row))) {
              since[i] = since[i] == 0 ? System.nanoTime() : since[i];
            } else if (since[i] != 0) {
              longest.since(since[i]);
              since[i] = 0;
            }
          }
          TimeUnit.MILLISECONDS.sleep(2);
          return null;
        });
    return longest;
  }

  private Longest use(TableName name) throws Exception {
    Table table = fixture.opened(connection.getTable(name));
    for (String row : ROWS) {
      table.put(Fixture.put(row, "0"));
    }
    AsyncConnection async =
        fixture.opened(
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get());
    timed(name + ", get by HBase's blocking client", () -> table.get(Fixture.get(row())));
    timed(
        name + ", get by its asynchronous client",
        () -> async.getTable(name).get(Fixture.get(row())).get());
    repeat(
        () -> {
          try {
            admin.flush(name);
          } catch (IOException e) {
            // the region is on its way
          }
          return null;
        });
    return watched(name);
  }

  @Test
  void regionsWithTheCoprocessorCloseAndOpenAsOthersDo() throws Exception {
    System.out.println("-Dretso.moves=" + MOVES + " -Dretso.moves.seed=" + SEED);
    MutedOracle oracle = fixture.mutedOracle();
    TableName prepared = fixture.cluster.freshName("prepared");
    fixture
        .preparation(oracle.address())
        .create(Fixture.descriptor(prepared).build(), Options.DEFAULT);
    TransactionManager manager =
        fixture.opened(
            TransactionManager.builder(fixture.cluster.configuration())
                .oracle(oracle.address())
                .sweepInterval(Duration.ZERO)
                .build());
    use(plain);
    Longest away = use(prepared);
    for (int i = 0; i < 2; i++) {
      timed(
          "transaction",
          () ->
              manager.run(
                  tx -> {
                    Fixture.scan(tx.table(prepared), new Scan());
                    tx.table(prepared).put(Fixture.put(row(), "1"));
                    return null;
                  }));
    }
    for (int i = 0; i < MOVES; i++) {
      move(plain);
      oracle.hold(i % 4 == 3); // it does not answer during each fourth move
      move(prepared);
      oracle.hold(false);
    }
    over = true;
    for (Future<?> work : working) {
      work.get(5, TimeUnit.MINUTES);
    }
    figures.forEach(System.out::println);
    assertTrue(away.millis.get() < BOUND_MILLIS, away::toString);
  }

  private void move(TableName name) throws Exception {
    try (RegionLocator locator = connection.getRegionLocator(name)) {
      locator.clearRegionLocationCache();
      List<HRegionLocation> regions = locator.getAllRegionLocations();
      HRegionLocation region = regions.get(random.nextInt(regions.size()));
      byte[] point = Fixture.bytes(ROWS[1 + random.nextInt(ROWS.length - 1)]);
      if (SPLITS
          && regions.size() < REGIONS_MAX
          && random.nextInt(10) == 0
          && region.getRegion().containsRow(point)
          && !Arrays.equals(point, region.getRegion().getStartKey())) {
        split(region.getRegion().getRegionName(), point);
      } else {
        admin.move(region.getRegion().getEncodedNameAsBytes(), another(region.getServerName()));
      }
    }
  }

  private void split(byte[] region, byte[] point) throws Exception {
    Future<Void> split;
    try {
      split = admin.splitRegionAsync(region, point);
    } catch (DoNotRetryIOException e) {
      return; // it has been split a moment ago, and is not compacted yet
    }
    split.get(2, TimeUnit.MINUTES);
  }

  private ServerName another(ServerName server) throws IOException {
    return admin.getRegionServers().stream()
        .filter(other -> !other.equals(server))
        .findFirst()
        .orElseThrow();
  }

  /**
   * HBase alone: a region that was moved away and back is split. Its server still tells where it
   * went, and the asynchronous client, which knows better, asks there again for up to two minutes.
   */
  @Test
  void plainHBaseAfterMovesAndASplit() throws Exception {
    try (Table table = connection.getTable(plain)) {
      table.put(Fixture.put("a", "0"));
    }
    try (AsyncConnection async =
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get();
        RegionLocator locator = connection.getRegionLocator(plain)) {
      byte[] region = null;
      for (int i = 0; i < 2; i++) {
        HRegionLocation location = locator.getRegionLocation(Fixture.bytes("a"), true);
        region = location.getRegion().getRegionName();
        admin.move(location.getRegion().getEncodedNameAsBytes(), another(location.getServerName()));
      }
      async.getTable(plain).get(Fixture.get("a")).get();
      admin.splitRegionAsync(region, Fixture.bytes("d")).get(2, TimeUnit.MINUTES);
      long begun = System.nanoTime();
      async.getTable(plain).get(Fixture.get("a")).get();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      System.out.println("a get after the split: " + millis + " ms");
    }
  }
}
