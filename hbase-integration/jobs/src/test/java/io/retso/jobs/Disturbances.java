package io.retso.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What happens to tables and oracle meanwhile, in threads of their own: regions move, split and,
 * when there are many, merge; the leader is killed, or hands over. Thread-safe.
 */
final class Disturbances {
  private static final int REGIONS_MAX = 4;
  private static final int TABLE_PAUSE_MILLIS = 1_000;
  private static final int LEADER_PAUSE_MILLIS = 8_000;
  private static final long SECONDS_MAX = 30;

  private final Servers servers;
  private final Admin admin;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();
  private final List<CompletableFuture<Void>> threads;

  /** Encoded names of regions; of one thread. */
  private final Set<String> moved = new HashSet<>();

  private interface Step {
    void run() throws Exception;
  }

  Disturbances(Servers servers, Connection connection, SplittableRandom random) throws IOException {
    this.servers = servers;
    this.admin = connection.getAdmin();
    SplittableRandom ofTables = random.split();
    SplittableRandom ofLeaders = random.split();
    threads =
        List.of(
            repeated("tables", TABLE_PAUSE_MILLIS, () -> disturbTable(ofTables)),
            repeated("leaders", LEADER_PAUSE_MILLIS, () -> changeLeader(ofLeaders)));
  }

  private CompletableFuture<Void> repeated(String name, long pauseMillis, Step step) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            while (!over.await(pauseMillis, TimeUnit.MILLISECONDS)) {
              step.run();
            }
          } catch (Exception e) {
            throw new AssertionError(name, e);
          }
        },
        work -> new Thread(work, name).start());
  }

  private void changeLeader(SplittableRandom random) throws Exception {
    if (random.nextBoolean()) {
      servers.killLeader();
      happened("leader killed");
    } else {
      servers.handOver();
      happened("handed over");
    }
  }

  private void disturbTable(SplittableRandom random) throws InterruptedException {
    TableName table = Bank.TABLES.get(random.nextInt(2));
    boolean moves = random.nextBoolean();
    int number = random.nextInt(Bank.ACCOUNTS);
    try {
      List<RegionInfo> regions = new ArrayList<>(admin.getRegions(table));
      regions.sort(RegionInfo.COMPARATOR);
      if (moves) {
        move(table, number);
      } else if (regions.size() < REGIONS_MAX) {
        split(regions, Bank.row(number));
      } else {
        merge(regions, number % (regions.size() - 1));
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // refused in many ways, such as while a region is opened
      happened("refused");
    }
  }

  /**
   * No region twice: a server tells for two minutes where to a region has moved, even if that has
   * come back meanwhile and was split, and HBase's clients are led astray for so long.
   */
  private void move(TableName table, int number) throws IOException {
    try (RegionLocator locator = admin.getConnection().getRegionLocator(table)) {
      List<HRegionLocation> regions = locator.getAllRegionLocations();
      HRegionLocation region = regions.get(number % regions.size());
      String name = region.getRegion().getEncodedName();
      List<ServerName> others = new ArrayList<>(admin.getRegionServers());
      others.remove(region.getServerName());
      if (moved.add(name)) {
        admin.move(Bytes.toBytes(name), others.get(0));
        happened("moved");
      }
    }
  }

  private void split(List<RegionInfo> regions, byte[] row) throws Exception {
    for (RegionInfo region : regions) {
      if (region.containsRow(row) && !Bytes.equals(row, region.getStartKey())) {
        admin.splitRegionAsync(region.getRegionName(), row).get(SECONDS_MAX, TimeUnit.SECONDS);
        happened("split");
      }
    }
  }

  private void merge(List<RegionInfo> regions, int first) throws Exception {
    byte[][] both = {
      regions.get(first).getEncodedNameAsBytes(), regions.get(first + 1).getEncodedNameAsBytes()
    };
    admin.mergeRegionsAsync(both, false).get(SECONDS_MAX, TimeUnit.SECONDS);
    happened("merged");
  }

  private void happened(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** What happened how often. */
  Map<String, Integer> counts() {
    return Map.copyOf(counts);
  }

  /** Whether each kind of what tests ask for has happened: moves, splits and changes of leader. */
  boolean allHappened() {
    for (CompletableFuture<Void> thread : threads) {
      if (thread.isDone()) {
        thread.join(); // with what ended it
      }
    }
    return counts.containsKey("moved")
        && counts.containsKey("split")
        && (counts.containsKey("leader killed") || counts.containsKey("handed over"));
  }

  /** Ends them, and waits for what is under way. */
  void end() throws Exception {
    over.countDown();
    for (CompletableFuture<Void> thread : threads) {
      thread.get(2 * SECONDS_MAX, TimeUnit.SECONDS);
    }
    admin.close();
  }
}
