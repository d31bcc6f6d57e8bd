package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * A table whose one region adopts outcomes. It has a write of an open transaction, whose mark is a
 * cell: so those of later writes are none, and the horizon stays below them.
 */
final class AdoptingTable extends RawTable {
  static final String ROW = "r";
  static final byte[] MARKS = PendingWrite.family();

  /** The open transaction. */
  final long first;

  private final ExecutorService background = Executors.newCachedThreadPool();

  AdoptingTable(RetsoCluster cluster, More more) throws Exception {
    super(cluster, TableSettings.Cleanup.REGIONS, more);
    this.first = writeWithCell("first");
  }

  HRegion region() {
    return regions().get(0);
  }

  /** What a snapshot of now sees of {@link #ROW}. */
  Map<String, String> read() throws IOException {
    return read(oracle.begin(), ROW);
  }

  /** Commits a transaction that wrote one row, and has the region adopt it. */
  long commitAndAdopt(long start, String row) throws IOException {
    long committed = commit(start, row);
    assertTrue(adopt(start, committed, 1));
    return committed;
  }

  void abortAndAdopt(long start, int rows) throws IOException {
    oracle.abort(start);
    assertTrue(adopt(start, Outcome.ABORTED, rows));
  }

  /** The oracle forgets a transaction, and the horizon may rise above it. */
  void forget(long start) {
    oracle.cleanedUp(start);
    oracle.abort(first);
  }

  /** Versions of the data among these cells. */
  static List<Long> versions(List<Cell> cells) {
    return cells.stream()
        .filter(cell -> !PendingWrite.isMark(cell))
        .map(Cell::getTimestamp)
        .toList();
  }

  <T> Future<T> inBackground(Callable<T> work) {
    return background.submit(work);
  }

  @Override
  public void close() throws IOException {
    background.shutdownNow();
    try {
      assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    super.close();
  }
}
