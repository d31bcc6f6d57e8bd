package io.retso.hbase.coprocessor.purge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.NoLimitScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/** Hands out cells in pieces of any size, as flushes and compactions read. */
final class Pieces implements InternalScanner {
  private final List<Cell> cells;
  private final Random random;
  private int next;

  Pieces(List<Cell> cells, Random random) {
    this.cells = cells;
    this.random = random;
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) {
    int end = Math.min(cells.size(), next + 1 + random.nextInt(4));
    result.addAll(cells.subList(next, end));
    next = end;
    return next < cells.size();
  }

  @Override
  public void close() {}

  /** All that a scanner shows. */
  static List<Cell> drain(InternalScanner scanner) throws IOException {
    List<Cell> all = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = scanner.next(all, NoLimitScannerContext.getInstance());
    }
    return all;
  }
}
