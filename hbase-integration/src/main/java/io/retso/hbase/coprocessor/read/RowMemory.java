package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.Mark;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.resolve.KnownOutcomes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * Completes a row that was read in one go with what the region has in memory only: outcomes, and
 * marks that are no cells. They are looked for after the row was read, which is not the same
 * moment.
 *
 * <pre>
 *   made --- scanner is opened, row is read --- outcomes --- marks --- outcomes --- numbers the same?
 * </pre>
 *
 * <p>If a version of a transaction has neither an outcome nor a mark, one of these came between,
 * and is told by a number that was raised before:
 *
 * <ul>
 *   <li>Its row was cleaned up, or its mark was written to a file: {@link RegionMarks#removals}.
 *   <li>It was adopted, and a flush wrote the row and took the outcome along: {@link
 *       RegionOutcomes#moves}.
 * </ul>
 *
 * <p>What was adopted between the looks at outcomes and marks has its outcome at the second look:
 * it is there before the marks go.
 *
 * <p>And if a flush moved what was to be read after the scanner was opened, {@code moves} tells.
 *
 * <p>One for each row that is read; not thread-safe.
 */
final class RowMemory {
  private final RegionParts parts;
  private final byte[] row;
  private final long removals;
  private final long moves;

  /** To be made before the scanner is opened that reads {@code row}. */
  RowMemory(RegionParts parts, byte[] row) {
    this.parts = parts;
    this.row = row;
    this.removals = parts.marks().removals(row);
    this.moves = parts.outcomes().moves();
  }

  /**
   * Adds outcomes and marks of versions that were read, but for the marks that are among the cells.
   *
   * @param cells marks first, as HBase returns them
   * @param known has the versions that matter
   * @return false if something may have gone meanwhile: the row is to be read again
   */
  boolean addTo(List<Cell> cells, KnownOutcomes known) {
    assert cells.isEmpty() || CellUtil.matchingRows(cells.get(0), row) : cells.get(0);
    known.look(parts.outcomes()::outcomeOf);
    boolean isMissing = addMarks(cells, known);
    return parts.outcomes().moves() == moves
        && (!isMissing || parts.marks().removals(row) == removals);
  }

  /** Whether some version has neither an outcome nor a mark. */
  private boolean addMarks(List<Cell> cells, KnownOutcomes known) {
    Set<Long> marked = new HashSet<>();
    Set<Long> unmarked = new HashSet<>();
    for (Cell cell : cells) {
      long version = cell.getTimestamp();
      if (PendingWrite.isMark(cell)) {
        if (PendingWrite.isWellFormed(cell)) {
          marked.add(version);
        }
      } else if (known.isAsked(version)
          && !Outcome.isKnown(known.of(version))
          && !marked.contains(version)) {
        unmarked.add(version);
      }
    }
    Set<Long> missing = new HashSet<>();
    for (long version : unmarked) {
      Mark mark = parts.marks().writers().find(row, version);
      if (mark == null) {
        missing.add(version);
      } else {
        cells.add(0, mark.cell());
      }
    }
    if (!missing.isEmpty()) {
      known.look(parts.outcomes()::outcomeOf);
    }
    return !missing.stream().allMatch(version -> Outcome.isKnown(known.of(version)));
  }
}
