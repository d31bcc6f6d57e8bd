package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.layout.PendingWrite;
import io.retso.protocol.Timestamps;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.hadoop.hbase.Cell;

/**
 * Completes a row with the marks that are no cells. They are looked for after the row was read,
 * which is not the same moment: {@link RegionMarks} says why it is enough to count those that go.
 *
 * <p>One for each row that is read; not thread-safe.
 */
final class MemoryMarks {
  private final RegionMarks marks;
  private final byte[] row;
  private final long removals;

  /** To be made before the scanner is opened that reads {@code row}. */
  MemoryMarks(RegionMarks marks, byte[] row) {
    this.marks = marks;
    this.row = row;
    this.removals = marks.removals(row);
  }

  /**
   * Adds the marks of the versions that were read, but for those that are among the cells.
   *
   * @param cells marks first, as HBase returns them
   * @param inQuestion which versions matter
   * @return false if a mark may have gone meanwhile: the row is to be read again
   */
  boolean addTo(List<Cell> cells, LongPredicate inQuestion) {
    Set<Long> known = new HashSet<>();
    Set<Long> unmarked = new HashSet<>();
    for (Cell cell : cells) {
      long version = cell.getTimestamp();
      if (PendingWrite.isMark(cell)) {
        if (PendingWrite.isWellFormed(cell)) {
          known.add(version);
        }
      } else if (Timestamps.isWellFormed(version)
          && !known.contains(version)
          && inQuestion.test(version)) {
        unmarked.add(version);
      }
    }
    boolean missing = false;
    for (long version : unmarked) {
      RegionMarks.Mark mark = marks.find(row, version);
      if (mark == null) {
        missing = true;
      } else {
        cells.add(0, mark.cell());
      }
    }
    return !missing || marks.removals(row) == removals;
  }
}
