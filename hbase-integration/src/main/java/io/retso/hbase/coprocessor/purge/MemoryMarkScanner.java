package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.layout.AdoptionCell;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.regionserver.InternalScanner;

/**
 * What a flush of {@code !pw} writes: the cells of its memory, and among them the marks that were
 * none, and one cell for all adoptions. Those of the memory are left out: what has not left the
 * region is in that one. Not thread-safe, like its source.
 */
final class MemoryMarkScanner extends RewritingScanner {
  /** Not shown yet, in order. */
  private final Deque<Cell> marks;

  MemoryMarkScanner(InternalScanner source, List<Cell> marks) {
    super(source);
    assert areInOrder(marks) : marks;
    this.marks = new ArrayDeque<>(marks);
  }

  @Override
  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
    for (Cell cell : cells) {
      if (AdoptionCell.is(cell)) {
        continue;
      }
      while (!marks.isEmpty() && CellComparator.getInstance().compare(marks.peek(), cell) < 0) {
        result.add(marks.poll());
      }
      result.add(cell);
    }
    if (!more) {
      result.addAll(marks);
      marks.clear();
    }
  }
}
