package io.retso.hbase.check;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.TransactionStatus.State;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * Versions of a transaction's form for which a scan showed no mark. The scan does not know all: a
 * mark may be in the memory of a region only, as may the outcome. So each is read again.
 *
 * <ul>
 *   <li>With client reads the column and all marks of its row come in one atomic get: the version
 *       is there, and its mark is not.
 *   <li>With server reads the region is asked what a snapshot of now shows. It shows a version of a
 *       transaction as {@code Tc + 1}, or not at all: one that is shown as it stands counts as
 *       committed by its own number. Where another one is shown, no reader sees it.
 *   <li>A tombstone shows nothing. It is believed if the oracle knows that its transaction did not
 *       commit, and yet a version below it, committed by its own number, is not shown. If its
 *       transaction has committed or is forgotten, it is passed over.
 * </ul>
 *
 * <p>Not thread-safe. Suspects in memory: {@value #BATCH}.
 */
final class UnmarkedVersions {
  private static final int BATCH = 1000;

  private final PreparedTable table;
  private final OracleClient oracle;
  private final CheckReport report;
  private final List<Suspect> batch = new ArrayList<>();

  UnmarkedVersions(PreparedTable table, OracleClient oracle, CheckReport report) {
    this.table = table;
    this.oracle = oracle;
    this.report = report;
  }

  /** Takes one, and judges all when there are many. */
  void add(Suspect suspect) throws IOException {
    batch.add(suspect);
    if (batch.size() == BATCH) {
      judge();
    }
  }

  /** Judges what there is. */
  void judge() throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    List<Suspect> suspects = List.copyOf(batch);
    batch.clear();
    TransactionHandle reader = oracle.begin(); // holds the watermark, and with it the snapshot
    try {
      long timestamp = reader.startTimestamp();
      for (Suspect bad : table.isServerReads() ? shown(suspects, timestamp) : unmarked(suspects)) {
        report.found(finding(bad, status(bad, timestamp)));
      }
    } finally {
      oracle.endLater(reader);
    }
  }

  private TransactionStatus status(Suspect suspect, long timestamp) throws IOException {
    return Futures.await(oracle.statusAsync(suspect.version(), timestamp));
  }

  /** Those that have no mark in the very read that has them. */
  private List<Suspect> unmarked(List<Suspect> suspects) throws IOException {
    List<Result> rows = all(suspects.stream().map(UnmarkedVersions::withMarks).toList());
    List<Suspect> bad = new ArrayList<>();
    for (int i = 0; i < suspects.size(); i++) {
      if (isUnmarked(suspects.get(i), rows.get(i))) {
        bad.add(suspects.get(i));
      }
    }
    return bad;
  }

  /** Those that a region takes for committed. */
  private List<Suspect> shown(List<Suspect> suspects, long timestamp) throws IOException {
    List<Get> gets =
        suspects.stream()
            .map(one -> SnapshotRequests.atServer(one.column(), table.fingerprint(), timestamp))
            .toList();
    List<Result> rows = all(gets);
    List<Suspect> bad = new ArrayList<>();
    for (int i = 0; i < suspects.size(); i++) {
      Suspect suspect = suspects.get(i);
      boolean isBelieved =
          suspect.tombstone()
              ? rows.get(i).isEmpty() && hides(suspect, timestamp)
              : hasVersion(suspect, rows.get(i));
      if (isBelieved) {
        bad.add(suspect);
      }
    }
    return bad;
  }

  private static Get withMarks(Suspect suspect) {
    return suspect.column().addFamily(PendingWrite.family()).readAllVersions();
  }

  private List<Result> all(List<Get> gets) throws IOException {
    return Futures.await(RowBatches.all(table, gets));
  }

  private static boolean hasVersion(Suspect suspect, Result row) {
    return cells(row).stream()
        .anyMatch(cell -> !PendingWrite.isMark(cell) && cell.getTimestamp() == suspect.version());
  }

  private static boolean isUnmarked(Suspect suspect, Result row) {
    return hasVersion(suspect, row)
        && cells(row).stream()
            .noneMatch(
                cell -> PendingWrite.isMark(cell) && cell.getTimestamp() == suspect.version());
  }

  /** Whether a tombstone of a transaction that did not commit hides what was committed before. */
  private boolean hides(Suspect tombstone, long timestamp) throws IOException {
    State state = status(tombstone, timestamp).state();
    if (state != State.ABORTED && state != State.OPEN) {
      return false;
    }
    Result row = all(List.of(withMarks(tombstone))).get(0);
    List<Cell> versions = cells(row).stream().filter(cell -> !PendingWrite.isMark(cell)).toList();
    boolean isAlone = // another one that is not cleaned up may be the delete that is shown
        versions.stream()
            .map(Cell::getTimestamp)
            .allMatch(
                version -> version == tombstone.version() || CellVersion.isCommitted(version));
    return isAlone
        && isUnmarked(tombstone, row)
        && versions.stream()
            .filter(cell -> CellVersion.isCommitted(cell.getTimestamp()))
            .findFirst()
            .filter(cell -> cell.getTimestamp() < tombstone.version() && !Tombstone.is(cell))
            .isPresent();
  }

  private static List<Cell> cells(Result row) {
    return row.isEmpty() ? List.of() : Arrays.asList(row.rawCells());
  }

  private static Finding finding(Suspect suspect, TransactionStatus status) {
    String remedy =
        switch (status.state()) {
          case ABORTED, OPEN -> "Delete this version";
          case COMMITTED ->
              Text.of(
                  "Put its value at version %s, then delete this version",
                  CellVersion.committed(status.commitTimestamp()));
          case RETRY ->
              "Compare it with the application's own records, and delete this version if the"
                  + " transaction was aborted";
        };
    return new Finding(
        FindingKind.UNMARKED,
        suspect.place(),
        Text.of(
            "a %s of a transaction without its mark counts as committed. %s. %s",
            suspect.tombstone() ? "delete" : "version", known(status), remedy));
  }

  private static String known(TransactionStatus status) {
    return status.state() == State.RETRY
        ? "The oracle has forgotten the transaction"
        : "The oracle calls the transaction " + status;
  }
}
