package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.Mark;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.resolve.KnownOutcomes;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.SnapshotRow.Next;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Resolves row after row for one read at Tr; docs/protocol.md, "Reads at Tr".
 *
 * <p>If every column begins with a version that is committed by its own number, or the region knows
 * the outcomes of those that are not, the row is resolved as it is: outcomes never change, and a
 * writer that calls has seen that the row is whole ({@link SnapshotFilter}). Otherwise the columns
 * in doubt are read again, together with the marks of the versions in question, in one read: now
 * each version and its mark belong together. Outcomes and marks that are no cells are added ({@link
 * RowMemory}).
 *
 * <p>A version that comes up only in the second read, below Tr and with the form of a start
 * timestamp, is left out, for its mark was not read. It was not there when the first read began,
 * later than Tr: either it is of a transaction that had not acknowledged this write then, so that
 * it commits above Tr if at all; or of a plain writer, which could as well have come a moment
 * later.
 *
 * <p>A mark below the horizon belongs to an aborted transaction, or to a late duplicate ({@link
 * Horizon}); the oracle need not be asked. That is not so of one whose outcome the region knows:
 * the horizon may rise as soon as it is adopted. An outcome that leaves between two looks is no
 * danger: those that the region had before the second read are known, and if it came after that and
 * has left, a flush has been committed since.
 *
 * <p>One for each scanner; not thread-safe.
 */
public final class RegionReader {
  /** Each round needs a transaction to end, or to be forgotten, in the very moment of the read. */
  private static final int ROUNDS_MAX = 16;

  private final RegionParts parts;
  private final long timestamp;
  private final long since;
  private final WriterStatuses statuses;

  /** Null for a get. */
  private final MarkPrefetch ahead;

  private boolean current;

  /**
   * A reader.
   *
   * @param marksAhead reads the marks of all rows that will be resolved, in their order; null for
   *     one row
   */
  public RegionReader(RegionParts parts, long timestamp, Scan marksAhead) {
    this(parts, timestamp, 0, marksAhead);
  }

  /**
   * A reader of changes.
   *
   * @param since the older timestamp, {@link ReadAttribute#changesSince}; 0 for all that {@code
   *     timestamp} shows
   */
  RegionReader(RegionParts parts, long timestamp, long since, Scan marksAhead) {
    this.parts = parts;
    this.timestamp = timestamp;
    this.since = since;
    this.statuses = new WriterStatuses(parts.link().cache());
    this.ahead = marksAhead == null ? null : new MarkPrefetch(parts, marksAhead);
  }

  /**
   * Refuses the read if something that it needs may have been purged. To be called after reading.
   *
   * <p>A reader of changes needs all that was committed since the older snapshot. Purge drops
   * versions and tombstones below the horizon only; so none of those is gone if it has not passed
   * that snapshot. Holding it is what keeps the horizon from doing so.
   *
   * @throws DoNotRetryIOException {@link Refusal#SNAPSHOT_TOO_OLD}
   */
  public void checkHorizon() throws DoNotRetryIOException {
    long refused = parts.horizon().refused();
    long oldest = since == 0 ? timestamp : since;
    if (oldest < refused) {
      parts.metrics().refusedReads.increment();
      throw new DoNotRetryIOException(
          Refusal.SNAPSHOT_TOO_OLD.message(oldest, "snapshots below " + refused));
    }
  }

  /**
   * The lowest version that a change since the older snapshot may have where it is now: files
   * without such versions need not be read. To be called before the scanner is opened.
   *
   * <p>Let H be the horizon, at most {@code since}, or the read is refused. A transaction that
   * committed since then has {@code Tc + 1} above it, where it is cleaned up. Where it is not, its
   * version is Ts, and either not below H; or the transaction was adopted by this region before the
   * oracle's watermark came to H, since marks that are left below H are not of committed ones. Then
   * its outcome is known here, or leaves with its versions on their way to {@code Tc + 1}. So
   * outcomes are looked at after H.
   */
  long lowestChange() {
    long horizon = parts.horizon().refused();
    return Math.min(Math.min(horizon, since), parts.outcomes().lowest());
  }

  /**
   * What the snapshot sees of a row.
   *
   * @param cells its data, of each column the versions down to the first committed one; not changed
   * @return at most one cell of each column; perhaps {@code cells} itself
   * @throws IOException if the oracle is needed and does not answer, or the row cannot be read
   */
  List<Cell> resolve(List<Cell> cells) throws IOException {
    assert cells.stream().allMatch(cell -> cell.getTimestamp() <= timestamp) : cells;
    long[] questions = SnapshotRow.inQuestion(cells);
    current = true;
    if (questions.length == 0) {
      return shown(cells);
    }
    statuses.trim();
    KnownOutcomes known = new KnownOutcomes(questions);
    List<Cell> row = cells;
    if (!known.look(parts.outcomes()::outcomeOf)) {
      parts.metrics().inDoubtRows.increment();
      row = withMarksInMemory(cells, questions, known);
    }
    if (row != null) {
      SnapshotRow seen = row(row, WriterStatuses.BEFORE_ALL_ANSWERS, known);
      if (ask(seen, cells.get(0)) == Next.RESOLVED) {
        return visible(seen, questions);
      }
    }
    return resolveInDoubt(cells, questions, known);
  }

  /**
   * A row in doubt with its marks, if it need not be read again for them: each version in question
   * has a mark in the memory of the region, or an outcome. It is no matter that they are looked for
   * after the row was read. A transaction that has left a mark in a row has written the version of
   * that number there, and what the oracle says of it was true, or undecided, then. The two that
   * are not so simple are left to a second read: writers that the oracle has forgotten, and those
   * below the horizon.
   *
   * @return null if it must be read again
   */
  private List<Cell> withMarksInMemory(List<Cell> cells, long[] questions, KnownOutcomes known) {
    long refused = parts.horizon().refused();
    byte[] key = CellUtil.cloneRow(cells.get(0));
    List<Cell> row = new ArrayList<>(questions.length + cells.size());
    for (long version : questions) {
      if (!Outcome.isKnown(known.of(version))) {
        Mark mark = version < refused ? null : parts.marks().writers().find(key, version);
        if (mark == null) {
          return null;
        }
        row.add(mark.cell());
      }
    }
    row.addAll(cells);
    return row;
  }

  /** Asks the oracle about a row until it is resolved, or is to be read again. */
  private Next ask(SnapshotRow seen, Cell first) throws IOException {
    Next next = seen.resolve(statuses);
    while (next == Next.ASK) {
      if (ahead != null) {
        ahead.expect(first, statuses);
      }
      parts.link().ask(statuses, timestamp, parts.metrics());
      next = seen.resolve(statuses);
    }
    for (CleanupRequest request : seen.cleanups(statuses)) {
      parts.link().orphans().offer(parts.region(), request.row(), request.start());
    }
    return next;
  }

  private List<Cell> resolveInDoubt(List<Cell> cells, long[] questions, KnownOutcomes known)
      throws IOException {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      // Both before the row is read: marks found then are judged by what was true before.
      long moment = statuses.moment();
      long refusedBelow = parts.horizon().refused();
      RowMemory memory = new RowMemory(parts, CellUtil.cloneRow(cells.get(0)));
      List<Cell> row = readWithMarks(cells, questions, known);
      if (!memory.addTo(row, known)) {
        continue;
      }
      Set<Long> dead = removeUnseen(row, known, refusedBelow);
      SnapshotRow seen = row(row, moment, known);
      if (ask(seen, cells.get(0)) == Next.RESOLVED) {
        long[] living = Arrays.stream(questions).filter(v -> !dead.contains(v)).toArray();
        return visible(seen, living);
      }
    }
    throw new IOException("the row changed " + ROUNDS_MAX + " times while it was read; try again");
  }

  /** {@code versions} were in question when the row was first read. */
  private List<Cell> visible(SnapshotRow seen, long[] versions) {
    current = seen.isPast(versions, statuses);
    return shown(seen.newest());
  }

  /**
   * What the reader wants of the newest versions. One at {@code since} itself is a plain writer's,
   * which that snapshot does not show.
   */
  private List<Cell> shown(List<Cell> newest) {
    return since == 0
        ? SnapshotRow.withoutTombstones(newest)
        : newest.stream().filter(cell -> cell.getTimestamp() >= since).toList();
  }

  private SnapshotRow row(List<Cell> cells, long moment, KnownOutcomes known) {
    return new SnapshotRow(cells, timestamp, timestamp, SnapshotRow.ALL_VERSIONS, moment, known);
  }

  /**
   * Whether the row that was resolved last had no version, when it was first read, that has
   * committed since the timestamp, or may have. Versions above the timestamp are the caller's to
   * look for.
   */
  boolean isCurrent() {
    return current;
  }

  /**
   * Whether a version is committed below the timestamp by an adopted outcome. Those behind it are
   * covered, as they are behind one that says so by its own number; otherwise reads would go
   * through all that was written since the last flush.
   */
  boolean isCommitted(long version) {
    return Outcome.isCommittedBelow(parts.outcomes().outcomeOf(version), timestamp);
  }

  /** Down to the first one that is committed, by its own number or by what was known before. */
  static DownTo downToCommitted(KnownOutcomes known, long timestamp) {
    return new DownTo(
        version ->
            CellVersion.isCommitted(version)
                || Outcome.isCommittedBelow(known.of(version), timestamp));
  }

  /** {@link io.retso.hbase.coprocessor.region.RegionOutcomes#moves}. */
  long moves() {
    return parts.outcomes().moves();
  }

  /** The timestamp of the read. */
  long timestamp() {
    return timestamp;
  }

  /** The row with its columns in doubt read anew, and the marks of the versions in question. */
  private List<Cell> readWithMarks(List<Cell> cells, long[] questions, KnownOutcomes known)
      throws IOException {
    Get get = new Get(CellUtil.cloneRow(cells.get(0)));
    byte[] family = PendingWrite.family();
    for (long version : questions) {
      if (Timestamps.isWellFormed(version)) {
        get.addColumn(family, PendingWrite.qualifier(version));
      }
    }
    List<Cell> row = new ArrayList<>(cells.size() + questions.length);
    for (int begin = 0; begin < cells.size(); ) {
      Cell newest = cells.get(begin);
      int end = begin + 1;
      while (end < cells.size() && CellUtil.matchingColumn(newest, cells.get(end))) {
        end++;
      }
      if (CellVersion.isCommitted(newest.getTimestamp())) {
        row.add(newest);
      } else {
        get.addColumn(CellUtil.cloneFamily(newest), CellUtil.cloneQualifier(newest));
      }
      begin = end;
    }
    get.setTimeRange(0, timestamp + 1)
        .readAllVersions()
        .setFilter(downToCommitted(known, timestamp));
    List<Cell> again = new ArrayList<>();
    try (RegionScanner scanner = parts.region().getScanner(new Scan(get))) {
      scanner.next(again);
      for (Cell cell : again) {
        row.add(CellUtil.cloneIfNecessary(cell)); // before the scanner gives its memory back
      }
    }
    row.sort(CellComparator.getInstance());
    return row;
  }

  private static boolean areMarksFirst(List<Cell> row) {
    long marks = row.stream().filter(PendingWrite::isMark).count();
    return row.stream().limit(marks).allMatch(PendingWrite::isMark);
  }

  /** Returns the aborted writers among those whose marks were found. */
  private Set<Long> removeUnseen(List<Cell> row, KnownOutcomes known, long refusedBelow) {
    assert areMarksFirst(row) : row;
    Set<Long> dead = new HashSet<>();
    for (Cell cell : row) {
      if (!PendingWrite.isMark(cell)) {
        break;
      }
      if (!PendingWrite.isWellFormed(cell)) {
        continue;
      }
      long start = PendingWrite.startOf(cell);
      if (start < refusedBelow && !Outcome.isKnown(known.of(start))) {
        dead.add(start);
        parts.link().orphans().offer(parts.region(), CellUtil.cloneRow(cell), start);
      }
    }
    row.removeIf(
        cell -> {
          long version = cell.getTimestamp();
          return dead.contains(version)
              || Timestamps.isWellFormed(version) && !known.isAsked(version);
        });
    return dead;
  }
}
