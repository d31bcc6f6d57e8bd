package io.retso.hbase.read;

import io.retso.client.RowId;
import io.retso.hbase.errors.ConflictingChange.Place;
import io.retso.hbase.errors.ConflictingChange.Use;
import io.retso.hbase.table.Granules;
import io.retso.hbase.table.IdNames;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.table.PreparedTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;

/**
 * What a serializable transaction has read, as ids for the oracle, which certifies them at the
 * commit. Everything on which an answer depended is in it before the application has the answer,
 * whether it was found or not.
 *
 * <ul>
 *   <li>Of a get, the row; in tables with conflicts by cell the cells that it names, or the row's
 *       granule if it does not name all of them.
 *   <li>Of a scan, granules that cover what it has delivered so far ({@link ScanRange}).
 * </ul>
 *
 * <p>Bounded: {@value #OPEN_MAX} scans that are open, {@value #EXACT_MAX} rows and cells. What is
 * read beyond goes in as granules, {@value #COARSE_MAX} of them with those of scans, which are the
 * coarser the more there are, and then as whole tables. So it never fails; it only meets more
 * writers. Thread-safe.
 */
public final class ReadSet {
  /** The set of a transaction whose reads are not certified. */
  public static final ReadSet UNTRACKED = new ReadSet(false);

  /** Rows and cells that are known exactly. */
  static final int EXACT_MAX = 10_000;

  /** Granules of several rows. */
  static final int COARSE_MAX = 8000;

  /** Ids for which a request should have room; with less, whole tables go in. */
  public static final int IDS_MAX = 2 * EXACT_MAX;

  /** Scans that may be open at a time without counting as read to their end. */
  static final int OPEN_MAX = 1000;

  private static final long[] NONE = {};
  private static final byte[] NO_ROW = {};

  /**
   * What is reported to the oracle.
   *
   * @param ids of rows and cells
   * @param ranges ids of granules
   */
  public record Ids(long[] ids, long[] ranges) {}

  private final boolean isTracked;

  /** Ids of rows and cells. Guarded by this, as all below. */
  private final IdSet ids = new IdSet();

  /** Ids of granules. */
  private final IdSet ranges = new IdSet();

  /** What stands behind them. */
  private final IdNames names = new IdNames();

  /** Rows, cells, and rows as granules. */
  private int exact;

  /** Granules of several rows. */
  private int coarse;

  /** All tables that were read. */
  private final Map<TableName, Granules> tables = new HashMap<>();

  /** Scans whose ranges are not in yet. */
  private final Set<ScanRange> open = new HashSet<>();

  private ReadSet(boolean isTracked) {
    this.isTracked = isTracked;
  }

  /** One that is empty, of a transaction whose reads are certified. */
  public static ReadSet tracked() {
    return new ReadSet(true);
  }

  public boolean isTracked() {
    return isTracked;
  }

  /** Gets are about to be answered from the table. */
  public void add(PreparedTable table, List<Get> gets) {
    if (isTracked) {
      addExactly(table, gets);
    }
  }

  private synchronized void addExactly(PreparedTable table, List<Get> gets) {
    for (Get get : gets) {
      if (table.canName(get)) {
        for (long id : table.conflictIds(get)) {
          add(table, get.getRow(), ids, id);
        }
        names.add(table, get, Use.READ);
      } else {
        addRow(table, get.getRow());
      }
    }
  }

  private void addRow(PreparedTable table, byte[] row) {
    byte[] name = table.name().getName();
    if (table.isCellConflicts()) {
      ranges.add(granules(table).bulk());
      add(table, row, ranges, RowId.rowGranule(name, row));
      names.add(RowId.rowGranule(name, row), Place.row(table.name(), Use.SCANNED, row));
    } else {
      add(table, row, ids, RowId.of(name, row));
      names.add(RowId.of(name, row), Place.row(table.name(), Use.SCANNED, row));
    }
  }

  private void add(PreparedTable table, byte[] row, IdSet to, long id) {
    Granules granules = granules(table);
    if (exact < EXACT_MAX) {
      exact += to.add(id) ? 1 : 0;
    } else if (!to.contains(id)) {
      int size = Math.min(coarse * granules.sizes() / COARSE_MAX, granules.sizes() - 1);
      addGranules(granules, whole(table), granules.of(row, size));
    }
  }

  private void addGranules(Granules granules, Place part, long... ofTable) {
    ranges.add(granules.bulk());
    for (long granule : ofTable) {
      names.add(granule, part);
      coarse += ranges.add(granule) ? 1 : 0;
    }
  }

  private Granules granules(PreparedTable table) {
    return tables.computeIfAbsent(
        table.name(),
        name -> {
          Granules granules = table.granules();
          names.add(granules.whole(), whole(table));
          names.add(granules.bulk(), whole(table));
          return granules;
        });
  }

  private static Place whole(PreparedTable table) {
    return Place.range(table.name(), Use.SCANNED, NO_ROW, NO_ROW);
  }

  /** What stands behind an id that was read; empty if it is not known. */
  public synchronized Optional<Place> find(long id) {
    return Optional.ofNullable(names.find(id));
  }

  public ScanRange scan(PreparedTable table, Scan scan) {
    if (!isTracked) {
      return ScanRange.UNTRACKED;
    }
    ScanRange range = new ScanRange(this, table, scan);
    synchronized (this) {
      open.add(range);
    }
    if (isCrowded()) {
      range.ended(true); // on the safe side
    }
    return range;
  }

  /** So it is if an application leaves many scans without taking all rows or closing them. */
  private synchronized boolean isCrowded() {
    return open.size() > OPEN_MAX;
  }

  /** A scan that is open no more, with what it has read. */
  synchronized void ended(ScanRange range) {
    if (open.remove(range)) {
      range.addTo(this);
    }
  }

  /**
   * A part of a table was looked at.
   *
   * @param low its first row; empty for the beginning of the table
   * @param high its last row; empty for the end of the table
   */
  synchronized void addRange(PreparedTable table, byte[] low, byte[] high, boolean withHigh) {
    if (low.length > 0 && Arrays.equals(low, high)) {
      addRow(table, low);
      return;
    }
    Granules granules = granules(table);
    int max = Math.min((COARSE_MAX - coarse) / Granules.COVER_MAX, Granules.COVER_MAX);
    addGranules(
        granules,
        Place.range(table.name(), Use.SCANNED, low, high),
        max > 0 ? granules.cover(low, high, withHigh, max) : new long[] {granules.whole()});
  }

  /** Whether there is something to certify. */
  public boolean hasReads() {
    if (!isTracked) {
      return false;
    }
    synchronized (this) {
      addOpenScans();
      return !ids.isEmpty() || !ranges.isEmpty();
    }
  }

  private void addOpenScans() {
    open.forEach(range -> range.addTo(this));
  }

  /**
   * What is reported to the oracle at the commit. Rows that the transaction has written, too, are
   * left out: no other has changed them, or it aborts for that. This holds for equal ids only: in
   * tables with conflicts by cell a row is more than the cells of it that were written.
   *
   * @param written ids of what it wrote
   * @param room for so many ids; if there are more, whole tables go in for them
   */
  public synchronized Ids ids(IdSet written, long room) {
    addOpenScans();
    long[] read = ids.without(written);
    if (read.length + ranges.size() <= room) {
      return new Ids(read, ranges.toArray());
    }
    IdSet whole = new IdSet();
    for (Granules granules : tables.values()) {
      whole.add(granules.bulk());
      whole.add(granules.whole());
    }
    return new Ids(NONE, whole.toArray());
  }
}
