package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
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

  /**
   * Gives the marks that are there, in their order.
   *
   * @param last the row behind which to begin; empty for the first one
   * @param found is given each mark, valid during the call; says whether to go on
   */
  public static void marks(Region region, byte[] last, Predicate<Cell> found) throws IOException {
    Scan scan = new Scan().withStartRow(last, false); // no longer row need be possible
    read(region, scan, cell -> !PendingWrite.isWellFormed(cell) || found.test(cell));
  }

  /** The test says whether to go on. */
  private static void read(Region region, Scan scan, Predicate<Cell> found) throws IOException {
    HBaseInternals.read(region, FAMILY, scan.addFamily(FAMILY), found);
  }
}
