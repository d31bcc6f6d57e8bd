package io.retso.verify.faults;

import io.retso.verify.lists.ListKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What any administrator may do to tables while they are used. What cannot be done at the moment is
 * refused: nothing counts that did not happen.
 */
public final class TableFaults {
  private static final int REGIONS_MAX = 6;
  private static final long SECONDS_MAX = 30;

  private final Admin admin;
  private final List<TableName> tables;

  private TableFaults(Admin admin, List<TableName> tables) {
    this.admin = admin;
    this.tables = tables;
  }

  /** All of them; {@code admin} stays open. */
  public static List<Fault> of(Admin admin, List<TableName> tables) {
    TableFaults faults = new TableFaults(admin, tables);
    return List.of(
        new Fault("flush", faults::flush),
        new Fault("compact", faults::compact),
        new Fault("major-compact", faults::majorCompact),
        new Fault("move", faults::move),
        new Fault("split", faults::split),
        new Fault("merge", faults::merge));
  }

  private TableName table(Random random) {
    return tables.get(random.nextInt(tables.size()));
  }

  private String flush(Random random) throws IOException {
    TableName table = table(random);
    admin.flush(table);
    return table + " flushed";
  }

  private String compact(Random random) throws IOException {
    TableName table = table(random);
    admin.flush(table);
    admin.compact(table);
    return table + " flushed, compaction asked for";
  }

  private String majorCompact(Random random) throws IOException {
    TableName table = table(random);
    admin.flush(table);
    admin.majorCompact(table);
    return table + " flushed, major compaction asked for";
  }

  /** HBase skips a move to where the region is without a word, so it goes to another server. */
  private String move(Random random) throws IOException {
    try (RegionLocator locator = admin.getConnection().getRegionLocator(table(random))) {
      List<HRegionLocation> regions = locator.getAllRegionLocations();
      HRegionLocation region = regions.get(random.nextInt(regions.size()));
      List<ServerName> others = new ArrayList<>(admin.getRegionServers());
      others.remove(region.getServerName());
      if (others.isEmpty()) {
        throw new IOException("there is no second region server");
      }
      others.sort(Comparator.comparing(ServerName::toString));
      ServerName server = others.get(random.nextInt(others.size()));
      admin.move(region.getRegion().getEncodedNameAsBytes(), server);
      return region + " moved to " + server;
    }
  }

  /** At any row, in the middle of a group too. */
  private String split(Random random) throws Exception {
    List<RegionInfo> regions =
        regions(random, few -> few < REGIONS_MAX, "each table has " + REGIONS_MAX + " regions");
    byte[] point =
        new ListKey(0, random.nextInt(ListKey.GROUPS), 0, random.nextInt(ListKey.ROWS), 0).rowKey();
    for (RegionInfo region : regions) {
      if (region.containsRow(point) && !Bytes.equals(point, region.getStartKey())) {
        admin.splitRegionAsync(region.getRegionName(), point).get(SECONDS_MAX, TimeUnit.SECONDS);
        return region.getRegionNameAsString() + " split at " + Bytes.toStringBinary(point);
      }
    }
    throw new IOException("a region begins at " + Bytes.toStringBinary(point) + " already");
  }

  private String merge(Random random) throws Exception {
    List<RegionInfo> inOrder = regions(random, many -> many > 1, "each table has one region");
    inOrder.sort(RegionInfo.COMPARATOR);
    int first = random.nextInt(inOrder.size() - 1);
    byte[] left = inOrder.get(first).getEncodedNameAsBytes();
    byte[] right = inOrder.get(first + 1).getEncodedNameAsBytes();
    admin.mergeRegionsAsync(new byte[][] {left, right}, false).get(SECONDS_MAX, TimeUnit.SECONDS);
    return "regions " + Bytes.toString(left) + " and " + Bytes.toString(right) + " merged";
  }

  /** Those of any table that has a fitting number of them. */
  private List<RegionInfo> regions(Random random, IntPredicate fits, String otherwise)
      throws IOException {
    List<List<RegionInfo>> fitting = new ArrayList<>();
    for (TableName table : tables) {
      List<RegionInfo> regions = admin.getRegions(table);
      if (fits.test(regions.size())) {
        fitting.add(new ArrayList<>(regions));
      }
    }
    if (fitting.isEmpty()) {
      throw new IOException(otherwise);
    }
    return fitting.get(random.nextInt(fitting.size()));
  }
}
