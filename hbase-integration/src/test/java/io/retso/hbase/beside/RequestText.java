package io.retso.hbase.beside;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** Requests as text for people who read a failed test. */
final class RequestText {
  private RequestText() {}

  static String of(Object request) {
    if (request instanceof List<?> list) {
      return list.stream().map(RequestText::of).toList().toString();
    }
    if (request instanceof Get get) {
      return "Get{"
          + Outcome.text(get.getRow())
          + query(get, get.getFamilyMap())
          + limits(get.getMaxResultsPerColumnFamily(), get.getRowOffsetPerColumnFamily())
          + (get.isCheckExistenceOnly() ? " existence" : "")
          + "}";
    }
    if (request instanceof Scan scan) {
      return "Scan{"
          + (scan.includeStartRow() ? "[" : "(")
          + Outcome.text(scan.getStartRow())
          + ", "
          + Outcome.text(scan.getStopRow())
          + (scan.includeStopRow() ? "]" : ")")
          + (scan.isReversed() ? " reversed" : "")
          + " limit="
          + scan.getLimit()
          + query(scan, scan.getFamilyMap())
          + limits(scan.getMaxResultsPerColumnFamily(), scan.getRowOffsetPerColumnFamily())
          + "}";
    }
    if (request instanceof RowMutations mutations) {
      return "RowMutations" + of(mutations.getMutations());
    }
    if (request instanceof CheckAndMutate check) {
      return "CheckAndMutate{"
          + Outcome.text(check.getRow())
          + (check.hasFilter()
              ? " " + check.getFilter()
              : " "
                  + Outcome.text(check.getFamily())
                  + ":"
                  + Outcome.text(check.getQualifier())
                  + " "
                  + check.getCompareOp()
                  + " "
                  + Outcome.text(check.getValue()))
          + " then "
          + of(check.getAction())
          + "}";
    }
    return mutation((Mutation) request);
  }

  private static String mutation(Mutation mutation) {
    List<String> cells = new ArrayList<>();
    for (List<Cell> family : mutation.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        cells.add(
            cell.getType()
                + " "
                + Bytes.toString(CellUtil.cloneFamily(cell)).charAt(0)
                + ":"
                + Outcome.text(CellUtil.cloneQualifier(cell))
                + "="
                + Outcome.text(CellUtil.cloneValue(cell)));
      }
    }
    return mutation.getClass().getSimpleName()
        + "{"
        + Outcome.text(mutation.getRow())
        + cells
        + "}";
  }

  private static String query(Query query, Map<byte[], NavigableSet<byte[]>> families) {
    StringBuilder text = new StringBuilder();
    families.forEach(
        (family, columns) ->
            text.append(' ')
                .append(Bytes.toString(family).charAt(0))
                .append(columns == null ? "" : ":" + columns.stream().map(Outcome::text).toList()));
    return text + (query.getFilter() == null ? "" : " filter " + query.getFilter());
  }

  private static String limits(int cells, int offset) {
    return cells < 0 && offset == 0 ? "" : " cells " + offset + "+" + cells + " per family";
  }
}
