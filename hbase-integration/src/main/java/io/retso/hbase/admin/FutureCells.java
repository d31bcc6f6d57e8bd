package io.retso.hbase.admin;

import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.futures.Futures;
import io.retso.text.Text;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Looks for what is in a table above the oracle's timestamps. All must be below every snapshot to
 * come: a cell above would appear in time, out of nothing, and a delete marker would hide what
 * transactions commit below it, although their writes and commits succeed.
 *
 * <p>Only a raw scan shows delete markers. It names no columns, and takes all versions, so that
 * nothing is skipped; HBase leaves out files whose versions are all below the time range. A file
 * that is not left out is a danger to a raw scan with a time range ({@link
 * io.retso.hbase.layout.RawVersion}). So there is another scan first, which is not raw, and the
 * oracle is waited for until it is beyond all cells that one shows. What the raw scan's own time
 * range still leaves in are files that were flushed a moment ago, and those that the table must not
 * be prepared with anyway.
 *
 * <p>Cells and markers that transactions leave meanwhile are below a timestamp that is asked for
 * after they were read.
 */
final class FutureCells {
  /**
   * An oracle that follows the clock is a little behind it when it has nothing to do, and so are
   * the clocks of region servers, by which plain writes get their versions, ahead of its own.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * More than an oracle issues meanwhile, however busy: what is further ahead is refused at once.
   */
  private static final long AHEAD_MAX = 1L << 30;

  private static final long PAUSE_MILLIS = 20;

  private final TableName name;
  private final TimestampSource oracle;
  private long next;

  private FutureCells(TableName name, TimestampSource oracle) {
    this.name = name;
    this.oracle = oracle;
  }

  /**
   * Waits for the oracle to get beyond all that is in the table, a few seconds for each row that is
   * not too far ahead.
   *
   * @throws TableNotPreparedException if it does not; says what there is, and what to do
   */
  static void requireNone(Connection connection, TableName name, TimestampSource oracle)
      throws IOException {
    FutureCells cells = new FutureCells(name, oracle);
    cells.awaitBeyond(connection, new Scan());
    cells.awaitBeyond(connection, new Scan().setRaw(true));
  }

  private void awaitBeyond(Connection connection, Scan scan) throws IOException {
    next = oracle.next();
    scan.readAllVersions().setTimeRange(next, Long.MAX_VALUE);
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        awaitBeyond(newest(row));
      }
    }
  }

  private static Cell newest(Result row) {
    return Arrays.stream(row.rawCells())
        .max(Comparator.comparingLong(Cell::getTimestamp))
        .orElseThrow();
  }

  private void awaitBeyond(Cell cell) throws IOException {
    long begun = System.nanoTime();
    while (cell.getTimestamp() >= next) {
      next = oracle.next();
      if (cell.getTimestamp() >= next) {
        if (cell.getTimestamp() - next > AHEAD_MAX || System.nanoTime() - begun > PATIENCE_NANOS) {
          throw refused(cell);
        }
        pause();
      }
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw Futures.interrupted("interrupted while the oracle is waited for", e);
    }
  }

  private TableNotPreparedException refused(Cell cell) {
    boolean isMarker = CellUtil.isDelete(cell);
    return new TableNotPreparedException(
        Text.of(
            "table %s has cells of the future: %s in row %s, family %s, has version %s, which is"
                + " not below the oracle's next timestamp, %s, so %s. Its version was set by hand,"
                + " or by a clock that is ahead of the oracle's, which follows the clock (in"
                + " milliseconds) unless it was started with a number in timestamps.first. So wait"
                + " until the oracle is beyond; or write such cells again with lower versions,"
                + " delete those that are too high (name their versions: a delete of a row or"
                + " column leaves a marker at the present), then flush and major_compact the table,"
                + " which removes what is deleted, and delete markers",
            name,
            isMarker ? "a delete marker" : "a cell",
            Bytes.toStringBinary(CellUtil.cloneRow(cell)),
            Bytes.toStringBinary(CellUtil.cloneFamily(cell)),
            cell.getTimestamp(),
            next,
            isMarker ? "it would hide what transactions commit" : "snapshots would not see it"),
        null);
  }
}
