package io.retso.hbase.resolve;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.io.TimeRange;

/**
 * Reads of an application in a transaction: what they may ask for, and how they are sent.
 *
 * <p>{@code check} refuses what a snapshot cannot honour, at the call and with the reason, instead
 * of answering something else. What remains (rows, families, columns, filter, limits per family,
 * order, caching, hints) is honoured.
 *
 * <p>Copies are sent, so the application's objects are neither changed nor kept. To regions they go
 * with the fingerprint of the table's settings. Stateless.
 */
public final class SnapshotRequests {
  private SnapshotRequests() {}

  /**
   * Checks a get.
   *
   * @throws IllegalArgumentException if a transaction cannot honour it; says why, and what to do
   */
  public static void check(Get get) {
    checkVersions(get.getMaxVersions());
    checkTime(get.getTimeRange());
    checkQuery(get, get.getFamilyMap().keySet());
  }

  /**
   * Checks a scan.
   *
   * @throws IllegalArgumentException if a transaction cannot honour it; says why, and what to do
   */
  public static void check(Scan scan) {
    refuse(
        scan.isRaw(), "a raw scan shows versions that are not in the snapshot: use HBase's Table");
    checkVersions(scan.getMaxVersions());
    checkTime(scan.getTimeRange());
    refuse(
        scan.getBatch() > 0 || scan.getAllowPartialResults(),
        "a snapshot decides rows as a whole: no setBatch, no setAllowPartialResults; for wide rows"
            + " use setMaxResultsPerColumnFamily or a ColumnPaginationFilter");
    refuse(scan.isNeedCursorResult(), "cursor results are not supported: no setNeedCursorResult");
    checkQuery(scan, scan.getFamilyMap().keySet());
  }

  private static void checkVersions(int versions) {
    refuse(versions != 1, "a snapshot has one version of each cell: no readVersions");
  }

  private static void checkTime(TimeRange range) {
    refuse(
        !range.isAllTime(), "the snapshot is the time of a transaction's reads: no setTimeRange");
  }

  private static void checkQuery(Query query, Set<byte[]> families) {
    refuse(
        !query.getColumnFamilyTimeRange().isEmpty(),
        "the snapshot is the time of a transaction's reads: no setColumnFamilyTimeRange");
    refuse(
        query.getConsistency() != Consistency.STRONG || query.getReplicaId() >= 0,
        "replicas may lack what the snapshot contains: use Consistency.STRONG and no replica id");
    refuse(
        query.getIsolationLevel() != IsolationLevel.READ_COMMITTED,
        "a snapshot needs atomic rows: no IsolationLevel.READ_UNCOMMITTED");
    refuse(
        families.stream().anyMatch(Objects::isNull),
        "a family is null: name it, or name none for all of them");
    refuse(
        families.stream().anyMatch(PendingWrite::isFamily),
        "the family of the PendingWrite marks cannot be read in a transaction: use HBase's Table");
    if (query.getFilter() != null) {
      checkFilter(query.getFilter());
    }
  }

  /** Filters of the application's own that look at versions cannot be recognised. */
  private static void checkFilter(Filter filter) {
    refuse(
        filter instanceof TimestampsFilter || filter instanceof DependentColumnFilter,
        filter.getClass().getSimpleName()
            + " selects by versions, which in a transaction are not the application's: keep the"
            + " time in a value or a qualifier");
    if (filter instanceof FilterList list) {
      list.getFilters().forEach(SnapshotRequests::checkFilter);
    } else if (filter instanceof SkipFilter skip) {
      checkFilter(skip.getFilter());
    } else if (filter instanceof WhileMatchFilter whileMatch) {
      checkFilter(whileMatch.getFilter());
    }
  }

  private static void refuse(boolean refused, String reason) {
    if (refused) {
      throw new IllegalArgumentException(reason);
    }
  }

  /**
   * Server reads: the application's get with its read timestamp.
   *
   * @param get a checked get
   */
  public static Get atServer(Get get, long fingerprint, long readTimestamp) {
    Get sent = new Get(get);
    ReadAttribute.set(sent, fingerprint, readTimestamp);
    return sent;
  }

  /**
   * Server reads: a validating get. It is answered with {@link ChangedRow} if it may not be
   * current.
   *
   * @param get a checked get, not of mere existence
   */
  public static Get validating(Get get, long fingerprint, long readTimestamp) {
    Get sent = new Get(get);
    try {
      ReadAttribute.takeFilter(sent);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ReadAttribute.setValidating(sent, fingerprint, readTimestamp);
    return sent;
  }

  /**
   * Server reads: asks which commit was the first to change what a get looks at, whatever the
   * application's filter would show of it.
   *
   * @param get a checked get
   */
  public static Get firstChange(Get get, long fingerprint, long from, long upTo) {
    Get sent = new Get(get).setFilter(null);
    ReadAttribute.setFirstChange(sent, fingerprint, from, upTo);
    return sent;
  }

  /**
   * Server reads: the application's scan with its read timestamp.
   *
   * @param scan a checked scan
   */
  public static Scan atServer(Scan scan, long fingerprint, long readTimestamp) {
    Scan sent = copy(scan);
    ReadAttribute.set(sent, fingerprint, readTimestamp);
    return sent;
  }

  /**
   * Client reads: the raw versions of a row and its marks, for {@link SnapshotRow}. The filter, the
   * limits per family and the question of mere existence remain for the caller.
   *
   * @param get a checked get
   * @param versions newest versions of each column, positive
   */
  public static Get raw(Get get, long readTimestamp, int versions) {
    Get sent = new Get(get);
    sent.setFilter(null);
    sent.setMaxResultsPerColumnFamily(-1);
    sent.setRowOffsetPerColumnFamily(0);
    sent.setCheckExistenceOnly(false);
    try {
      sent.setTimeRange(0, timeRangeEnd(readTimestamp));
      sent.readVersions(versions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (sent.hasFamilies()) {
      sent.addFamily(PendingWrite.family());
    }
    return sent;
  }

  /**
   * Server reads: a scan for what has changed between two snapshots.
   *
   * @param scan a checked scan
   * @throws IllegalArgumentException if it has a filter: whether one that looks at values lets a
   *     deleted column pass depends on what it makes of the value of tombstones
   */
  public static Scan changes(Scan scan, long fingerprint, long readTimestamp, long since) {
    refuse(scan.getFilter() != null, "changes are read without a filter: leave out setFilter");
    Scan sent = copy(scan);
    ReadAttribute.setChanges(sent, fingerprint, readTimestamp, since);
    return sent;
  }

  /**
   * Client reads, and region servers: the raw versions of rows and their marks, for {@link
   * SnapshotRow}. The filter, the limits per family and the limit of rows remain for the caller.
   *
   * @param scan a checked scan
   * @param versions newest versions of each column, positive
   */
  public static Scan raw(Scan scan, long readTimestamp, int versions) {
    Scan sent = copy(scan);
    sent.setFilter(null);
    sent.setMaxResultsPerColumnFamily(-1);
    sent.setRowOffsetPerColumnFamily(0);
    sent.setLimit(-1);
    sent.readVersions(versions);
    try {
      sent.setTimeRange(0, timeRangeEnd(readTimestamp));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (sent.hasFamilies()) {
      sent.addFamily(PendingWrite.family());
    }
    return sent;
  }

  /**
   * Exclusive. The read timestamp itself is within: it is the version of the reader's own writes.
   */
  private static long timeRangeEnd(long readTimestamp) {
    return CellVersion.checkTimestamp(readTimestamp) + 1;
  }

  private static Scan copy(Scan scan) {
    try {
      return new Scan(scan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
