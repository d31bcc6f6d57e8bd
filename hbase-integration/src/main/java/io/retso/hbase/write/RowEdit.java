package io.retso.hbase.write;

import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.operation.OperationChecks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What mutations of one row come to: cells to write at the transaction's version. Deletes become
 * tombstones; those of families and rows, increments and appends need the row as the transaction
 * sees it. Used once, by one thread.
 */
public final class RowEdit {
  private final long start;
  private final byte[] row;
  private final List<? extends Mutation> mutations;

  /** The row as the transaction sees it, with what this edit has done to it. No tombstones. */
  private final NavigableMap<Cell, Cell> current = new TreeMap<>(CellComparator.getInstance());

  /** What is to be written, tombstones included. */
  private final NavigableMap<Cell, Cell> written = new TreeMap<>(CellComparator.getInstance());

  /** The last value of each column that an increment or append returns. */
  private final NavigableMap<Cell, Cell> returned = new TreeMap<>(CellComparator.getInstance());

  public RowEdit(long start, byte[] row, List<? extends Mutation> mutations) {
    this.start = start;
    this.row = row;
    this.mutations = mutations;
  }

  /** What must be known of the row; null if nothing. */
  public Get needs() {
    if (mutations.stream().allMatch(Put.class::isInstance)) {
      return null;
    }
    Get get = new Get(row);
    boolean any = false;
    for (Mutation mutation : mutations) {
      if (mutation instanceof Delete && mutation.isEmpty()) {
        return new Get(row);
      }
      for (Map.Entry<byte[], List<Cell>> family : mutation.getFamilyCellMap().entrySet()) {
        for (Cell cell : family.getValue()) {
          if (cell.getType() == Cell.Type.DeleteFamily) {
            get.addFamily(family.getKey());
            any = true;
          } else if (readsColumn(mutation) && !isWhole(get, family.getKey())) {
            get.addColumn(family.getKey(), CellUtil.cloneQualifier(cell));
            any = true;
          }
        }
      }
    }
    return any ? get : null;
  }

  private static boolean readsColumn(Mutation mutation) {
    return mutation instanceof Increment || mutation instanceof Append;
  }

  /** Whether all columns of the family are asked for already; a column would narrow that. */
  private static boolean isWhole(Get get, byte[] family) {
    return get.getFamilyMap().containsKey(family) && get.getFamilyMap().get(family) == null;
  }

  /**
   * Carries the mutations out in their order.
   *
   * @param seen the answer to {@link #needs}; empty if nothing was needed
   * @param checks of the values that increments and appends make
   * @return what increments and appends return
   * @throws DoNotRetryIOException if a cell to be incremented is no number of 8 bytes
   */
  public Result apply(Result seen, OperationChecks checks) throws IOException {
    if (!seen.isEmpty()) {
      for (Cell cell : seen.rawCells()) {
        Cell key =
            cell(
                CellUtil.cloneFamily(cell),
                CellUtil.cloneQualifier(cell),
                CellUtil.cloneValue(cell));
        current.put(key, key);
      }
    }
    for (Mutation mutation : mutations) {
      if (mutation instanceof Delete && mutation.isEmpty()) {
        deleteAll(null);
      }
      List<Cell> after = new ArrayList<>();
      for (Map.Entry<byte[], List<Cell>> family : mutation.getFamilyCellMap().entrySet()) {
        for (Cell cell : family.getValue()) {
          apply(mutation, family.getKey(), cell, checks, after);
        }
      }
      // Not before: of a column that is named twice, HBase adds both to the value before, too.
      after.forEach(cell -> set(current, cell));
    }
    return returned.isEmpty()
        ? Result.EMPTY_RESULT
        : Result.create(List.copyOf(returned.values())); // in order, for it uses bisection
  }

  private void apply(
      Mutation mutation, byte[] family, Cell cell, OperationChecks checks, List<Cell> made)
      throws IOException {
    byte[] qualifier = CellUtil.cloneQualifier(cell);
    if (mutation instanceof Delete) {
      if (cell.getType() == Cell.Type.DeleteFamily) {
        deleteAll(family);
      } else {
        delete(cell(family, qualifier, Tombstone.value()));
      }
      return;
    }
    byte[] value = CellUtil.cloneValue(cell);
    boolean isReturned = false;
    if (mutation instanceof Increment increment) {
      value = Bytes.toBytes(number(before(family, qualifier)) + Bytes.toLong(value));
      isReturned = increment.isReturnResults();
    } else if (mutation instanceof Append append) {
      Cell before = before(family, qualifier);
      value = before == null ? value : Bytes.add(CellUtil.cloneValue(before), value);
      isReturned = append.isReturnResults();
    }
    Cell after = cell(family, qualifier, value);
    checks.checkValue(after);
    made.add(after);
    set(written, after);
    if (isReturned) {
      set(returned, after);
    }
  }

  /** The column as the transaction sees it; null if it is not there. */
  private Cell before(byte[] family, byte[] qualifier) {
    return current.get(cell(family, qualifier, new byte[0]));
  }

  private static long number(Cell before) throws DoNotRetryIOException {
    if (before == null) {
      return 0;
    }
    if (before.getValueLength() != Long.BYTES) {
      throw new DoNotRetryIOException(
          "cannot increment a value of "
              + before.getValueLength()
              + " bytes: write the first one with Bytes.toBytes(long)");
    }
    return Bytes.toLong(before.getValueArray(), before.getValueOffset());
  }

  /** Deletes all columns of the family; of all if it is null. */
  private void deleteAll(byte[] family) {
    for (Cell cell : List.copyOf(current.values())) {
      if (family == null || CellUtil.matchingFamily(cell, family)) {
        delete(cell(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell), Tombstone.value()));
      }
    }
  }

  private void delete(Cell tombstone) {
    current.remove(tombstone);
    set(written, tombstone);
  }

  private static void set(Map<Cell, Cell> cells, Cell cell) {
    cells.remove(cell); // equal keys: same column, same version
    cells.put(cell, cell);
  }

  private Cell cell(byte[] family, byte[] qualifier, byte[] value) {
    return new KeyValue(row, family, qualifier, start, KeyValue.Type.Put, value);
  }

  /** What is to be written, one cell per column. */
  public List<Cell> written() {
    return List.copyOf(written.values());
  }
}
