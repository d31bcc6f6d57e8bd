package io.retso.hbase;

import io.retso.hbase.embedded.EmbeddedHBase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;

/** The tags that HBase keeps with cells, by which it knows who may see them. */
public final class StoredTags {
  private StoredTags() {}

  public static List<HRegion> regions(EmbeddedHBase hbase, TableName table) {
    return hbase.cluster().getLiveRegionServers().stream()
        .flatMap(server -> server.getRegionServer().getRegions(table).stream())
        .map(HRegion.class::cast)
        .toList();
  }

  /** Of the newest version of each column of a row, like "f:q 0a1b"; empty ones are left out. */
  public static List<String> of(EmbeddedHBase hbase, TableName table, String row)
      throws IOException {
    byte[] key = Fixture.bytes(row);
    List<String> tags = new ArrayList<>();
    for (HRegion region : regions(hbase, table)) {
      if (region.getRegionInfo().containsRow(key)) {
        try (RegionScanner scanner = region.getScanner(new Scan(new Get(key)))) {
          List<Cell> cells = new ArrayList<>();
          scanner.next(cells);
          for (Cell cell : cells) {
            byte[] stored = PrivateCellUtil.cloneTags(cell);
            if (stored.length > 0) {
              tags.add(
                  Bytes.toStringBinary(CellUtil.cloneFamily(cell)) + " " + Bytes.toHex(stored));
            }
          }
        }
      }
    }
    return tags;
  }
}
