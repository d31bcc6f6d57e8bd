package io.retso.hbase.coprocessor.replay;

import static io.retso.hbase.coprocessor.replay.LoggedOnly.DATA;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.MARKS;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.Q;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.wal.WALActionsListener;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What layouts cost a region, without requests, reads and the oracle: processor time of the thread
 * that writes, cleans up and flushes, which other programs do not disturb much; cells in memory and
 * bytes in the log. By hand, {@code -Dretso.layouts=N} rounds of each; docs/decisions/0025.
 */
@ExtendWith(RetsoCluster.Extension.class)
@EnabledIfSystemProperty(named = "retso.layouts", matches = "\\d+")
class LayoutsTest {
  private static final int ROUNDS = Integer.getInteger("retso.layouts", 0);
  private static final int WARM_UP = 2;

  /** Rows that a round writes, before it flushes. */
  private static final int ROWS = 20_000;

  /** Transactions that one batch cleans up. */
  private static final int CLEANED_AT_ONCE = 10;

  private enum Layout {
    PLAIN,
    /** Five cells a row. */
    CELLS,
    /** Marks in the log and a map, rows are moved: decision 24. */
    MAPPED,
    /** And outcomes are adopted: decision 25. */
    ADOPTED
  }

  /** Figures of all rounds of a layout. */
  private static final class Figures {
    final List<Long> nanos = new ArrayList<>();
    final List<Long> flushNanos = new ArrayList<>();
    long cells;
    final AtomicLong logged = new AtomicLong();
    final AtomicLong entries = new AtomicLong();
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  @Test
  void costWhatTheyCost(RetsoCluster cluster) throws Exception {
    for (int puts : new int[] {1, 10, 100}) {
      Map<Layout, Figures> all = new EnumMap<>(Layout.class);
      Map<Layout, HRegion> regions = new EnumMap<>(Layout.class);
      for (Layout layout : Layout.values()) {
        Figures figures = new Figures();
        all.put(layout, figures);
        regions.put(layout, region(cluster, figures));
      }
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        for (Layout layout : Layout.values()) {
          round(layout, regions.get(layout), puts, round, all.get(layout));
        }
      }
      double plain = median(all.get(Layout.PLAIN).nanos);
      double flushed = median(all.get(Layout.PLAIN).flushNanos);
      all.forEach(
          (layout, figures) ->
              System.out.printf(
                  "layouts: %3d puts %-8s cells/row %.2f log bytes/row %4d entries %.2f"
                      + " us/row %.1f ratio %.2f flush us/row %.1f ratio %.2f both %.2f%n",
                  puts,
                  layout,
                  (double) figures.cells / ROWS,
                  figures.logged.get() / ROWS / (WARM_UP + ROUNDS),
                  figures.entries.get() * (double) puts / ROWS / (WARM_UP + ROUNDS),
                  median(figures.nanos) / ROWS / 1000,
                  median(figures.nanos) / plain,
                  median(figures.flushNanos) / ROWS / 1000,
                  median(figures.flushNanos) / flushed,
                  (median(figures.nanos) + median(figures.flushNanos)) / (plain + flushed)));
      assertTrue(all.get(Layout.ADOPTED).cells < all.get(Layout.MAPPED).cells);
    }
  }

  private static double median(List<Long> all) {
    long[] sorted =
        all.subList(WARM_UP, all.size()).stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  private static HRegion region(RetsoCluster cluster, Figures figures) throws IOException {
    TableName name = cluster.freshName("layouts");
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(DATA).setMaxVersions(1000).build())
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(MARKS)
                      .setNewVersionBehavior(true)
                      .build())
              .setCoprocessor(Layouts.class.getName())
              .build());
    }
    HRegion region =
        cluster.hbase().cluster().getLiveRegionServers().stream()
            .flatMap(thread -> thread.getRegionServer().getRegions(name).stream())
            .findFirst()
            .orElseThrow();
    byte[] encoded = region.getRegionInfo().getEncodedNameAsBytes();
    region
        .getWAL()
        .registerWALActionsListener(
            new WALActionsListener() {
              @Override
              public void postAppend(long bytes, long millis, WALKey key, WALEdit edit) {
                if (Arrays.equals(key.getEncodedRegionName(), encoded) && !edit.isMetaEdit()) {
                  figures.logged.addAndGet(bytes);
                  figures.entries.incrementAndGet();
                }
              }
            });
    return region;
  }

  private static void round(Layout layout, HRegion region, int puts, int round, Figures figures)
      throws IOException {
    long begun = cpu();
    long start = 16L * ROWS * (round + 1);
    List<Mutation> cleanups = new ArrayList<>();
    List<byte[]> adoptions = new ArrayList<>();
    for (int row = 0; row < ROWS; row += puts) {
      start += 32;
      List<Mutation> writes = new ArrayList<>(puts);
      for (int i = row; i < row + puts; i++) {
        byte[] key = Bytes.toBytes("row" + (i * 7919L % ROWS));
        Put put = new Put(key).addColumn(DATA, Q, start, Layouts.VALUE);
        if (layout != Layout.PLAIN) {
          put.addColumn(MARKS, Bytes.toBytes(start), start, Bytes.toBytes(1));
        }
        if (layout == Layout.MAPPED || layout == Layout.ADOPTED) {
          put.setAttribute(Layouts.ATTRIBUTE, Layouts.attribute(Layouts.WRITE, start));
        }
        writes.add(put);
        if (layout == Layout.CELLS || layout == Layout.MAPPED) {
          byte how = layout == Layout.CELLS ? Layouts.MOVE : Layouts.MOVE_MAPPED;
          Put cleanup = new Put(key).addColumn(MARKS, Bytes.toBytes(start), start, new byte[0]);
          cleanup.setAttribute(Layouts.ATTRIBUTE, Layouts.attribute(how, start));
          cleanups.add(cleanup);
        }
      }
      region.batchMutate(writes.toArray(new Mutation[0]));
      if (layout == Layout.ADOPTED) {
        adoptions.add(Bytes.add(Bytes.toBytes(start), Bytes.toBytes(start + 16)));
        if (adoptions.size() == CLEANED_AT_ONCE) {
          cleanups.add(adoption(adoptions, start));
        }
      }
      boolean isFull =
          layout == Layout.ADOPTED
              ? !cleanups.isEmpty()
              : cleanups.size() == CLEANED_AT_ONCE * puts;
      if (isFull) {
        region.batchMutate(cleanups.toArray(new Mutation[0]));
        cleanups.clear();
        adoptions.clear();
      }
    }
    figures.nanos.add(cpu() - begun);
    figures.cells = 0;
    region.getStores().forEach(store -> figures.cells += store.getMemStoreSize().getCellsCount());
    begun = cpu();
    region.flush(true);
    figures.flushNanos.add(cpu() - begun);
  }

  private static Put adoption(List<byte[]> adoptions, long number) {
    byte[] list = Bytes.add(adoptions.toArray(new byte[0][]));
    Put put = new Put(Bytes.toBytes("row")).addColumn(MARKS, Bytes.toBytes(number), 1, list);
    put.setAttribute(Layouts.ATTRIBUTE, Layouts.attribute(Layouts.ADOPT, 0));
    return put;
  }
}
