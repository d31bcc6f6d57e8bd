package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.layout.DecisionCell;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * What a compaction of {@code !pw} writes, without the decisions that have left the region: what
 * they were about is in files, where it belongs, and no replay needs them. Not thread-safe, like
 * its source.
 */
final class DecisionPurge extends RewritingScanner {
  private final RegionDecisions decisions;

  DecisionPurge(InternalScanner source, RegionDecisions decisions) {
    super(source);
    this.decisions = decisions;
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    List<Cell> cells = new ArrayList<>();
    boolean more = source.next(cells, context);
    cells.removeIf(cell -> DecisionCell.is(cell) && !decisions.isNeeded(cell));
    result.addAll(cells);
    return more;
  }
}
