package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
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
  /** So many of each kind. */
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
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
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

  /** Rows have one of two families, or both, which pass over rows each by itself. */
  private void putSparseRows() throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 100; i < 900; i++) {
      Put put = new Put(Bytes.toBytes("" + i));
      for (String column : List.of("a", "b")) {
        if (i % 3 != 1) {
          put.addColumn(RawTable.F, Bytes.toBytes(column), 5, Bytes.toBytes("1"));
        }
        if (i % 3 != 2) {
          put.addColumn(RawTable.G, Bytes.toBytes(column), 5, Bytes.toBytes("1"));
        }
      }
      puts.add(put);
    }
    t.table.put(puts);
  }

  private static Filter ranges() {
    return new MultiRowRangeFilter(
        Arrays.asList( // which it sorts
            new RowRange(Bytes.toBytes("100"), true, Bytes.toBytes("104"), true),
            new RowRange(Bytes.toBytes("500"), false, Bytes.toBytes("505"), true)));
  }

  @Test
  void rowsThatAHintPassesOverAreNotRead() throws IOException {
    putSparseRows();
    List<Filter> filters =
        List.of(ranges(), new FilterList(ranges(), new ColumnPrefixFilter(Bytes.toBytes("b"))));
    for (Filter filter : filters) {
      Scan scan = new Scan().addFamily(RawTable.F).addFamily(RawTable.G).setFilter(filter);
      List<String> expected = new ArrayList<>();
      scan(new Scan(scan), expected);
      List<String> found = new ArrayList<>();
      ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
      long scanned = scan(scan, found).countOfRowsScanned.get();
      assertFalse(expected.isEmpty());
      assertEquals(expected, found);
      assertTrue(scanned < 40, () -> scanned + " rows of 800 were read for " + filter);
    }
  }

  @Test
  void hintsOfScansBackwardsPassOverTheSameRows() throws IOException {
    putSparseRows();
    Scan scan = new Scan().addFamily(RawTable.F).addFamily(RawTable.G).setReversed(true);
    List<String> expected = new ArrayList<>();
    scan(new Scan(scan).setFilter(ranges()), expected);
    List<String> found = new ArrayList<>();
    ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    scan(scan.setFilter(ranges()), found);
    assertFalse(expected.isEmpty());
    assertEquals(expected, found);
  }

  /** Adds the cells of a scan. */
  private ScanMetrics scan(Scan scan, List<String> cells) throws IOException {
    try (ResultScanner scanner = t.table.getScanner(scan.setScanMetricsEnabled(true))) {
      for (Result row : scanner) {
        assertFalse(row.isEmpty());
        row.listCells().forEach(cell -> cells.add(CellUtil.getCellKeyAsString(cell)));
      }
      return scanner.getScanMetrics();
    }
  }

  private String counts(Scan scan, boolean snapshot) throws IOException {
    scan.addFamily(RawTable.F);
    if (snapshot) {
      ReadAttribute.set(scan, RawTable.FINGERPRINT, t.oracle.begin());
    }
    List<String> cells = new ArrayList<>(); // one of each row
    ScanMetrics metrics = scan(scan, cells);
    return cells.size()
        + " of "
        + metrics.countOfRowsScanned
        + ", "
        + metrics.countOfRowsFiltered
        + " filtered";
  }
}
