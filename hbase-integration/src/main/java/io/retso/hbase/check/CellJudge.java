package io.retso.hbase.check;

import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * Looks at cell after cell of a scan of all versions. The marks of a row come first, and are
 * remembered until the next one.
 *
 * <p>Not thread-safe: one for each scan.
 */
final class CellJudge {
  private final boolean transactionsOnly;
  private final OracleTimes times;
  private final AdoptedOutcomesCheck outcomes;
  private final UnmarkedVersions unmarked;
  private final Settling settling;
  private final CheckReport report;
  private final Set<Long> marks = new HashSet<>();
  private Cell last;

  CellJudge(
      boolean transactionsOnly,
      OracleTimes times,
      AdoptedOutcomesCheck outcomes,
      UnmarkedVersions unmarked,
      Settling settling,
      CheckReport report) {
    this.transactionsOnly = transactionsOnly;
    this.times = times;
    this.outcomes = outcomes;
    this.unmarked = unmarked;
    this.settling = settling;
    this.report = report;
  }

  /** Looks at some cells of one row, as they follow each other. */
  void look(Cell[] cells) throws IOException {
    if (last == null || !CellUtil.matchingRows(last, cells[0])) {
      marks.clear();
    }
    last = cells[0];
    for (Cell cell : cells) {
      if (PendingWrite.isMark(cell)) {
        mark(cell);
      } else {
        data(cell);
      }
    }
    report.looked(cells.length);
  }

  /** Nothing comes any more. */
  void end() throws IOException {
    unmarked.judge();
  }

  private void mark(Cell cell) throws IOException {
    if (AdoptionCell.is(cell)) {
      outcomes.check(cell);
    } else if (!PendingWrite.isWellFormed(cell)) {
      report.found(
          new Finding(
              FindingKind.STRANGE_MARK,
              Suspect.of(cell, false).place(),
              "a cell of family !pw that is no mark of a transaction. It does no harm: delete it"));
    } else {
      marks.add(cell.getTimestamp());
      if (cell.getTimestamp() < times.watermark() || times.mayBeAhead(cell.getTimestamp())) {
        settling.add(Suspect.of(cell, false));
      }
    }
  }

  private void data(Cell cell) throws IOException {
    long version = cell.getTimestamp();
    if (version >= times.snapshot()) {
      if (times.mayBeAhead(version) && !marks.contains(version)) {
        settling.add(Suspect.of(cell, false));
      }
    } else if (CellVersion.isCommitted(version) || !Timestamps.isWellFormed(version)) {
      committed(cell);
    } else if (!marks.contains(version)) {
      boolean isTombstone = Tombstone.is(cell);
      if (transactionsOnly || isTombstone) {
        unmarked.add(Suspect.of(cell, isTombstone));
      } else {
        report.untold();
      }
    }
  }

  /** Cleanups move cells of transactions to {@code Tc + 1}; other versions are of others. */
  private void committed(Cell cell) {
    if ((cell.getTimestamp() & Timestamps.GAP - 1) == 1) {
      return;
    }
    if (Tombstone.is(cell)) {
      report.found(
          new Finding(
              FindingKind.STRANGE_TOMBSTONE,
              Suspect.of(cell, true).place(),
              "no transaction deletes at such a version: a program without transactions has copied"
                  + " the tombstone. Snapshots take the column for deleted: delete this version if"
                  + " that is wrong"));
    } else if (transactionsOnly) {
      report.found(
          new Finding(
              FindingKind.FOREIGN_VERSION,
              Suspect.of(cell, false).place(),
              "no transaction writes such a version, so others write to this table: find out"
                  + " which programs, or check without --transactions-only"));
    }
  }
}
