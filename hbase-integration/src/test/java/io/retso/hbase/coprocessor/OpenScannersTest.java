package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What HBase's open scanners do with a cell that moves to a higher version as it is written to a
 * file: a layout that has flushes or compactions do so must know. Between two pages of a scan its
 * scanner stands at the first cell of the next row, in memory or in a file.
 *
 * <p>Nothing of ReTSO is here but the versions. {@link MovedCellsTest} has readers that look.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class OpenScannersTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");

  private RetsoCluster cluster;
  private TableName name;

  @BeforeEach
  void name(RetsoCluster shared) {
    cluster = shared;
    name = cluster.freshName("moving");
  }

  @AfterEach
  void drop() throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
  }

  private HRegion region() {
    return cluster.hbase().cluster().getLiveRegionServers().stream()
        .flatMap(thread -> thread.getRegionServer().getRegions(name).stream())
        .map(HRegion.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private interface Step {
    void run(HRegion region) throws Exception;
  }

  /** The rows a, b and c, as {@code row/version}, of a scan in whose middle something happens. */
  private List<String> scanned(Step before, Step between, String... properties) throws Exception {
    TableDescriptorBuilder descriptor =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(10).build())
            .setCoprocessor(MovingCells.class.getName());
    for (String property : properties) {
      descriptor.setValue(property, "yes");
    }
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.createTable(descriptor.build());
    }
    List<String> rows = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name)) {
      for (String row : List.of("a", "b", "c")) {
        table.put(new Put(Bytes.toBytes(row)).addColumn(F, Q, MovingCells.BEFORE, Q));
      }
      before.run(region());
      try (ResultScanner scanner = table.getScanner(new Scan().setCaching(1))) {
        rows.add(text(scanner.next()));
        between.run(region());
        scanner.forEach(result -> rows.add(text(result)));
      }
    }
    return rows;
  }

  private static String text(Result result) {
    return Bytes.toString(result.getRow()) + "/" + result.rawCells()[0].getTimestamp();
  }

  private static void nothing(HRegion region) {}

  @Test
  void missACellThatAFlushMoves() throws Exception {
    assertEquals(
        List.of("a/16", "c/33"),
        scanned(OpenScannersTest::nothing, region -> region.flush(true), MovingCells.AT_FLUSH));
  }

  @Test
  void goOnWithTheOldFilesIfACompactionMovesCells() throws Exception {
    assertEquals(
        List.of("a/16", "b/16", "c/16"),
        scanned(
            region -> region.flush(true),
            region -> region.compact(true),
            MovingCells.AT_COMPACTION));
  }
}
