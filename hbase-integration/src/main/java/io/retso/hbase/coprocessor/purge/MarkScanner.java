package io.retso.hbase.coprocessor.purge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;

/**
 * What a flush or compaction of {@code !pw} writes: of each mark its last state only, and those
 * that are still there are reported.
 *
 * <p>The family has HBase's new version behaviour: a put counts if it is younger, by sequence
 * number, than the deletes of its version. With it HBase keeps every put and delete until a
 * compaction of all files. As each mark has one version, only the youngest of its cells means
 * anything:
 *
 * <pre>
 *   row, Ts:   delete #17, put #12   --  delete #17            a put in another file may be older
 *   row, Ts:   delete #17, put #23   --  put #23               older puts elsewhere say the same
 * </pre>
 *
 * <p>Cells that some open scanner cannot see yet all stay, and so does the youngest that all can.
 * Not thread-safe, like its source.
 */
public final class MarkScanner extends RewritingScanner {
  private final long readPoint;
  private final Consumer<Cell> found;

  /** Cells of the mark that may go on in the next call: copies. */
  private final List<Cell> mark = new ArrayList<>();

  /**
   * A scanner.
   *
   * @param readPoint the smallest read point of open scanners
   * @param found is given each mark that is there; the cell is valid during the call
   */
  MarkScanner(InternalScanner source, long readPoint, Consumer<Cell> found) {
    super(source);
    this.readPoint = readPoint;
    this.found = found;
  }

  @Override
  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
    for (Cell cell : cells) {
      if (!mark.isEmpty() && !isSameMark(mark.get(0), cell)) {
        finish(result);
      }
      mark.add(cell);
    }
    if (more) {
      mark.replaceAll(RewritingScanner::copy); // their memory may be given back
    } else {
      finish(result);
    }
  }

  private void finish(List<Cell> result) {
    assert mark.stream().allMatch(cell -> isSameMark(mark.get(0), cell)) : mark;
    Cell youngest = null;
    Cell youngestForAll = null;
    for (Cell cell : mark) {
      youngest = younger(youngest, cell);
      if (sequence(cell) <= readPoint) {
        youngestForAll = younger(youngestForAll, cell);
      }
    }
    for (Cell cell : mark) {
      if (cell == youngestForAll || sequence(cell) > readPoint) {
        result.add(cell);
      }
    }
    if (youngest != null && youngest.getType() == Cell.Type.Put) {
      found.accept(youngest);
    }
    mark.clear();
  }

  /** Deletes come first, and win a tie, which only edits of one batch can have. */
  private static Cell younger(Cell one, Cell other) {
    return one == null || sequence(other) > sequence(one) ? other : one;
  }

  private static boolean isSameMark(Cell one, Cell other) {
    return CellUtil.matchingRows(one, other)
        && CellUtil.matchingQualifier(one, other)
        && one.getTimestamp() == other.getTimestamp();
  }
}
