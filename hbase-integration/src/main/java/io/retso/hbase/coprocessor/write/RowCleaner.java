package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Turns a cleanup request into what it asks for; docs/hbase.md, "Cleanup of one row".
 *
 * <p>The request is a put of the mark. Its cells are replaced, inside of the batch, by
 *
 * <pre>
 *   family f   column q   version Tc + 1   put      value        only if the transaction committed
 *              column q   version Ts       delete
 *   ...        for each cell with version Ts
 *   family !pw column Ts  version Ts       delete
 * </pre>
 *
 * <p>and by nothing if the mark is not there. All of them go into one edit of the WAL and become
 * visible at once. Deletes name single versions of single columns, and so sort behind the newest
 * version of their column: a reader that has found that one does not come across them.
 *
 * <p>The caller holds the claim of the row for this transaction ({@link RowLatches}): what is read
 * here is all there is, and stays so until the batch is over. Thread-safe.
 */
public final class RowCleaner {
  private final Region region;
  private final byte[][] families;
  private final ObserverMetrics metrics;

  public RowCleaner(Region region, ObserverMetrics metrics) {
    this.region = region;
    this.families = region.getTableDescriptor().getColumnFamilyNames().toArray(byte[][]::new);
    this.metrics = metrics;
  }

  /**
   * Replaces the cells of {@code mutation}.
   *
   * @param move whether the transaction's cells stay, at their commit timestamp
   * @param remembered copies of all cells at version Ts of a row that has the mark; null: it is
   *     read
   */
  void cleanUp(Mutation mutation, CleanupRequest request, boolean move, List<KeyValue> remembered)
      throws IOException {
    Map<byte[], List<Cell>> changes = mutation.getFamilyCellMap();
    changes.clear();
    List<KeyValue> cells = remembered == null ? read(request) : remembered;
    if (cells == null) {
      return;
    }
    KeyValue last = null;
    List<Cell> family = null;
    for (KeyValue cell : cells) {
      if (last == null || !CellUtil.matchingFamily(last, cell)) {
        family = changes.computeIfAbsent(CellUtil.cloneFamily(cell), name -> new ArrayList<>(2));
      }
      last = cell;
      KeyValue delete = deleteOf(cell);
      if (move) {
        cell.setTimestamp(CellVersion.committed(request.commitTimestamp())); // a copy
        cell.setSequenceId(0);
        family.add(cell);
      }
      family.add(delete);
    }
    List<Cell> marks = new ArrayList<>(1);
    marks.add(PendingWrite.deleteOf(request.row(), request.start()));
    changes.put(PendingWrite.family(), marks);
    metrics.cleanedRows.increment();
    if (remembered != null) {
      metrics.cleanedFromMemory.increment();
    }
  }

  /** Copies of all cells at version Ts but the mark; null if there is no mark. */
  private List<KeyValue> read(CleanupRequest request) throws IOException {
    Get get = new Get(request.row()).setTimestamp(request.start());
    for (byte[] family : families) {
      if (PendingWrite.isFamily(family)) {
        get.addColumn(family, PendingWrite.qualifier(request.start()));
      } else {
        get.addFamily(family);
      }
    }
    List<Cell> cells = new ArrayList<>();
    List<KeyValue> copies = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(new Scan(get))) {
      scanner.next(cells);
      if (cells.isEmpty() || !PendingWrite.isMark(cells.get(0))) {
        return null;
      }
      for (Cell cell : cells) {
        if (!PendingWrite.isMark(cell)) {
          copies.add(KeyValueUtil.copyToNewKeyValue(cell)); // the scanner gives their memory back
        }
      }
    }
    return copies;
  }

  private static KeyValue deleteOf(KeyValue cell) {
    return new KeyValue(
        cell.getRowArray(),
        cell.getRowOffset(),
        cell.getRowLength(),
        cell.getFamilyArray(),
        cell.getFamilyOffset(),
        cell.getFamilyLength(),
        cell.getQualifierArray(),
        cell.getQualifierOffset(),
        cell.getQualifierLength(),
        cell.getTimestamp(),
        KeyValue.Type.Delete,
        null,
        0,
        0);
  }
}
