package io.retso.hbase.resolve;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;

/**
 * What a snapshot sees of one row; docs/protocol.md, "Reads at Tr". The same code decides in
 * clients and in region servers.
 *
 * <pre>
 *   cells: [ marks, by Ts ][ column a: newest, older, ... ][ column b: ... ]     as HBase returns them
 *
 *   new SnapshotRow(cells, ...)  -- resolve --+-- RESOLVED:   visible()
 *                                      ^      +-- ASK:        the oracle about statuses.unknown(),
 *                                      |      |               for all rows of a request at once
 *                                      +------+
 *                                             +-- READ_AGAIN: this row, versionsNeeded() versions;
 *                                                             begin again with what was read
 * </pre>
 *
 * <p>The cells must come from one atomic read of the row: a version whose mark was read at another
 * moment would pass for that of a plain writer. Not thread-safe.
 */
public final class SnapshotRow {
  /** For a row whose cells were read without a limit of versions. */
  public static final int ALL_VERSIONS = Integer.MAX_VALUE;

  /** What is to be done next. */
  public enum Next {
    /** Nothing: the row is resolved. */
    RESOLVED,
    /** Ask the oracle about the writers in {@link WriterStatuses#unknown()}, then resolve again. */
    ASK,
    /** Read the row again with {@link #versionsNeeded()} versions, and make a new object of it. */
    READ_AGAIN
  }

  /**
   * An answer of {@link #firstCommitSince}.
   *
   * @param timestamp the commit timestamp if resolved; {@link Long#MAX_VALUE} if there is none
   */
  public record FirstCommit(Next next, long timestamp) {}

  private static final long[] NONE = {};

  private final List<Cell> cells;
  private final long readTimestamp;
  private final long ownStart;
  private final int versions;
  private final long readMoment;

  /** Where the data begins in {@link #cells}. */
  private final int data;

  /** Start timestamps of the writers that have a mark in this row, ascending. */
  private final long[] marks;

  /** What the region knows of writers, with a mark or without. */
  private final KnownOutcomes known;

  /** With tombstones; null until resolved. */
  private List<Cell> newest;

  /**
   * A row as it was read.
   *
   * @param cells all marks and the newest versions of each column; not copied, not changed
   * @param readTimestamp Tr: what committed below it is visible
   * @param ownStart the reader's own start timestamp, whose writes it sees; 0 if it has none
   * @param versions how many versions of a column were read at most, or {@link #ALL_VERSIONS}.
   *     Those above {@code readTimestamp} must not have counted: set the time range
   * @param readMoment {@link WriterStatuses#moment()} before the read
   */
  public SnapshotRow(
      List<Cell> cells, long readTimestamp, long ownStart, int versions, long readMoment) {
    this(cells, readTimestamp, ownStart, versions, readMoment, KnownOutcomes.NONE);
  }

  /**
   * A row of which the region knows outcomes. Their versions need no mark to be those of a writer.
   */
  public SnapshotRow(
      List<Cell> cells,
      long readTimestamp,
      long ownStart,
      int versions,
      long readMoment,
      KnownOutcomes known) {
    this.cells = cells;
    this.readTimestamp = CellVersion.checkTimestamp(readTimestamp);
    this.ownStart = ownStart;
    this.versions = versions;
    this.readMoment = readMoment;
    this.known = known;
    this.data = endOfMarks(cells);
    this.marks = startsOf(cells.subList(0, data));
  }

  private static int endOfMarks(List<Cell> cells) {
    int end = 0;
    while (end < cells.size() && PendingWrite.isMark(cells.get(end))) {
      end++;
    }
    return end;
  }

  private static long[] startsOf(List<Cell> marks) {
    if (marks.isEmpty()) {
      return NONE;
    }
    long[] starts = new long[marks.size()];
    int count = 0;
    for (Cell mark : marks) {
      if (PendingWrite.isWellFormed(mark)) {
        starts[count++] = PendingWrite.startOf(mark);
      }
    }
    Arrays.sort(starts, 0, count); // sorted already, as qualifiers are; searched, so made sure
    return count == starts.length ? starts : Arrays.copyOf(starts, count);
  }

  /**
   * The versions of a row that may be pending: those not {@link CellVersion#isCommitted} before the
   * first one of their column that is. If there are none, the row is resolved by its data alone;
   * otherwise their marks must be read together with them.
   *
   * @param cells versions of data columns at or below the read timestamp, newest first per column
   * @return distinct, ascending
   */
  public static long[] inQuestion(List<Cell> cells) {
    long[] found = NONE;
    int count = 0;
    for (int begin = 0; begin < cells.size(); ) {
      int end = endOfColumn(cells, begin);
      for (int i = begin; i < end; i++) {
        long version = cells.get(i).getTimestamp();
        if (CellVersion.isCommitted(version)) {
          break;
        }
        if (count == found.length) {
          found = Arrays.copyOf(found, Math.max(4, 2 * count));
        }
        found[count++] = version;
      }
      begin = end;
    }
    return count == 0 ? NONE : Arrays.stream(found, 0, count).sorted().distinct().toArray();
  }

  /**
   * Resolves what is visible as far as {@code statuses} allows, and notes there which writers to
   * ask for. Finds all unknown writers at once: after one round of answers the row is resolved or
   * to be read again.
   */
  public Next resolve(WriterStatuses statuses) {
    if (newest != null) {
      return Next.RESOLVED;
    }
    List<Cell> found = new ArrayList<>(cells.size() - data);
    boolean unknown = false;
    boolean again = false;
    for (int begin = data; begin < cells.size(); ) {
      int end = endOfColumn(cells, begin);
      switch (resolveColumn(begin, end, statuses, found)) {
        case ASK -> unknown = true;
        case READ_AGAIN -> again = true;
        case RESOLVED -> {}
      }
      begin = end;
    }
    if (unknown) {
      return Next.ASK;
    }
    if (again) {
      return Next.READ_AGAIN;
    }
    newest = found;
    return Next.RESOLVED;
  }

  private Next resolveColumn(int begin, int end, WriterStatuses statuses, List<Cell> found) {
    boolean unknown = false;
    for (int i = begin; i < end; i++) {
      Cell cell = cells.get(i);
      long version = cell.getTimestamp();
      if (!isWriter(version)) {
        if (version < readTimestamp) {
          return unknown ? Next.ASK : resolve(cell, found);
        }
      } else if (version == ownStart) {
        return unknown ? Next.ASK : resolve(cell, found);
      } else if (version < readTimestamp) {
        long status = statusOf(version, statuses);
        if (status == WriterStatuses.FORGOTTEN) {
          return unknown ? Next.ASK : Next.READ_AGAIN;
        }
        if (!Outcome.isKnown(status)) {
          statuses.ask(version);
          unknown = true; // older ones may be in question, too: ask about them in the same round
        } else if (Outcome.isCommittedBelow(status, readTimestamp)) {
          return unknown ? Next.ASK : resolve(atCommit(cell, status), found);
        }
      }
    }
    if (unknown) {
      return Next.ASK;
    }
    // None of these is visible. If the limit cut off older ones, one of them may be.
    return end - begin >= versions ? Next.READ_AGAIN : Next.RESOLVED;
  }

  private static Next resolve(Cell cell, List<Cell> found) {
    found.add(cell);
    return Next.RESOLVED;
  }

  /**
   * The cell as cleanup will leave it, so that a reader sees one version whether or not cleanup was
   * faster. A copy: the original may lie in HBase's block cache.
   */
  private static Cell atCommit(Cell cell, long commitTimestamp) {
    KeyValue copy = KeyValueUtil.copyToNewKeyValue(cell);
    copy.setTimestamp(CellVersion.committed(commitTimestamp));
    return copy;
  }

  /** Whether a version is that of a transaction's write, and not a plain writer's. */
  private boolean isWriter(long version) {
    return !CellVersion.isCommitted(version)
        && (marks.length != 0 && Arrays.binarySearch(marks, version) >= 0
            || Outcome.isKnown(known.of(version)));
  }

  private long statusOf(long start, WriterStatuses statuses) {
    long outcome = known.of(start);
    return Outcome.isKnown(outcome) ? outcome : statuses.of(start, readMoment);
  }

  private static int endOfColumn(List<Cell> cells, int begin) {
    Cell first = cells.get(begin);
    int end = begin + 1;
    while (end < cells.size() && CellUtil.matchingColumn(first, cells.get(end))) {
      end++;
    }
    return end;
  }

  /**
   * The visible cells, at most one per column, in HBase's order: without tombstones; what is
   * committed has version {@code Tc + 1} (or that of its plain writer), own writes {@code Ts}.
   *
   * @throws IllegalStateException before {@link #resolve} has said {@link Next#RESOLVED}
   */
  public List<Cell> visible() {
    return withoutTombstones(newest());
  }

  /**
   * {@link #visible()}, and the tombstones of columns that are deleted.
   *
   * @throws IllegalStateException before {@link #resolve} has said {@link Next#RESOLVED}
   */
  public List<Cell> newest() {
    if (newest == null) {
      throw new IllegalStateException("the row is not resolved; call resolve until it is");
    }
    return newest;
  }

  /** The cells that are no tombstones; perhaps {@code cells} itself. */
  public static List<Cell> withoutTombstones(List<Cell> cells) {
    for (Cell cell : cells) {
      if (Tombstone.is(cell)) {
        List<Cell> left = new ArrayList<>(cells);
        left.removeIf(Tombstone::is);
        return left;
      }
    }
    return cells;
  }

  /**
   * Whether versions that were met in an earlier read of this row are known to be of the past:
   * committed below the read timestamp, or aborted. One that is gone may have committed since, and
   * been moved. To be asked of a resolved row.
   */
  public boolean isPast(long[] versions, WriterStatuses statuses) {
    for (long version : versions) {
      if (isWriter(version)) {
        long status = statusOf(version, statuses);
        if (status != Outcome.ABORTED && !Outcome.isCommittedBelow(status, readTimestamp)) {
          return false;
        }
      } else if (version >= readTimestamp || !hasVersion(version)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasVersion(long version) {
    return cells.subList(data, cells.size()).stream().anyMatch(c -> c.getTimestamp() == version);
  }

  /**
   * The first commit from a timestamp on that changed what a user is shown of one of the columns,
   * as far as {@code statuses} allows: notes there which writers to ask for, as {@link #resolve}
   * does. Plain writers do not count.
   *
   * <p>For rows read with {@link #ALL_VERSIONS}, at a timestamp below which those who are open now
   * will not commit.
   *
   * @param isShown whether the user is shown a version where it is the newest. If neither a version
   *     nor the committed one before it is shown, the commit has changed nothing
   */
  public FirstCommit firstCommitSince(
      long timestamp, WriterStatuses statuses, Predicate<Cell> isShown) {
    long first = Long.MAX_VALUE;
    boolean unknown = false;
    for (int begin = data; begin < cells.size(); ) {
      int end = endOfColumn(cells, begin);
      long covering = Long.MAX_VALUE; // commit of the version that was looked at before, if hidden
      for (int i = begin; i < end; i++) {
        Cell cell = cells.get(i);
        long version = cell.getTimestamp();
        boolean isWriter = isWriter(version);
        long commit = isWriter ? statusOf(version, statuses) : version;
        if (isWriter && commit == WriterStatuses.FORGOTTEN) {
          return new FirstCommit(Next.READ_AGAIN, 0);
        }
        if (isWriter && !Outcome.isCommitted(commit)) {
          if (!Outcome.isKnown(commit)) {
            statuses.ask(version);
            unknown = true;
          }
          continue;
        }
        boolean shown = isShown.test(cell);
        first = shown ? Math.min(first, covering) : first;
        if (commit <= timestamp) {
          break; // none below commits any more: see docs/protocol.md, "Order of versions"
        }
        if (!isWriter) {
          // The timestamp is that of no commit, and what is not committed so is a plain writer's.
          boolean isCommit = version - 1 > timestamp && Timestamps.isWellFormed(version - 1);
          commit = isCommit ? version - 1 : Long.MAX_VALUE;
        }
        first = shown ? Math.min(first, commit) : first;
        covering = shown ? Long.MAX_VALUE : commit;
      }
      begin = end;
    }
    return new FirstCommit(unknown ? Next.ASK : Next.RESOLVED, first);
  }

  /**
   * How many versions of each column a new read of the row needs to be resolved: one more than
   * there can be invisible ones, which is one for each mark of another writer. More writers that
   * began before the reader may have come in between; then the new read asks for yet another.
   */
  public int versionsNeeded() {
    return Math.max(versions, marks.length + 1);
  }

  /** Decided writers, known to {@code statuses}, whose marks are still in this row. */
  public List<CleanupRequest> cleanups(WriterStatuses statuses) {
    if (marks.length == 0) {
      return List.of();
    }
    List<CleanupRequest> requests = new ArrayList<>();
    byte[] row = null;
    for (long start : marks) {
      long status = statusOf(start, statuses);
      if (start != ownStart && (Outcome.isCommitted(status) || status == Outcome.ABORTED)) {
        row = row == null ? CellUtil.cloneRow(cells.get(0)) : row;
        requests.add(new CleanupRequest(row, start, status));
      }
    }
    return requests;
  }
}
