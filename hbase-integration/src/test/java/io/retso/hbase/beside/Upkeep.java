package io.retso.hbase.beside;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;

/**
 * Flushes, compactions and moves beside the statements, one at a time, on a thread of its own; and
 * splits between them.
 */
@SuppressWarnings("try") // closing may be interrupted, as in any test
final class Upkeep implements AutoCloseable {
  private final RetsoCluster cluster;
  private final List<TableName> tables;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Future<?> last;

  /** With two region servers at least, for moves. */
  Upkeep(RetsoCluster cluster, List<TableName> tables) throws IOException {
    this.cluster = cluster;
    this.tables = tables;
    if (cluster.hbase().liveRegionServers() < 2) {
      cluster.hbase().startRegionServer();
    }
  }

  /**
   * Begins to flush a table, and to compact it perhaps, unless the last one is not done.
   *
   * @param kind 0: all files are made one; 1: some; otherwise none
   */
  void begin(int which, int kind) throws Exception {
    TableName table = tables.get(Math.floorMod(which, tables.size()));
    begin(
        () -> {
          for (HRegion region : regions(table)) {
            region.flush(true);
            if (kind == 0) {
              compactAll(region);
            } else if (kind == 1) {
              region.compact(false);
            }
          }
          return null;
        });
  }

  /** Begins to move a region of the table to another server, unless the last one is not done. */
  void beginMove(TableName table, int which) throws Exception {
    begin(
        () -> {
          try (Admin admin = cluster.connection().getAdmin();
              RegionLocator locator = cluster.connection().getRegionLocator(table)) {
            locator.clearRegionLocationCache();
            List<HRegionLocation> regions = locator.getAllRegionLocations();
            HRegionLocation region = regions.get(Math.floorMod(which, regions.size()));
            List<ServerName> others = new ArrayList<>(admin.getRegionServers());
            others.remove(region.getServerName());
            admin.move(region.getRegion().getEncodedNameAsBytes(), others.get(0));
          }
          return null;
        });
  }

  private void begin(Callable<?> action) throws Exception {
    if (last == null || last.isDone()) {
      await();
      last = thread.submit(action);
    }
  }

  /** Splits the regions of all tables that have the row, when the last upkeep is done. */
  void split(byte[] row) throws Exception {
    await();
    Connection connection = cluster.connection();
    List<Future<?>> splits = new ArrayList<>();
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        try (RegionLocator locator = connection.getRegionLocator(table)) {
          byte[] region = locator.getRegionLocation(row, true).getRegion().getRegionName();
          splits.add(admin.splitRegionAsync(region, row));
        }
      }
    }
    for (Future<?> split : splits) {
      split.get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
    }
  }

  /** As an operator's major_compact, which writes MOB files anew, too. */
  private static void compactAll(HRegion region) throws IOException {
    for (HStore store : region.getStores()) {
      store.triggerMajorCompaction();
      CompactionContext compaction =
          store
              .requestCompaction(HStore.PRIORITY_USER, CompactionLifeCycleTracker.DUMMY, null)
              .orElse(null);
      if (compaction != null) {
        region.compact(compaction, store, NoLimitThroughputController.INSTANCE);
      }
    }
  }

  private List<HRegion> regions(TableName table) throws IOException {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .flatMap(server -> server.getRegionServer().getRegions(table).stream())
        .map(HRegion.class::cast)
        .toList();
  }

  private void await() throws Exception {
    if (last != null) {
      try {
        last.get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception failure ? failure : e;
      }
    }
  }

  @Override
  public void close() throws Exception {
    try {
      await();
    } finally {
      thread.shutdown();
    }
  }
}
