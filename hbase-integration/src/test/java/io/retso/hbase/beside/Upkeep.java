package io.retso.hbase.beside;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HRegion;

/** Flushes and compactions beside the statements, one at a time, on a thread of its own. */
@SuppressWarnings("try") // closing may be interrupted, as in any test
final class Upkeep implements AutoCloseable {
  private final RetsoCluster cluster;
  private final List<TableName> tables;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Future<?> last;

  Upkeep(RetsoCluster cluster, List<TableName> tables) {
    this.cluster = cluster;
    this.tables = tables;
  }

  /**
   * Begins to flush a table, and to compact it perhaps, unless the last one is not done.
   *
   * @param kind 0: all files are made one; 1: some; otherwise none
   */
  void begin(int which, int kind) throws Exception {
    if (last != null && !last.isDone()) {
      return;
    }
    check();
    TableName table = tables.get(Math.floorMod(which, tables.size()));
    last =
        thread.submit(
            () -> {
              for (HRegion region : regions(table)) {
                region.flush(true);
                if (kind <= 1) {
                  region.compact(kind == 0);
                }
              }
              return null;
            });
  }

  private List<HRegion> regions(TableName table) throws IOException {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .flatMap(server -> server.getRegionServer().getRegions(table).stream())
        .map(HRegion.class::cast)
        .toList();
  }

  private void check() throws Exception {
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
      check();
    } finally {
      thread.shutdown();
    }
  }
}
