package io.retso.hbase.coprocessor.read;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.resolve.KnownOutcomes;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.SnapshotRow.FirstCommit;
import io.retso.hbase.resolve.SnapshotRow.Next;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Finds the first commit, from S up to L, that changed what a get looks at. All its columns count
 * that its user is shown ({@link ShownCells}), whatever the application's filter would show of
 * them, as they do for a validating read.
 *
 * <p>It looks at the versions above S, at those in doubt, and at the marks; of each column down to
 * the first version that is committed below S, by its own number or by an adopted outcome. That is
 * what S shows; whether a change of it is seen depends on it, too. An outcome that leaves after the
 * filter has looked is missed behind it, and the row is read again ({@link RowMemory}). Stateless.
 */
public final class FirstChangeReader {
  /** Each round needs a transaction to be forgotten in the very moment of the read. */
  private static final int ROUNDS_MAX = 16;

  private FirstChangeReader() {}

  /**
   * The commit timestamp; {@link io.retso.hbase.layout.FirstChange#NONE} if there is none.
   *
   * @param get one with a question for the first change
   * @throws IOException if the oracle is needed and does not answer, or the row cannot be read
   */
  public static long read(RegionParts parts, Get get) throws IOException {
    long from = ReadAttribute.of(get);
    long upTo = ReadAttribute.firstChangeUpTo(get);
    WriterStatuses statuses = new WriterStatuses(parts.link().cache());
    for (int round = 0; round < ROUNDS_MAX; round++) {
      long moment = statuses.moment();
      RowMemory memory = new RowMemory(parts, get.getRow());
      Set<Cell> hidden = Collections.newSetFromMap(new IdentityHashMap<>());
      List<Cell> cells = cells(parts, get, from, upTo, hidden);
      KnownOutcomes known = new KnownOutcomes(writersOf(cells));
      if (!memory.addTo(cells, known)) {
        continue;
      }
      SnapshotRow row = new SnapshotRow(cells, upTo, 0, SnapshotRow.ALL_VERSIONS, moment, known);
      Predicate<Cell> isShown = cell -> !hidden.contains(cell);
      FirstCommit found = row.firstCommitSince(from, statuses, isShown);
      while (found.next() == Next.ASK) {
        parts.link().ask(statuses, upTo, parts.metrics());
        found = row.firstCommitSince(from, statuses, isShown);
      }
      if (found.next() == Next.RESOLVED) {
        return found.timestamp();
      }
    }
    throw new IOException("the row changed " + ROUNDS_MAX + " times while it was read; try again");
  }

  private static long[] writersOf(List<Cell> cells) {
    return cells.stream()
        .mapToLong(Cell::getTimestamp)
        .filter(Timestamps::isWellFormed)
        .sorted()
        .distinct()
        .toArray();
  }

  /**
   * Versions and marks of one moment.
   *
   * @param hidden takes the versions that show the user nothing
   */
  private static List<Cell> cells(
      RegionParts parts, Get get, long from, long upTo, Set<Cell> hidden) throws IOException {
    Get all = new Get(get.getRow());
    all.addFamily(PendingWrite.family());
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : get.getFamilyMap().entrySet()) {
      if (family.getValue() == null || PendingWrite.isFamily(family.getKey())) {
        all.addFamily(family.getKey());
      } else {
        family.getValue().forEach(column -> all.addColumn(family.getKey(), column));
      }
    }
    all.setTimeRange(0, upTo + 1)
        .readAllVersions()
        .setFilter(downToSnapshot(from, parts.outcomes()::outcomeOf));
    List<Cell> cells = new ArrayList<>();
    ShownCells shown = new ShownCells(get.getFilter());
    try (RegionScanner scanner = parts.region().getScanner(new Scan(all))) {
      scanner.next(cells);
      shown.begin();
      for (int i = 0; i < cells.size(); i++) {
        Cell read = cells.get(i);
        cells.set(i, withoutValue(read));
        if (!PendingWrite.isMark(read) && !shown.test(read)) {
          hidden.add(cells.get(i));
        }
      }
    }
    return cells;
  }

  /** Down to the first one of which it is known that it is committed below the snapshot. */
  static DownTo downToSnapshot(long timestamp, LongUnaryOperator outcomes) {
    return new DownTo(
        version ->
            version <= timestamp
                && (CellVersion.isCommitted(version)
                    || Outcome.isCommittedBelow(outcomes.applyAsLong(version), timestamp)));
  }

  /** A copy, as the scanner gives its memory back. Marks are small, and needed as they are. */
  private static Cell withoutValue(Cell cell) {
    return PendingWrite.isMark(cell)
        ? CellUtil.cloneIfNecessary(cell)
        : new KeyValue(
            CellUtil.cloneRow(cell),
            CellUtil.cloneFamily(cell),
            CellUtil.cloneQualifier(cell),
            cell.getTimestamp(),
            KeyValue.Type.Put);
  }
}
