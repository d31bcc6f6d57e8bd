package io.retso.hbase.beside;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterList.Operator;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;

/** Random filters, alone and composed. */
final class Filters {
  private static final List<CompareOperator> OPERATORS =
      Arrays.stream(CompareOperator.values()).filter(o -> o != CompareOperator.NO_OP).toList();

  private Filters() {}

  static CompareOperator operator(Draw draw) {
    return draw.oneOf(OPERATORS);
  }

  static Filter of(Draw draw) {
    return of(draw, 2);
  }

  private static Filter of(Draw draw, int depth) {
    if (depth == 0 || draw.oneIn(2)) {
      return simple(draw);
    }
    return switch (draw.below(5)) {
      case 0 -> new SkipFilter(of(draw, depth - 1));
      case 1 -> new WhileMatchFilter(of(draw, depth - 1));
      default -> {
        FilterList list =
            new FilterList(draw.oneIn(2) ? Operator.MUST_PASS_ALL : Operator.MUST_PASS_ONE);
        for (int i = draw.below(3); i >= 0; i--) {
          list.addFilter(of(draw, depth - 1));
        }
        yield list;
      }
    };
  }

  private static Filter simple(Draw draw) {
    byte[] family = draw.family();
    byte[] column = draw.qualifier();
    CompareOperator operator = operator(draw);
    return switch (draw.below(17)) {
      case 0 -> missing(draw, new SingleColumnValueFilter(family, column, operator, draw.value()));
      case 1 ->
          missing(draw, new SingleColumnValueExcludeFilter(family, column, operator, draw.value()));
      case 2 -> new RowFilter(operator, comparator(draw, draw.row()));
      case 3 -> new PageFilter(1 + draw.below(5));
      case 4 -> new FirstKeyOnlyFilter();
      case 5 -> new KeyOnlyFilter(draw.oneIn(2));
      case 6 -> new ColumnPaginationFilter(1 + draw.below(4), draw.below(4));
      case 7 -> new ColumnPaginationFilter(1 + draw.below(4), column);
      case 8 -> new ColumnRangeFilter(column, draw.oneIn(2), null, false);
      case 9 -> new ColumnRangeFilter(null, true, column, draw.oneIn(2));
      case 10 -> new MultipleColumnPrefixFilter(new byte[][] {column});
      case 11 -> new ColumnPrefixFilter(column);
      case 12 -> new InclusiveStopFilter(draw.row());
      case 13 -> new ValueFilter(operator, comparator(draw, draw.value()));
      case 14 -> new QualifierFilter(operator, comparator(draw, column));
      case 15 -> new FamilyFilter(operator, new BinaryComparator(family));
      default ->
          draw.oneIn(2)
              ? new ColumnValueFilter(family, column, operator, draw.value())
              : new ColumnCountGetFilter(1 + draw.below(9));
    };
  }

  private static ByteArrayComparable comparator(Draw draw, byte[] with) {
    return switch (draw.below(4)) {
      case 0 -> new SubstringComparator(draw.oneIn(2) ? "1" : "a");
      case 1 -> new BinaryPrefixComparator(with);
      default -> new BinaryComparator(with);
    };
  }

  private static Filter missing(Draw draw, SingleColumnValueFilter filter) {
    filter.setFilterIfMissing(draw.oneIn(2));
    return filter;
  }
}
