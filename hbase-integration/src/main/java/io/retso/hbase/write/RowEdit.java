package io.retso.hbase.write;

import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.operation.Protection;
import java.io.IOException;
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
  private final Get needs;

  /** The row as the transaction sees it, with what this edit has done to it. No tombstones. */
  private final NavigableMap<Cell, Cell> current = new TreeMap<>(CellComparator.getInstance());

  /** The last value of each column that an increment or append returns. */
  private final NavigableMap<Cell, Cell> returned = new TreeMap<>(CellComparator.getInstance());

  public RowEdit(long start, byte[] row, List<? extends Mutation> mutations) {
    this.start = start;
    this.row = row;
    this.mutations = mutations;
    this.needs = needs(row, mutations);
  }

  /** What must be known of the row; null if nothing. */
  public Get needs() {
    return needs;
  }

  private static Get needs(byte[] row, List<? extends Mutation> mutations) {
    Get get = null;
    for (Mutation mutation : mutations) {
      if (mutation instanceof Put) {
        continue;
      }
      if (mutation instanceof Delete && mutation.isEmpty()) {
        return new Get(row);
      }
      for (Map.Entry<byte[], List<Cell>> family : mutation.getFamilyCellMap().entrySet()) {
        for (Cell cell : family.getValue()) {
          if (cell.getType() == Cell.Type.DeleteFamily) {
            get = (get == null ? new Get(row) : get).addFamily(family.getKey());
          } else if (readsColumn(mutation) && !isWhole(get, family.getKey())) {
            get = get == null ? new Get(row) : get;
            get.addColumn(family.getKey(), CellUtil.cloneQualifier(cell));
          }
        }
      }
    }
    return get;
  }

  private static boolean readsColumn(Mutation mutation) {
    return mutation instanceof Increment || mutation instanceof Append;
  }

  /** Whether all columns of the family are asked for already; a column would narrow that. */
  private static boolean isWhole(Get get, byte[] family) {
    return get != null
        && get.getFamilyMap().containsKey(family)
        && get.getFamilyMap().get(family) == null;
  }

  /**
   * Carries the mutations out in their order.
   *
   * @param seen the answer to {@link #needs}; empty if nothing was needed
   * @param checks of the values that increments and appends make
   * @param written takes what is to be written, tombstones included; of a column that is there
   *     several times the last cell counts
   * @return what increments and appends return
   * @throws DoNotRetryIOException if a cell to be incremented is no number of 8 bytes
   */
  public Result apply(Result seen, OperationChecks checks, List<Cell> written) throws IOException {
    if (!seen.isEmpty()) {
      for (Cell cell : seen.rawCells()) {
        set(current, cell(CellUtil.cloneFamily(cell), cell));
      }
    }
    for (Mutation mutation : mutations) {
      if (mutation instanceof Delete && mutation.isEmpty()) {
        deleteAll(null, written);
      }
      int before = written.size();
      for (Map.Entry<byte[], List<Cell>> family : mutation.getFamilyCellMap().entrySet()) {
        for (Cell cell : family.getValue()) {
          apply(mutation, family.getKey(), cell, checks, written);
        }
      }
      if (needs != null && !(mutation instanceof Delete)) {
        // Not before: of a column that is named twice, HBase adds both to the value before, too.
        written.subList(before, written.size()).forEach(cell -> set(current, cell));
      }
    }
    return returned.isEmpty()
        ? Result.EMPTY_RESULT
        : Result.create(List.copyOf(returned.values())); // in order, for it uses bisection
  }

  private void apply(
      Mutation mutation, byte[] family, Cell cell, OperationChecks checks, List<Cell> written)
      throws IOException {
    if (mutation instanceof Delete) {
      if (cell.getType() == Cell.Type.DeleteFamily) {
        deleteAll(family, written);
      } else {
        delete(cell(family, cell, Tombstone.value()), written);
      }
      return;
    }
    Cell after = cell(family, cell);
    boolean isReturned = false;
    if (mutation instanceof Increment increment) {
      long sum = number(current.get(after)) + Bytes.toLong(CellUtil.cloneValue(cell));
      after = cell(family, cell, Bytes.toBytes(sum));
      isReturned = increment.isReturnResults();
    } else if (mutation instanceof Append append) {
      Cell before = current.get(after);
      if (before != null) {
        byte[] value = Bytes.add(CellUtil.cloneValue(before), CellUtil.cloneValue(cell));
        after = cell(family, cell, value);
      }
      isReturned = append.isReturnResults();
    }
    checks.checkValue(after);
    after = ProtectedCell.of(after, Protection.of(mutation));
    written.add(after);
    if (isReturned) {
      set(returned, after);
    }
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
  private void deleteAll(byte[] family, List<Cell> written) {
    for (Cell cell : List.copyOf(current.values())) {
      if (family == null || CellUtil.matchingFamily(cell, family)) {
        delete(cell(CellUtil.cloneFamily(cell), cell, Tombstone.value()), written);
      }
    }
  }

  private void delete(Cell tombstone, List<Cell> written) {
    current.remove(tombstone);
    written.add(tombstone);
  }

  private static void set(Map<Cell, Cell> cells, Cell cell) {
    cells.remove(cell); // equal keys: same column, same version
    cells.put(cell, cell);
  }

  /** The cell at the transaction's version. */
  private Cell cell(byte[] family, Cell cell) {
    return cell(family, cell, CellUtil.cloneValue(cell));
  }

  /** Another value of its column. */
  private Cell cell(byte[] family, Cell column, byte[] value) {
    byte[] qualifier = CellUtil.cloneQualifier(column);
    return new KeyValue(row, family, qualifier, start, KeyValue.Type.Put, value);
  }
}
