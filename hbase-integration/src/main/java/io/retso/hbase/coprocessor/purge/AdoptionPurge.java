package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.layout.AdoptionCell;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * What a compaction of {@code !pw} writes, without the adoptions that have left the region: what
 * they were about is in files, where it belongs, and no replay needs them. Not thread-safe, like
 * its source.
 */
final class AdoptionPurge extends RewritingScanner {
  private final AdoptedOutcomes adoptions;

  AdoptionPurge(InternalScanner source, AdoptedOutcomes adoptions) {
    super(source);
    this.adoptions = adoptions;
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    List<Cell> cells = new ArrayList<>();
    boolean more = source.next(cells, context);
    cells.removeIf(cell -> AdoptionCell.is(cell) && !adoptions.isNeeded(cell));
    result.addAll(cells);
    return more;
  }
}
