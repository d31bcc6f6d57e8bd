package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.data.ReadAttribute;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext.LimitScope;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** HBase's limits and metrics of scans hold for snapshot reads, whatever the rows leave. */
@ExtendWith(RetsoCluster.Extension.class)
class ScanLimitsTest {
  /** Of each kind. */
  private static final int ROWS = 5;

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  private static Filter wanted() {
    return new SingleColumnValueFilter(
        RawTable.F, Bytes.toBytes("a"), CompareOperator.EQUAL, Bytes.toBytes("wanted"));
  }

  private static Filter wantedCells() {
    return new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("wanted")));
  }

  /** The answers of a region to a client whose time is always up: rows, or "" for none. */
  private List<String> answers(Scan scan) throws IOException {
    HRegion region = t.regions().get(0);
    ReadAttribute.set(scan, t.oracle.begin());
    scan.addFamily(RawTable.F);
    region.getCoprocessorHost().preScannerOpen(scan);
    List<String> answers = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(scan)) {
      boolean more = true;
      while (more) {
        ScannerContext late =
            ScannerContext.newBuilder().setTimeLimit(LimitScope.BETWEEN_ROWS, 1).build();
        List<Cell> row = new ArrayList<>();
        more = scanner.nextRaw(row, late);
        answers.add(row.isEmpty() ? "" : Bytes.toString(CellUtil.cloneRow(row.get(0))));
      }
    }
    return answers;
  }

  @Test
  void theTimeLimitHoldsAtRowsThatLeaveNothing() throws IOException {
    long pending = t.oracle.begin();
    for (int i = 0; i < ROWS; i++) {
      t.write(pending, "a" + i, "a", "wanted");
      t.update("b" + i, "a", null);
      t.update("c" + i, "a", "other");
    }
    t.update("d", "a", "wanted");
    List<String> each = new ArrayList<>();
    for (int i = 0; i < 2 * ROWS; i++) {
      each.add("");
    }
    List<String> unfiltered = new ArrayList<>(each);
    for (int i = 0; i < ROWS; i++) {
      each.add("");
      unfiltered.add("c" + i);
    }
    each.add("d");
    unfiltered.add("d");
    assertEquals(unfiltered, answers(new Scan()));
    assertEquals(each, answers(new Scan().setFilter(wanted())));
    assertEquals(each, answers(new Scan().setFilter(wantedCells())));
  }

  @Test
  void countsTheRowsThatHBaseWouldCount() throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      for (String value : List.of("other", "wanted")) {
        byte[] row = Bytes.toBytes(i + value);
        puts.add(new Put(row).addColumn(RawTable.F, Bytes.toBytes("a"), 5, Bytes.toBytes(value)));
      }
    }
    t.table.put(puts);
    assertEquals("5 of 10, 5 filtered", counts(new Scan().setFilter(wanted()), true));
    for (Filter filter : List.of(wanted(), wantedCells())) {
      for (boolean reversed : List.of(false, true)) {
        Scan scan = new Scan().setFilter(filter).setReversed(reversed);
        assertEquals(counts(new Scan(scan), false), counts(new Scan(scan), true));
      }
    }
  }

  private String counts(Scan scan, boolean snapshot) throws IOException {
    scan.addFamily(RawTable.F).setScanMetricsEnabled(true);
    if (snapshot) {
      ReadAttribute.set(scan, t.oracle.begin());
    }
    int rows = 0;
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      for (Result row : scanner) {
        assertFalse(row.isEmpty());
        rows++;
      }
      ScanMetrics metrics = scanner.getScanMetrics();
      return rows
          + " of "
          + metrics.countOfRowsScanned
          + ", "
          + metrics.countOfRowsFiltered
          + " filtered";
    }
  }
}
