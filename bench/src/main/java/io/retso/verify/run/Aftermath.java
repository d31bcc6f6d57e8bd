package io.retso.verify.run;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.SweepResult;
import io.retso.hbase.data.PendingWrite;
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
final class Aftermath {
  private static final long PAUSE_MILLIS = 500;
  private static final int SHOWN_MAX = 5;

  private final Workplace place;
  private final Duration patience;

  /**
   * For a workplace.
   *
   * @param patience how long it may take; more than the oracle's transaction.timeout, after which
   *     transactions of dead clients are aborted
   */
  Aftermath(Workplace place, Duration patience) {
    this.place = place;
    this.patience = patience;
  }

  /** Sweeps until all is clean; or says what is not. */
  Optional<String> clean() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    try (OracleClient oracle = OracleClient.builder().address(place.oracle()).build()) {
      long end = begun(oracle);
      while (true) {
        String problem;
        try {
          SweepResult sweep = place.manager().sweep();
          problem = problem(oracle, end);
          if (!problem.isEmpty() && !sweep.reported()) {
            problem += "; the oracle was not told of the sweeps: " + sweep.reason();
          }
        } catch (IOException | OracleException e) {
          problem = e.toString();
        }
        if (problem.isEmpty()) {
          return Optional.empty();
        }
        if (System.nanoTime() > deadline) {
          return Optional.of(
              problem
                  + ", though nothing has happened but sweeps for "
                  + patience.toSeconds()
                  + " s");
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }

  /** A timestamp above all that were given. */
  private static long begun(OracleClient oracle) {
    long now = oracle.begin();
    oracle.abort(now);
    return now;
  }

  private String problem(OracleClient oracle, long end) throws IOException {
    List<String> left = new ArrayList<>();
    for (TableName table : place.tables()) {
      addMarks(table, left);
    }
    if (!left.isEmpty()) {
      return left.size() + " marks are left: " + left.subList(0, Math.min(left.size(), SHOWN_MAX));
    }
    long low = oracle.lowWatermark();
    return low >= end
        ? ""
        : "the low watermark " + low + " is below " + end + ", which began after all clients ended";
  }

  private void addMarks(TableName name, List<String> left) throws IOException {
    try (Table table = place.connection().getTable(name);
        ResultScanner rows =
            table.getScanner(new Scan().addFamily(PendingWrite.family()).setCaching(1000))) {
      for (Result row : rows) {
        for (Cell mark : row.rawCells()) {
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
