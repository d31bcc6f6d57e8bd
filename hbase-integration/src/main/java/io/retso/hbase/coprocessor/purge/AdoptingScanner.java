package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.hbase.HBaseInternals.Deletes;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;

/**
 * What a flush of a data family writes, with the versions of adopted transactions where they
 * belong; docs/decisions/0025-outcomes-adopted-by-a-region.md.
 *
 * <p>A version that moves keeps its sequence number, and a column is sorted as a whole. What a
 * moved version passes is not committed, or of a plain writer: where two transactions write the
 * same column, one of them is refused unless it began after the other had committed.
 *
 * <p><em>What a delete marker hides</em> is not moved, as cleanups of rows do not move it: it would
 * come out. It is dropped, for it has no mark any more, and would come out when HBase drops the
 * marker. Such a marker is in the same memory: a transaction is not adopted here if an older one
 * may hide what it wrote ({@code AdoptionWrites}), except the marker of its own cleanup, under
 * which a late duplicate came; that is moved to where the original is, or was until it was purged.
 * What a marker hides, HBase says: with visibility labels not all that is at or below its version.
 *
 * <p>It keeps the cells of one column, as they are in a memory that is being flushed and stays
 * until that is done. Not thread-safe, like its source.
 */
final class AdoptingScanner extends RewritingScanner {
  private final LongUnaryOperator outcomeOf;

  /** It keeps cells of the source until the next row. */
  private final Deletes deletes;

  private final ObserverMetrics metrics;

  /** What is to be written of the current column. */
  private final List<Cell> column = new ArrayList<>();

  /** The last cell of the source; null at first. */
  private Cell last;

  private boolean hasMoved;

  /**
   * A scanner.
   *
   * @param outcomeOf of a start timestamp: its {@link Outcome}, unknown if it is not adopted and
   *     will not be
   * @param deletes HBase's judgement of what is deleted
   * @param metrics counts what is moved or dropped; null if it is not counted
   */
  AdoptingScanner(
      InternalScanner source,
      LongUnaryOperator outcomeOf,
      Deletes deletes,
      ObserverMetrics metrics) {
    super(source);
    this.outcomeOf = outcomeOf;
    this.deletes = deletes;
    this.metrics = metrics;
  }

  @Override
  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
    for (Cell cell : cells) {
      if (last == null || !CellUtil.matchingRows(last, cell)) {
        finish(result);
        deletes.nextRow();
      } else if (!CellUtil.matchingColumn(last, cell)) {
        finish(result);
      }
      assert last == null || CellComparator.getInstance().compare(last, cell) <= 0 : cell;
      last = cell;
      add(cell);
    }
    if (!more) {
      finish(result);
    }
  }

  private void finish(List<Cell> result) {
    if (hasMoved) {
      column.sort(CellComparator.getInstance());
    }
    assert areInOrder(column) : column;
    result.addAll(column);
    column.clear();
    hasMoved = false;
  }

  private void add(Cell cell) {
    if (cell.getType() != Cell.Type.Put) {
      deletes.add(cell); // it comes before what it hides
      column.add(cell);
      return;
    }
    long version = cell.getTimestamp();
    long outcome =
        Timestamps.isWellFormed(version) ? outcomeOf.applyAsLong(version) : Outcome.UNKNOWN;
    if (!Outcome.isKnown(outcome)) {
      column.add(cell);
    } else if (Outcome.isCommitted(outcome) && !deletes.hide(cell)) {
      KeyValue moved = KeyValueUtil.copyToNewKeyValue(cell);
      moved.setSequenceId(sequence(cell));
      assert outcome > version : version + " committed at " + outcome;
      moved.setTimestamp(CellVersion.committed(outcome));
      column.add(moved);
      hasMoved = true;
      count(true);
    } else {
      count(false);
    }
  }

  private void count(boolean isMoved) {
    if (metrics != null) {
      (isMoved ? metrics.movedVersions : metrics.droppedVersions).increment();
    }
  }
}
