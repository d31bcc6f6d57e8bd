package io.retso.hbase.beside;

import io.retso.hbase.layout.Tombstone;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Every statement whose outcome need not be that of a plain table, and why. */
enum KnownDifference {
  /** The value that means deleted cannot be written; docs/differences.md says so. */
  RESERVED_VALUE(
      true, (mode, s) -> cells(s).anyMatch(cell -> !CellUtil.isDelete(cell) && Tombstone.is(cell))),

  /**
   * With client reads, filters that count rows or end the scan do so once for all of it; regions,
   * plain ones too, begin anew.
   */
  FILTERS_OF_REGIONS(
      false,
      (mode, s) ->
          !mode.serverReads()
              && s.requests().get(0) instanceof Scan
              && hasFilter(s, f -> f instanceof PageFilter || f instanceof WhileMatchFilter)),

  /** HBase: "unsuitable as a Scan filter". There it ends a family for all rows that follow. */
  COLUMN_COUNT_IN_SCANS(
      false,
      (mode, s) ->
          s.requests().get(0) instanceof Scan
              && hasFilter(s, ColumnCountGetFilter.class::isInstance)),

  /**
   * HBase writes all of them with one timestamp, so that a delete also hides what is put after it,
   * and increments by what was there before them all; here they are carried out in their order.
   */
  A_COLUMN_TWICE_IN_ROW_MUTATIONS(false, (mode, s) -> rowMutations(s).anyMatch(OneColumn::isTwice)),

  /** HBase returns each value, though only the last one is kept; here it is that one. */
  A_COLUMN_TWICE_IN_RESULTS(
      false,
      (mode, s) ->
          mutations(s)
              .anyMatch(m -> (m instanceof Increment || m instanceof Append) && repeats(m))),

  /**
   * HBase returns the cells in the order of the mutations, in which getValue does not find them.
   */
  ORDER_OF_RESULTS(
      false,
      (mode, s) ->
          rowMutations(s)
              .anyMatch(
                  r ->
                      r.getMutations().stream()
                              .filter(m -> m instanceof Increment || m instanceof Append)
                              .count()
                          > 1)),

  /** HBase answers with null in a batch, and with an empty Result otherwise; here it is null. */
  CHECKED_WITHOUT_RESULTS(
      false,
      (mode, s) ->
          s.requests().stream()
              .map(r -> r instanceof CheckAndMutate check ? check.getAction() : null)
              .anyMatch(
                  then ->
                      then instanceof Increment increment && !increment.isReturnResults()
                          || then instanceof Append append && !append.isReturnResults())),

  /**
   * Whether families that a filter does not need are loaded on demand changes what HBase answers,
   * and a condition cannot say that it is not wanted. Here they never are.
   */
  CONDITIONS_LOAD_FAMILIES_ON_DEMAND(
      false, (mode, s) -> hasConditionFilter(s, SingleColumnValueFilter.class::isInstance)),

  /**
   * HBase's own fault: a filter that seeks from a cell with an empty qualifier seeks over the
   * delete marker of the family, and deleted cells are shown.
   */
  SEEKS_OVER_DELETE_MARKERS(
      false, (mode, s) -> mode.emptyQualifiers() && hasFilter(s, KnownDifference::seeks)),

  /** HBase shows a filter the reference to a large value, once that has been flushed. */
  FILTERS_SEE_MOB_REFERENCES(
      false, (mode, s) -> mode.mob() && hasFilter(s, KnownDifference::looksAtValues));

  /**
   * What differs between runs: whether regions decide what is visible, whether there are empty
   * qualifiers, and whether large values of some family are stored apart.
   */
  record Mode(boolean serverReads, boolean emptyQualifiers, boolean mob) {}

  private interface Test {
    boolean holds(Mode mode, Statement statement);
  }

  private final boolean refused;
  private final Test test;

  KnownDifference(boolean refused, Test test) {
    this.refused = refused;
    this.test = test;
  }

  /** Whether a transaction refuses the statement; otherwise it is not run on either table. */
  boolean isRefused() {
    return refused;
  }

  /** The first that applies; null if the outcomes must be equal. */
  static KnownDifference of(Mode mode, Statement statement) {
    return Stream.of(values())
        .filter(difference -> difference.test.holds(mode, statement))
        .findFirst()
        .orElse(null);
  }

  /** Which columns several mutations of a row change. */
  private static final class OneColumn {
    static boolean isTwice(RowMutations all) {
      Set<String> before = new HashSet<>();
      for (Mutation mutation : all.getMutations()) {
        Set<String> changed = columns(mutation);
        boolean isWide = changed.isEmpty();
        if (isWide && !before.isEmpty() || before.contains("") || meet(before, changed)) {
          return true;
        }
        before.addAll(isWide ? Set.of("") : changed);
      }
      return false;
    }

    private static boolean meet(Set<String> some, Set<String> others) {
      return others.stream()
          .anyMatch(o -> some.stream().anyMatch(s -> isWithin(s, o) || isWithin(o, s)));
    }

    /** A family, which ends with a colon, has all columns that begin with its name. */
    private static boolean isWithin(String column, String other) {
      return column.equals(other) || other.endsWith(":") && column.startsWith(other);
    }

    /** The columns of a mutation; a row's delete has none. */
    private static Set<String> columns(Mutation mutation) {
      Set<String> columns = new HashSet<>();
      for (List<Cell> family : mutation.getFamilyCellMap().values()) {
        for (Cell cell : family) {
          String name = Bytes.toString(CellUtil.cloneFamily(cell)) + ":";
          columns.add(
              cell.getType() == Cell.Type.DeleteFamily
                  ? name
                  : name + "/" + Bytes.toStringBinary(CellUtil.cloneQualifier(cell)) + "/");
        }
      }
      return columns;
    }
  }

  private static Stream<RowMutations> rowMutations(Statement statement) {
    return statement.requests().stream()
        .map(r -> r instanceof CheckAndMutate check ? check.getAction() : r)
        .filter(RowMutations.class::isInstance)
        .map(RowMutations.class::cast);
  }

  private static Stream<Mutation> mutations(Statement statement) {
    return Stream.concat(
        rowMutations(statement).flatMap(all -> all.getMutations().stream()),
        statement.requests().stream()
            .map(r -> r instanceof CheckAndMutate check ? check.getAction() : r)
            .filter(Mutation.class::isInstance)
            .map(Mutation.class::cast));
  }

  private static Stream<Cell> cells(Statement statement) {
    return mutations(statement)
        .filter(m -> !(m instanceof Delete))
        .flatMap(m -> m.getFamilyCellMap().values().stream())
        .flatMap(List::stream);
  }

  private static boolean repeats(Mutation mutation) {
    int cells = mutation.getFamilyCellMap().values().stream().mapToInt(List::size).sum();
    return OneColumn.columns(mutation).size() < cells;
  }

  private static boolean hasFilter(Statement statement, Predicate<Filter> wanted) {
    return hasConditionFilter(statement, wanted)
        || statement.requests().stream()
            .filter(Query.class::isInstance)
            .map(request -> ((Query) request).getFilter())
            .anyMatch(filter -> filter != null && parts(filter).stream().anyMatch(wanted));
  }

  private static boolean hasConditionFilter(Statement statement, Predicate<Filter> wanted) {
    return statement.requests().stream()
        .filter(CheckAndMutate.class::isInstance)
        .map(request -> ((CheckAndMutate) request).getFilter())
        .anyMatch(filter -> filter != null && parts(filter).stream().anyMatch(wanted));
  }

  private static List<Filter> parts(Filter filter) {
    List<Filter> parts = new ArrayList<>(List.of(filter));
    if (filter instanceof FilterList list) {
      list.getFilters().forEach(each -> parts.addAll(parts(each)));
    } else if (filter instanceof SkipFilter skip) {
      parts.addAll(parts(skip.getFilter()));
    } else if (filter instanceof WhileMatchFilter whileMatch) {
      parts.addAll(parts(whileMatch.getFilter()));
    }
    return parts;
  }

  private static boolean looksAtValues(Filter filter) {
    return filter instanceof ValueFilter
        || filter instanceof ColumnValueFilter
        || filter instanceof SingleColumnValueFilter
        || filter instanceof KeyOnlyFilter;
  }

  private static boolean seeks(Filter filter) {
    return filter instanceof ColumnPaginationFilter
        || filter instanceof ColumnRangeFilter
        || filter instanceof ColumnPrefixFilter
        || filter instanceof MultipleColumnPrefixFilter;
  }
}
