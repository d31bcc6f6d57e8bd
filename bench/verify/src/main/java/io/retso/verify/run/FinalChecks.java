package io.retso.verify.run;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What must be true when all clients are gone, those that were killed too: sweeps leave no mark,
 * and the oracle's low watermark passes everything that happened, which says that it has forgotten
 * every commit.
 */
final class FinalChecks {
  private static final long PAUSE_MILLIS = 500;
  private static final int SHOWN_MAX = 5;

  /**
   * What is not as it must be.
   *
   * @param reason what was found
   * @param what the same, as the end of all patience
   * @param isOthers whether it comes from a table that is none of the run's
   */
  record Problem(String reason, String what, boolean isOthers) {}

  private final RunTables place;
  private final Duration patience;

  /** What the last attempt found; read by the thread that reports it. */
  private volatile String waitsFor = "the first sweep has not come to its end";

  /**
   * For the tables of a run.
   *
   * @param patience how long it may take; more than the oracle's transaction.timeout, after which
   *     transactions of dead clients are aborted
   */
  FinalChecks(RunTables place, Duration patience) {
    this.place = place;
    this.patience = patience;
  }

  /** Sweeps until all is clean; or says what is not. */
  Optional<Problem> clean() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    try (OracleClient oracle = place.access().client("checks").build()) {
      long end = begun(oracle);
      while (true) {
        Optional<Problem> problem = sweep(oracle, end);
        problem.ifPresent(left -> waitsFor = left.reason());
        if (problem.isEmpty() || System.nanoTime() > deadline) {
          return problem;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }

  /** What keeps {@link #clean} from its end, as far as is known. */
  String waitsFor() {
    return waitsFor;
  }

  /** A timestamp above all that were given. */
  private static long begun(OracleClient oracle) {
    TransactionHandle now = oracle.begin();
    oracle.abort(now);
    return now.startTimestamp();
  }

  private Optional<Problem> sweep(OracleClient oracle, long end) {
    try {
      SweepResult sweep = place.manager().sweep();
      List<String> left = marks();
      if (!left.isEmpty()) {
        int shown = Math.min(left.size(), SHOWN_MAX);
        return problem(left.size() + " marks are left: " + left.subList(0, shown), false);
      }
      long low = oracle.lowWatermark();
      if (low >= end) {
        return Optional.empty();
      }
      String what =
          "the low watermark " + low + " is below " + end + ", which began after all clients ended";
      return sweep.reported()
          ? problem(what, false)
          : problem(
              what + "; the sweeps were not reported to the oracle: " + sweep.reason(),
              place.tables().stream()
                  .noneMatch(table -> sweep.reason().contains(table.toString())));
    } catch (IOException | OracleException e) {
      return problem(e.toString(), false);
    }
  }

  private Optional<Problem> problem(String reason, boolean isOthers) {
    long seconds = patience.toSeconds();
    return Optional.of(
        new Problem(
            reason,
            reason + ", though nothing has happened but sweeps for " + seconds + " s",
            isOthers));
  }

  private List<String> marks() throws IOException {
    List<String> left = new ArrayList<>();
    for (TableName table : place.tables()) {
      addMarks(table, left);
    }
    return left;
  }

  private void addMarks(TableName name, List<String> left) throws IOException {
    try (Table table = place.connection().getTable(name);
        ResultScanner rows =
            table.getScanner(new Scan().addFamily(PendingWrite.family()).setCaching(1000))) {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        for (Cell mark : row.rawCells()) {
          if (AdoptionCell.is(mark)) {
            continue; // until its region is compacted
          }
          left.add(
              name
                  + " row "
                  + Bytes.toStringBinary(CellUtil.cloneRow(mark))
                  + " of transaction "
                  + PendingWrite.startOf(mark));
        }
      }
    }
  }
}
