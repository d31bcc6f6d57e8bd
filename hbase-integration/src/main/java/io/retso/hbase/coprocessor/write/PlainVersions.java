package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.layout.RegionSettings;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * How far versions of plain writers may be ahead. What begins below such a version is not adopted,
 * and a snapshot below it does not see it: one put with a version of the far future would keep a
 * region from adopting anything until then, for all users. Thread-safe.
 */
public final class PlainVersions {
  /** Property of region servers and tables, in milliseconds. */
  static final String AHEAD_MAX = "retso.plain.ahead.max";

  private static final long AHEAD_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final long aheadMillis;
  private final Horizon horizon;

  /**
   * Those of a region.
   *
   * @param aheadMillis {@link #aheadMillis}
   * @param horizon of its snapshots; the oracle's timestamps may be far ahead of the clock
   */
  public PlainVersions(long aheadMillis, Horizon horizon) {
    this.aheadMillis = aheadMillis;
    this.horizon = horizon;
  }

  /**
   * How far, in milliseconds as versions are.
   *
   * @throws IllegalArgumentException if that is no number
   */
  public static long aheadMillis(Region region) {
    return RegionSettings.millis(region.getReadOnlyConfiguration(), AHEAD_MAX, AHEAD_MILLIS);
  }

  /**
   * Checks what a plain writer changes.
   *
   * @throws IllegalArgumentException if a version is too far ahead
   */
  void check(Mutation plain) {
    long newest = Math.max(HBaseInternals.now(), horizon.refused());
    for (List<Cell> family : plain.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        long version = cell.getTimestamp();
        if (version != HConstants.LATEST_TIMESTAMP && version - newest > aheadMillis) {
          throw new IllegalArgumentException(
              "version "
                  + version
                  + " of a plain write is more than "
                  + aheadMillis
                  + " ms ahead of now, and would keep transactions of this region from being"
                  + " cleaned up at once until then: correct the writer's clock, or set "
                  + AHEAD_MAX
                  + " for the table");
        }
      }
    }
  }
}
