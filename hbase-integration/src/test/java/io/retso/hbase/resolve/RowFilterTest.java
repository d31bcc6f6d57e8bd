package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * {@link RowFilter} over all rows of a table against HBase itself, which filters the same rows:
 * each kind of filter by itself, and random compositions, forwards and backwards, for scans and
 * gets.
 */
@ExtendWith(RetsoCluster.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RowFilterTest {
  private static final String[] FAMILIES = {"a", "b", "c"};
  private static final int ROWS = 24;
  private static final int COLUMNS = 6;
  private static final long SEED = 42;

  private Connection connection;
  private Table table;

  @BeforeAll
  void fillTable(RetsoCluster cluster) throws Exception {
    Configuration configuration = cluster.configuration();
    // A filter that HBase does not return from is to fail the test, not to hang it.
    configuration.setInt("hbase.rpc.timeout", 10_000);
    configuration.setInt("hbase.client.scanner.timeout.period", 10_000);
    configuration.setInt("hbase.client.retries.number", 0);
    connection = ConnectionFactory.createConnection(configuration);
    TableName name = cluster.freshName("filtered");
    TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(name);
    for (String family : FAMILIES) {
      descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(descriptor.build());
    }
    table = connection.getTable(name);
    Random random = new Random(SEED);
    List<Put> puts = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      Put put = new Put(row(row));
      for (String family : FAMILIES) {
        for (int column = 0; column < COLUMNS; column++) {
          if (random.nextInt(3) != 0) {
            put.addColumn(Bytes.toBytes(family), qualifier(column), value(random));
          }
        }
      }
      if (!put.isEmpty()) {
        puts.add(put);
      }
    }
    table.put(puts);
  }

  @AfterAll
  void stop() throws Exception {
    table.close();
    connection.close();
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("r%02d", i));
  }

  private static byte[] qualifier(int i) {
    return Bytes.toBytes((i % 2 == 0 ? "even" : "odd") + i);
  }

  private static byte[] value(Random random) {
    return Bytes.toBytes("v" + random.nextInt(4));
  }

  @Test
  void eachFilterByItself() throws Exception {
    Random random = new Random(SEED);
    for (int kind = 0; kind < KINDS; kind++) {
      if (kind == COLUMN_COUNT) {
        continue;
      }
      for (int i = 0; i < 6; i++) {
        check(new Scan().setFilter(simple(kind, random)));
        if (kind != FUZZY_ROW) {
          check(new Scan().setReversed(true).setFilter(simple(kind, random)));
        }
      }
    }
  }

  @Test
  void randomCompositions() throws Exception {
    for (int i = 0; i < 1500; i++) {
      Random random = new Random(SEED + i);
      boolean reversed = random.nextInt(4) == 0;
      // HBase itself may go round in circles if filters seek rows within others, backwards.
      int kinds = reversed ? KINDS_WITHOUT_ROW_SEEKS : SCAN_KINDS;
      Scan scan = new Scan().setFilter(composition(random, 3, kinds)).setReversed(reversed);
      if (random.nextInt(4) == 0) {
        scan.setMaxResultsPerColumnFamily(1 + random.nextInt(4));
        scan.setRowOffsetPerColumnFamily(random.nextInt(3));
      }
      if (random.nextInt(4) == 0) {
        scan.addFamily(Bytes.toBytes("b")).addColumn(Bytes.toBytes("c"), qualifier(2));
      }
      check(scan);
    }
  }

  @Test
  void getsAndLimitsWithoutFilter() throws Exception {
    check(new Scan());
    check(new Scan().setMaxResultsPerColumnFamily(2));
    check(new Scan().setMaxResultsPerColumnFamily(2).setReversed(true));
    Scan offset = new Scan();
    offset.setRowOffsetPerColumnFamily(3);
    check(offset);
    for (int i = 0; i < 200; i++) {
      Random random = new Random(SEED + i);
      Get get = new Get(row(random.nextInt(ROWS))).setFilter(composition(random, 2, GET_KINDS));
      get.setLoadColumnFamiliesOnDemand(false);
      Result all = table.get(new Get(get.getRow()));
      List<Cell> filtered = RowFilter.of(get).apply(all.listCells());
      assertEquals(text(table.get(get).listCells()), text(filtered), () -> "filter " + get);
    }
  }

  /** A filter has state; the application's own object must keep none of it. */
  @Test
  void aFilterMayBeUsedAgain() throws Exception {
    Scan scan = new Scan().setFilter(new PageFilter(2));
    assertEquals(filtered(scan), filtered(scan));
    assertTrue(RowFilter.of(scan).apply(List.of()).isEmpty());
  }

  private void check(Scan scan) throws IOException {
    scan.setLoadColumnFamiliesOnDemand(false);
    List<String> expected = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        expected.addAll(text(result.listCells()));
      }
    }
    List<String> actual = filtered(scan);
    for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
      String cell = i < expected.size() ? expected.get(i) : "end";
      int index = i;
      assertEquals(
          cell,
          i < actual.size() ? actual.get(i) : "end",
          () -> "cell " + index + " of " + scan + " with filter " + scan.getFilter());
    }
  }

  private List<String> filtered(Scan scan) throws IOException {
    List<String> cells = new ArrayList<>();
    RowFilter filter = RowFilter.of(scan);
    Scan all = new Scan(scan).setFilter(null).setMaxResultsPerColumnFamily(-1);
    all.setRowOffsetPerColumnFamily(0);
    try (ResultScanner scanner = table.getScanner(all)) {
      for (Result row = scanner.next(); row != null && !filter.isDone(); row = scanner.next()) {
        cells.addAll(text(filter.apply(row.listCells())));
      }
    }
    return cells;
  }

  private static List<String> text(List<Cell> cells) {
    return cells == null
        ? List.of()
        : cells.stream()
            .map(
                c ->
                    CellUtil.getCellKeyAsString(c)
                        + " = "
                        + Bytes.toStringBinary(CellUtil.cloneValue(c)))
            .toList();
  }

  /** Lists of filters, and filters around filters, nested up to {@code depth}. */
  private static Filter composition(Random random, int depth, int kinds) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return simple(random.nextInt(kinds), random);
    }
    return switch (random.nextInt(5)) {
      case 0 -> new SkipFilter(composition(random, depth - 1, kinds));
      case 1 -> new WhileMatchFilter(composition(random, depth - 1, kinds));
      default -> {
        FilterList list =
            new FilterList(random.nextBoolean() ? Operator.MUST_PASS_ALL : Operator.MUST_PASS_ONE);
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          list.addFilter(composition(random, depth - 1, kinds));
        }
        yield list;
      }
    };
  }

  // Kinds of filters, by what HBase 2.6 can do with them.
  private static final int KINDS_WITHOUT_ROW_SEEKS = 16;

  /** HBase does not return from a reversed scan with it. */
  private static final int FUZZY_ROW = 17;

  /** Up to here they may be combined in scans. */
  private static final int SCAN_KINDS = 18;

  /** Not for scans, says HBase's documentation: a family that has enough ends for all rows. */
  private static final int COLUMN_COUNT = 18;

  /** Up to here they may be combined in gets. */
  private static final int GET_KINDS = 19;

  /** Within others, HBase itself fails with a null pointer if it is not asked about a row's key. */
  private static final int ROW_RANGES = 19;

  private static final int KINDS = 20;

  private static Filter simple(int kind, Random random) {
    byte[] family = Bytes.toBytes(FAMILIES[random.nextInt(FAMILIES.length)]);
    byte[] column = qualifier(random.nextInt(COLUMNS));
    byte[] row = row(random.nextInt(ROWS));
    byte[] value = value(random);
    CompareOperator operator =
        new CompareOperator[] {
              CompareOperator.EQUAL, CompareOperator.NOT_EQUAL, CompareOperator.LESS_OR_EQUAL
            }
            [random.nextInt(3)];
    BinaryComparator toValue = new BinaryComparator(value);
    return switch (kind) {
      case 0 -> missing(new SingleColumnValueFilter(family, column, operator, value), random);
      case 1 ->
          missing(new SingleColumnValueExcludeFilter(family, column, operator, value), random);
      case 2 ->
          new org.apache.hadoop.hbase.filter.RowFilter(
              operator,
              random.nextBoolean() ? new SubstringComparator("1") : new BinaryComparator(row));
      case 3 -> new PageFilter(1 + random.nextInt(5));
      case 4 -> new FirstKeyOnlyFilter();
      case 5 -> new KeyOnlyFilter(random.nextBoolean());
      case 6 -> new ColumnPaginationFilter(1 + random.nextInt(4), random.nextInt(4));
      case 7 -> new ColumnPaginationFilter(1 + random.nextInt(4), column);
      case 8 -> new ColumnRangeFilter(column, random.nextBoolean(), null, false);
      case 9 -> new ColumnRangeFilter(null, true, column, random.nextBoolean());
      case 10 ->
          new MultipleColumnPrefixFilter(
              new byte[][] {Bytes.toBytes("odd"), Bytes.toBytes("even2")});
      case 11 -> new ColumnPrefixFilter(Bytes.toBytes(random.nextBoolean() ? "odd" : "even"));
      case 12 -> new InclusiveStopFilter(row);
      case 13 -> new ValueFilter(operator, toValue);
      case 14 -> new QualifierFilter(operator, new BinaryComparator(column));
      case 15 -> new FamilyFilter(operator, new BinaryComparator(family));
      case 16 -> new PrefixFilter(Arrays.copyOf(row, 2));
      case FUZZY_ROW ->
          new FuzzyRowFilter(
              List.of(new Pair<>(Arrays.copyOf(row, row.length), new byte[] {0, 1, 0})));
      case COLUMN_COUNT -> new ColumnCountGetFilter(1 + random.nextInt(9));
      case ROW_RANGES ->
          new MultiRowRangeFilter(
              Arrays.asList( // which it sorts
                  new RowRange(row(3), true, row(7), false),
                  new RowRange(row, true, row(23), true)));
      default -> throw new AssertionError(kind);
    };
  }

  private static Filter missing(SingleColumnValueFilter filter, Random random) {
    filter.setFilterIfMissing(random.nextBoolean());
    return filter;
  }
}
