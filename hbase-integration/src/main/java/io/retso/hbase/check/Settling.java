package io.retso.hbase.check;

import io.retso.client.OracleClient;
import io.retso.client.TransactionStatus;
import io.retso.client.TransactionStatus.State;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What looks wrong for a moment in any table: marks of transactions that are over, before their
 * clients clean them up, and versions a little ahead of an oracle that has nothing to do. They are
 * looked at again until the patience of the check is over.
 *
 * <p>A mark below the low watermark is that of an aborted transaction, or of a late duplicate. If
 * the oracle knows that its transaction committed, and a column has its version and none at or
 * above the one that cleanups write, the commit is lost as soon as the mark is purged: the oracle
 * was told that all was cleaned up, and it was not. (A region that was opened after a crash has
 * such rows for a while; it has adopted the outcome then.)
 *
 * <p>Thread-safe. Suspects in memory: {@value #SUSPECTS_MAX} for each thread.
 */
final class Settling {
  private static final int SUSPECTS_MAX = 100_000;
  private static final int BATCH = 1000;

  /** Before the first look; twice as long before each of the others. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PreparedTable table;
  private final OracleClient oracle;
  private final OracleTimes times;
  private final AdoptedOutcomesCheck outcomes;
  private final DataCheckOptions options;
  private final CheckReport report;
  private List<Suspect> suspects = new ArrayList<>();

  Settling(
      PreparedTable table,
      OracleClient oracle,
      OracleTimes times,
      AdoptedOutcomesCheck outcomes,
      DataCheckOptions options,
      CheckReport report) {
    this.table = table;
    this.oracle = oracle;
    this.times = times;
    this.outcomes = outcomes;
    this.options = options;
    this.report = report;
  }

  /** Takes one; if there are very many, waits, and judges them. */
  void add(Suspect suspect) throws IOException {
    List<Suspect> full = List.of();
    synchronized (this) {
      suspects.add(suspect);
      if (suspects.size() == SUSPECTS_MAX) {
        full = suspects;
        suspects = new ArrayList<>();
      }
    }
    judge(full);
  }

  /** Waits for what is left, and judges it. */
  void judge() throws IOException {
    List<Suspect> left;
    synchronized (this) {
      left = suspects;
      suspects = new ArrayList<>();
    }
    judge(left);
  }

  private void judge(List<Suspect> all) throws IOException {
    List<Suspect> left = all.isEmpty() ? all : stillWrong(all);
    long begun = System.nanoTime();
    long pause = PAUSE_NANOS;
    long rest = options.patience().toNanos();
    while (!left.isEmpty() && rest > 0) {
      sleep(Math.min(pause, rest));
      left = stillWrong(left);
      pause *= 2;
      rest = options.patience().toNanos() - (System.nanoTime() - begun);
    }
    for (int from = 0; from < left.size(); from += BATCH) {
      judgeBatch(left.subList(from, Math.min(left.size(), from + BATCH)));
    }
  }

  private static void sleep(long nanos) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw Futures.interrupted("interrupted while transactions are waited for", e);
    }
  }

  /** Without those that the oracle has passed, and marks that are not there any more. */
  private List<Suspect> stillWrong(List<Suspect> all) throws IOException {
    long next = times.next();
    List<Suspect> left = all.stream().filter(one -> isAhead(one, next) || isOver(one)).toList();
    List<Suspect> there = new ArrayList<>();
    for (int from = 0; from < left.size(); from += BATCH) {
      List<Suspect> some = left.subList(from, Math.min(left.size(), from + BATCH));
      List<Result> rows = all(some.stream().map(Suspect::alone).toList());
      for (int i = 0; i < rows.size(); i++) {
        if (!rows.get(i).isEmpty()) {
          there.add(some.get(i));
        }
      }
    }
    return there;
  }

  private List<Result> all(List<Get> gets) throws IOException {
    return Futures.await(RowBatches.all(table, gets));
  }

  private static boolean isAhead(Suspect suspect, long next) {
    return suspect.version() >= next;
  }

  private boolean isOver(Suspect suspect) {
    return suspect.isMark() && suspect.version() < times.watermark();
  }

  private void judgeBatch(List<Suspect> batch) throws IOException {
    List<Suspect> marks = batch.stream().filter(this::isOver).toList();
    batch.stream().filter(one -> !isOver(one)).forEach(this::foundAhead);
    if (!marks.isEmpty()) {
      judgeMarks(marks);
    }
  }

  private void foundAhead(Suspect suspect) {
    report.found(
        suspect.isMark()
            ? new Finding(
                FindingKind.FUTURE_MARK,
                suspect.place(),
                "no transaction has begun with this timestamp. One that gets it would commit what"
                    + " is marked: delete the row's cells of this version, then the mark")
            : new Finding(
                FindingKind.FUTURE_VERSION,
                suspect.place(),
                "it is above the oracle's timestamps: snapshots do not see it yet, and it will hide"
                    + " what transactions commit until then. Write it again with a lower version,"
                    + " and delete this one"));
  }

  private void judgeMarks(List<Suspect> marks) throws IOException {
    List<CompletableFuture<TransactionStatus>> asked =
        marks.stream().map(one -> oracle.statusAsync(one.version(), times.snapshot())).toList();
    List<TransactionStatus> statuses = new ArrayList<>();
    for (CompletableFuture<TransactionStatus> answer : asked) {
      statuses.add(Futures.await(answer));
    }
    // Behind the answers: one that is forgotten, and whose mark is still there, was aborted.
    List<Result> there = all(marks.stream().map(Suspect::alone).toList());
    List<CleanupRequest> requests = new ArrayList<>();
    for (int i = 0; i < marks.size(); i++) {
      TransactionStatus status = statuses.get(i);
      if (!there.get(i).isEmpty() && status.state() != State.OPEN) {
        judgeMark(marks.get(i), status, requests);
      }
    }
    if (options.mend() && !requests.isEmpty()) {
      mend(requests);
    }
  }

  private void judgeMark(Suspect mark, TransactionStatus status, List<CleanupRequest> requests)
      throws IOException {
    boolean isCommitted = status.state() == State.COMMITTED;
    if (isCommitted && !outcomes.mayHaveAdopted(mark.version())) {
      List<String> lost = lostColumns(mark, status.commitTimestamp());
      if (!lost.isEmpty()) {
        report.found(
            new Finding(
                FindingKind.LOST_COMMIT,
                mark.place(),
                Text.of(
                    "the oracle was told that all of this transaction is cleaned up, which"
                        + " committed at %s, and %s of this row is not: it will be taken for"
                        + " aborted. Put these values at version %s, then delete them at version"
                        + " %s, and the mark",
                    status.commitTimestamp(),
                    String.join(", ", lost),
                    CellVersion.committed(status.commitTimestamp()),
                    mark.version())));
        return;
      }
    }
    report.found(
        new Finding(
            FindingKind.LEFT_OVER,
            mark.place(),
            "its transaction is over, and its client does not clean it up. It does no harm: a sweep"
                + " or --mend removes it"));
    requests.add(
        new CleanupRequest(
            mark.row(), mark.version(), isCommitted ? status.commitTimestamp() : Outcome.ABORTED));
  }

  /** Columns in which the transaction's version is the newest of all that may be its own. */
  private List<String> lostColumns(Suspect mark, long commitTimestamp) throws IOException {
    Get get;
    try {
      get = new Get(mark.row()).setTimeRange(mark.version(), Long.MAX_VALUE).readAllVersions();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, Boolean> columns = new TreeMap<>(); // to whether only its own version is there
    Result row = all(List.of(get)).get(0);
    for (Cell cell : row.isEmpty() ? new Cell[0] : row.rawCells()) {
      if (!PendingWrite.isMark(cell)) {
        String column =
            Bytes.toStringBinary(CellUtil.cloneFamily(cell))
                + ":"
                + Bytes.toStringBinary(CellUtil.cloneQualifier(cell));
        boolean isOwn = cell.getTimestamp() == mark.version() && !Tombstone.is(cell);
        if (isOwn) {
          columns.putIfAbsent(column, true);
        } else if (cell.getTimestamp() >= CellVersion.committed(commitTimestamp)) {
          columns.put(column, false);
        }
      }
    }
    return columns.entrySet().stream().filter(Map.Entry::getValue).map(Map.Entry::getKey).toList();
  }

  private void mend(List<CleanupRequest> requests) throws IOException {
    List<RowCleanup.Failed> failed = RowCleanup.repeated(table, requests);
    report.mended(requests.size() - failed.size());
    if (!failed.isEmpty()) {
      report.notMended(
          failed.get(0).request() + " failed: " + ErrorText.of(failed.get(0).reason()));
    }
  }
}
