package io.retso.hbase.check;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.cleanup.HiddenCells;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RegionAnswers;
import io.retso.hbase.table.TableCatalog;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges all versions and marks of a prepared table, while transactions go on. What can be told
 * from what, and what cannot, is in docs/decisions/0037-what-a-table-says-of-itself.md: nothing is
 * found in a table that is as it may be.
 *
 * <p>The user needs the rights that a sweep needs. Regions that adopt outcomes are flushed before
 * they are scanned, so that nearly all versions say by themselves when they were committed.
 *
 * <p>Blocking; to be used by one thread, which listeners are called on, or on one of the check's
 * own. Each scan keeps a few pages of HBase's in memory.
 */
public final class DataCheck {
  private static final long PROGRESS_SECONDS = 10;
  private static final long SHORT_TIMEOUT_MILLIS = 5000;

  /** Cells of a row that come at a time. */
  private static final int CELLS_MAX = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(DataCheck.class);

  private final OracleClient oracle;
  private final AsyncConnection hbase;
  private final DataCheckOptions options;
  private final Consumer<Finding> findings;
  private final Consumer<String> progress;

  /**
   * A check; it closes neither of the two.
   *
   * @param findings takes the first 1,000 findings, one at a time
   * @param progress takes a line each 10 s
   */
  public DataCheck(
      OracleClient oracle,
      AsyncConnection hbase,
      DataCheckOptions options,
      Consumer<Finding> findings,
      Consumer<String> progress) {
    this.oracle = oracle;
    this.hbase = hbase;
    this.options = options;
    this.findings = findings;
    this.progress = progress;
  }

  /**
   * Judges a table.
   *
   * @throws io.retso.hbase.errors.TableNotPreparedException if it is not prepared for this oracle
   * @throws OracleUnavailableException if the oracle does not answer
   * @throws IOException if HBase fails, or may hide cells from this user
   */
  public DataCheckResult check(TableName name) throws IOException {
    try {
      TableCatalog tables =
          new TableCatalog(hbase, oracle.identity(), SHORT_TIMEOUT_MILLIS, System::nanoTime);
      return check(Futures.await(tables.find(name)));
    } catch (OracleException e) {
      throw new OracleUnavailableException(
          "the oracle cannot be asked: " + e.getMessage() + "; check that it runs", e);
    }
  }

  private DataCheckResult check(PreparedTable table) throws IOException {
    requireAllSeen(table);
    OracleTimes times = new OracleTimes(oracle);
    CheckReport report = new CheckReport(findings);
    AdoptedOutcomesCheck outcomes = new AdoptedOutcomesCheck(oracle, times, report);
    Settling settling = new Settling(table, oracle, times, outcomes, options, report);
    List<RegionInfo> regions =
        RegionAnswers.rows(
                Futures.await(hbase.getRegionLocator(table.name()).getAllRegionLocations()))
            .values()
            .stream()
            .map(HRegionLocation::getRegion)
            .toList();
    ExecutorService threads =
        Executors.newFixedThreadPool(Math.min(options.threads(), regions.size()), this::thread);
    try {
      List<Future<?>> scans = new ArrayList<>();
      for (RegionInfo region : regions) {
        CellJudge judge =
            new CellJudge(
                options.transactionsOnly(),
                times,
                outcomes,
                new UnmarkedVersions(table, oracle, report),
                settling,
                report);
        scans.add(
            threads.submit(
                () -> {
                  scan(table, region, judge);
                  return null;
                }));
      }
      await(scans, report);
      settling.judge();
    } finally {
      threads.shutdownNow();
    }
    requireAllSeen(table);
    return report.result(regions.size(), times.snapshot());
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "retso-check");
    thread.setDaemon(true);
    return thread;
  }

  /** Without a mark that is hidden a version would look committed. */
  private void requireAllSeen(PreparedTable table) throws IOException {
    try {
      HiddenCells.requireNoMarksAmong(hbase, table);
    } catch (IOException e) {
      throw new IOException(
          Text.of(
              "table %s may have marks that are hidden from this user: check it as a user that has"
                  + " the rights READ and WRITE for all of it: %s",
              table.name(), ErrorText.of(e)),
          e);
    }
  }

  private void scan(PreparedTable table, RegionInfo region, CellJudge judge) throws IOException {
    if (table.isAdoptedByRegions()) {
      flush(region);
    }
    Scan scan =
        new Scan()
            .withStartRow(region.getStartKey())
            .withStopRow(region.getEndKey())
            .readAllVersions()
            .setBatch(CELLS_MAX)
            .setCacheBlocks(false);
    try (ResultScanner scanner = table.raw().getScanner(scan)) {
      for (Result cells = scanner.next(); cells != null; cells = scanner.next()) {
        judge.look(cells.rawCells());
      }
    }
    judge.end();
  }

  /**
   * Makes the region write what it has adopted. If it does not, because it is split by now or the
   * user may not ask for it, more versions are read twice.
   */
  private void flush(RegionInfo region) throws IOException {
    try {
      Futures.await(hbase.getAdmin().flushRegion(region.getRegionName()));
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      LOG.debug("region {} was not flushed", region.getRegionNameAsString(), e);
    }
  }

  private void await(List<Future<?>> scans, CheckReport report) throws IOException {
    int done = 0;
    while (done < scans.size()) {
      try {
        scans.get(done).get(PROGRESS_SECONDS, TimeUnit.SECONDS);
        done++;
      } catch (TimeoutException e) {
        long ended = scans.stream().filter(Future::isDone).count();
        progress.accept(
            Text.of(
                "%,d of %,d regions, %,d cells, %,d findings so far",
                ended, scans.size(), report.cells(), report.found()));
      } catch (InterruptedException e) {
        throw Futures.interrupted("interrupted while the table is scanned", e);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException unchecked) {
          throw unchecked;
        }
        throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
      }
    }
  }
}
