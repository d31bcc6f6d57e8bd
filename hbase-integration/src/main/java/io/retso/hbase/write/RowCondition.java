package io.retso.hbase.write;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The condition of a {@code CheckAndMutate}, with HBase's meaning: an operator compares the given
 * value (left) with the cell's (right); an empty or missing given value equals an empty or missing
 * cell; any other value holds no relation to a missing cell. A filter holds if a cell passes it.
 */
public record RowCondition(CheckAndMutate action) {
  /** What has to be read. */
  public Get get() {
    Get get = new Get(action.getRow());
    return action.hasFilter()
        ? get.setFilter(action.getFilter())
        : get.addColumn(action.getFamily(), action.getQualifier());
  }

  /** Whether the condition holds for what was read. */
  public boolean holds(Result seen) {
    if (action.hasFilter()) {
      return !seen.isEmpty();
    }
    CompareOperator operator = action.getCompareOp();
    byte[] value = action.getValue();
    Cell cell = seen.isEmpty() ? null : seen.rawCells()[0];
    if (value == null || value.length == 0) {
      boolean isEmpty = cell == null || cell.getValueLength() == 0;
      return isEmpty == (operator != CompareOperator.NOT_EQUAL);
    }
    return cell != null && holds(operator, compare(value, cell));
  }

  private static int compare(byte[] value, Cell cell) {
    return Bytes.compareTo(
        value, 0, value.length, cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  private static boolean holds(CompareOperator operator, int comparison) {
    return switch (operator) {
      case LESS -> comparison < 0;
      case LESS_OR_EQUAL -> comparison <= 0;
      case EQUAL -> comparison == 0;
      case NOT_EQUAL -> comparison != 0;
      case GREATER_OR_EQUAL -> comparison >= 0;
      case GREATER -> comparison > 0;
      case NO_OP -> throw new IllegalArgumentException("NO_OP compares nothing");
    };
  }
}
