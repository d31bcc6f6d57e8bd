package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.protocol.Timestamps;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;

/**
 * What a flush or compaction writes, without the delete markers of cleanups that have nothing left
 * to delete.
 *
 * <p>Every cleanup leaves a marker for each cell that it moved or removed. HBase keeps them until a
 * compaction of all files, because older files may hold the cell; and reads that look for a row in
 * a block go through them one by one, so that a table would be slower after each cleaned-up write.
 * Yet nearly always cell and marker come and go within the same memory.
 *
 * <p>A marker of version Ts is dropped if
 *
 * <ul>
 *   <li>no file outside of this flush or compaction has versions in whose range Ts lies: older
 *       cells are only there, since memory is flushed in the order of edits; and
 *   <li>the cell itself is not in this output. It would follow its marker at once, or behind other
 *       markers of its version, which may delete nothing of it. HBase leaves it there for open
 *       scanners that do not see the marker yet, or if labels say that it is not what is deleted.
 * </ul>
 *
 * <p>A cell of version Ts that comes later is a late duplicate of a write. To hide it would be
 * wrong or needless ({@link VersionPurge}), and after a compaction of all files HBase would not
 * hide it either. Only single versions with the form of a start timestamp are looked at, by markers
 * without tags (visibility labels are tags): cleanups write no others. Not thread-safe, like its
 * source.
 */
public final class CleanupDeletePurge extends RewritingScanner {
  private final LongPredicate inOtherFiles;
  private final ObserverMetrics metrics;

  /** A marker that goes unless its cell comes next; null if there is none. */
  private Cell held;

  /**
   * A scanner.
   *
   * @param inOtherFiles whether a file that is not part of the source may have a version
   */
  CleanupDeletePurge(InternalScanner source, LongPredicate inOtherFiles, ObserverMetrics metrics) {
    super(source);
    this.inOtherFiles = inOtherFiles;
    this.metrics = metrics;
  }

  @Override
  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
    for (Cell cell : cells) {
      release(cell, result);
      if (isCleanups(cell) && !inOtherFiles.test(cell.getTimestamp())) {
        held = cell;
      } else {
        result.add(cell);
      }
    }
    if (!more) {
      release(null, result);
      assert held == null;
    } else if (held != null) {
      held = copy(held); // its memory may be given back
    }
  }

  private static boolean isCleanups(Cell cell) {
    return cell.getType() == Cell.Type.Delete
        && Timestamps.isWellFormed(cell.getTimestamp())
        && !PrivateCellUtil.tagsIterator(cell).hasNext();
  }

  /** Decides about the marker that is held back, as {@code next} is the cell behind it. */
  private void release(Cell next, List<Cell> result) {
    if (held == null) {
      return;
    }
    if (next != null
        && next.getTimestamp() == held.getTimestamp()
        && CellUtil.matchingRows(held, next)
        && CellUtil.matchingColumn(held, next)) {
      result.add(held);
    } else {
      metrics.purgedDeletes.increment();
    }
    held = null;
  }
}
