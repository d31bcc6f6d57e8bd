package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * What the family of the marks says of a region, in memory and files, also of one that is not open
 * yet: HBase replays the log, and flushes at its end and perhaps amid it, before it opens a region.
 * Needs neither settings nor an oracle. Stateless.
 */
public final class LoggedAdoptions {
  private static final byte[] FAMILY = PendingWrite.family();

  private LoggedAdoptions() {}

  /** The first row that a region can have: where its adoptions are. */
  public static byte[] row(Region region) {
    return AdoptionRequest.firstRow(region.getRegionInfo().getStartKey());
  }

  /** The adoptions that are there: outcomes by start timestamp. */
  public static Map<Long, Long> read(Region region) throws IOException {
    byte[] row = row(region);
    Map<Long, Long> adoptions = new HashMap<>();
    read(
        region,
        new Scan().withStartRow(row).withStopRow(row, true),
        cell -> {
          if (AdoptionCell.is(cell)) {
            AdoptionCell.read(cell, adoptions::put);
          }
          return true;
        });
    return adoptions;
  }

  /** Gives all marks that are there, in their order; the cells are valid during the call. */
  static void marks(Region region, Consumer<Cell> found) throws IOException {
    read(
        region,
        new Scan(),
        cell -> {
          if (PendingWrite.isWellFormed(cell)) {
            found.accept(cell);
          }
          return true;
        });
  }

  /**
   * Copies of the marks of some transactions that are there, in their order.
   *
   * @param last the row behind which to begin; empty for the first one
   * @param starts start timestamps of those transactions
   * @param max marks at most
   */
  public static List<Cell> marks(Region region, byte[] last, LongPredicate starts, int max)
      throws IOException {
    List<Cell> found = new ArrayList<>();
    read(
        region,
        new Scan().withStartRow(last, false), // no longer row need be possible
        cell -> {
          if (PendingWrite.isWellFormed(cell) && starts.test(PendingWrite.startOf(cell))) {
            found.add(KeyValueUtil.copyToNewKeyValue(cell));
          }
          return found.size() < max;
        });
    return found;
  }

  /** The test says whether to go on. */
  private static void read(Region region, Scan scan, Predicate<Cell> found) throws IOException {
    HBaseInternals.read(region, FAMILY, scan.addFamily(FAMILY), found);
  }
}
