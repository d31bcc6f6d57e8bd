package io.retso.hbase.table;

import io.retso.hbase.layout.AdoptionRequest;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.util.Bytes;

/** A row of each region, to ask all of them something. Stateless. */
public final class RegionRows {
  private RegionRows() {}

  /** The regions of a table, without their replicas, by the least row that can be in each. */
  public static SortedMap<byte[], HRegionLocation> of(List<HRegionLocation> locations) {
    SortedMap<byte[], HRegionLocation> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (HRegionLocation location : locations) {
      byte[] first = AdoptionRequest.firstRow(location.getRegion().getStartKey());
      rows.putIfAbsent(first, location);
    }
    return rows;
  }
}
