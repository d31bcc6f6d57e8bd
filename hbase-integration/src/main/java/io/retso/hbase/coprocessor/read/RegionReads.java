package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.hbase.resolve.RowFilter;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What a region does with gets and scans of clients: those with a read timestamp become snapshot
 * reads. Of all reads it looks whether a flush has moved cells meanwhile ({@link RegionOutcomes}).
 * Thread-safe.
 */
public final class RegionReads {
  /** {@link RegionOutcomes#moves} before the read, 8 bytes, in an attribute that never travels. */
  private static final String MOVES = "retso.moves";

  /** Each round needs a flush or compaction to be committed in the very moment of a get. */
  private static final int ROUNDS_MAX = 16;

  /** Something that may have to wait. */
  public interface Wait {
    void run() throws IOException;
  }

  private final RegionParts parts;
  private final Wait awaitHorizon;

  /**
   * Reads of a region.
   *
   * @param awaitHorizon waits until it is known which snapshots the region can serve
   */
  public RegionReads(RegionParts parts, Wait awaitHorizon) {
    this.parts = parts;
    this.awaitHorizon = awaitHorizon;
  }

  /** Turns a get with a read timestamp into a snapshot read. */
  public void beginSnapshot(Get get) throws IOException {
    long timestamp = ReadAttribute.of(get);
    if (timestamp == 0) {
      return;
    }
    if (ReadAttribute.changesSince(get) != 0) {
      throw new DoNotRetryIOException("only a scan reads changes: make it one");
    }
    requireSettings(SettingsCheck.passes(get, parts.fingerprint()));
    ReadAttribute.admit(get);
    prepareFamilies(get.getFamilyMap());
    boolean validating = ReadAttribute.isValidating(get);
    RowFilter rowFilter = validating ? RowFilter.ofValidating(get) : RowFilter.ofRequest(get);
    ShownCells shown = validating ? new ShownCells(get.getFilter()) : null;
    if (validating && get.isCheckExistenceOnly()) {
      throw new DoNotRetryIOException(
          "whether the row has changed cannot be told: drop setCheckExistenceOnly or the"
              + " attribute");
    }
    note(get); // before the filter looks: what comes between the two must differ for the get
    RegionReader reader = new RegionReader(parts, timestamp, null);
    get.setFilter(new SnapshotFilter(reader, rowFilter, shown));
    get.setTimeRange(0, validating ? Long.MAX_VALUE : timestamp + 1).readAllVersions();
    get.setMaxResultsPerColumnFamily(-1).setRowOffsetPerColumnFamily(0);
  }

  /** Prepares a get that is none of a snapshot. */
  public void beginPlain(Get get) throws IOException {
    requireSettings(SettingsCheck.passesPlain(get, parts.fingerprint()));
    prepareForMarks(new Scan(get));
    note(get);
  }

  private void requireSettings(boolean passes) throws DoNotRetryIOException {
    if (!passes) {
      TableName table = parts.region().getTableDescriptor().getTableName();
      throw new DoNotRetryIOException(SettingsCheck.refusal(table));
    }
  }

  private void note(OperationWithAttributes read) {
    if (parts.outcomes().isMoving()) {
      read.setAttribute(MOVES, Bytes.toBytes(parts.outcomes().moves()));
    }
  }

  /**
   * HBase has read what a get wants; reads it again if cells have moved meanwhile.
   *
   * @param result what HBase found; is replaced then
   * @throws IOException if the row cannot be read: the client may ask again
   */
  public void end(Get get, List<Cell> result) throws IOException {
    byte[] moves = get.getAttribute(MOVES);
    if (moves == null || !parts.outcomes().isMoving()) {
      return;
    }
    long before = Bytes.toLong(moves);
    for (int round = 0; parts.outcomes().moves() != before; round++) {
      if (round == ROUNDS_MAX) {
        throw new IOException("cells moved " + ROUNDS_MAX + " times while they were read");
      }
      long now = parts.outcomes().moves(); // before the filter looks
      assert now > before : "numbers of moves grow";
      before = now;
      if (get.getFilter() instanceof SnapshotFilter filter) {
        if (filter.isBehind()) {
          return; // the row was whole when it was resolved
        }
        filter.begin();
      } else if (get.getFilter() != null) {
        throw new IOException("cells have moved, and the filter has seen some: read again");
      }
      result.clear();
      try (RegionScanner scanner = parts.region().getScanner(new Scan(get))) {
        scanner.next(result);
        result.replaceAll(CellUtil::cloneIfNecessary); // the scanner gives its memory back
      }
    }
  }

  /**
   * Answers a get that asks for the first change.
   *
   * @throws DoNotRetryIOException {@link io.retso.hbase.layout.Refusal#SNAPSHOT_TOO_OLD}
   */
  public Cell firstChange(Get get) throws IOException {
    requireSettings(SettingsCheck.passes(get, parts.fingerprint()));
    prepareFamilies(get.getFamilyMap());
    long first = FirstChangeReader.read(parts, get);
    new RegionReader(parts, ReadAttribute.of(get), null).checkHorizon();
    return FirstChange.answer(get.getRow(), first);
  }

  /** Turns a scan with a read timestamp into a snapshot read. */
  public void beginSnapshot(Scan scan) throws IOException {
    long timestamp = ReadAttribute.of(scan);
    if (timestamp == 0) {
      return;
    }
    if (ReadAttribute.isValidating(scan) || ReadAttribute.firstChangeUpTo(scan) != 0) {
      throw new DoNotRetryIOException("only a get is validated: make it one");
    }
    requireSettings(SettingsCheck.passes(scan, parts.fingerprint()));
    ReadAttribute.admit(scan);
    if (scan.isRaw()) {
      throw new DoNotRetryIOException("a raw scan has no snapshot: drop setRaw or the attribute");
    }
    prepareFamilies(scan.getFamilyMap());
    RowFilter rowFilter = RowFilter.ofRequest(scan);
    scan.setFilter(null).setBatch(-1).setAllowPartialResults(false); // rows are resolved whole
    long since = ReadAttribute.changesSince(scan);
    RegionReader reader = new RegionReader(parts, timestamp, since, marksOf(scan, timestamp));
    scan.setFilter(new SnapshotFilter(reader, rowFilter, null));
    // Marks are not in this range: those of a row in doubt are read by another scanner.
    scan.setTimeRange(since == 0 ? 0 : reader.lowestChange(), timestamp + 1).readAllVersions();
    scan.setMaxResultsPerColumnFamily(-1).setRowOffsetPerColumnFamily(0);
    scan.setLoadColumnFamiliesOnDemand(false);
  }

  /** Prepares a scan that is none of a snapshot. */
  public void beginPlain(Scan scan) throws IOException {
    requireSettings(SettingsCheck.passesPlain(scan, parts.fingerprint()));
    prepareForMarks(scan);
    note(scan);
  }

  /**
   * HBase has opened the scanner of a client's scan; returns the one that is to be used.
   *
   * @throws DoNotRetryIOException if another coprocessor has put a filter of its own in the place
   *     of that of a snapshot read: what the latter says would be lost
   */
  public RegionScanner opened(Scan scan, RegionScanner scanner) throws DoNotRetryIOException {
    if (!parts.outcomes().isMoving()) {
      return scanner;
    } else if (scan.getFilter() instanceof SnapshotFilter filter) {
      return new SnapshotScanner(parts.region(), scan, filter, scanner);
    } else if (ReadAttribute.of(scan) == 0) {
      long moves = Bytes.toLong(scan.getAttribute(MOVES));
      return new PlainScanner(parts.outcomes(), moves, scan.hasFilter(), scanner);
    }
    throw new DoNotRetryIOException(
        "another coprocessor has replaced the filter of a snapshot read: " + scan.getFilter());
  }

  /**
   * Prepares a read that is none of a snapshot. Tools and sweeps would miss marks that are in
   * memory only, so these become cells first. A read that names other families as well, and wants
   * one version of some rows, is that of a plain reader, which makes nothing of marks.
   */
  private void prepareForMarks(Scan plain) throws IOException {
    Map<byte[], NavigableSet<byte[]>> families = plain.getFamilyMap();
    if (!families.isEmpty() && !families.containsKey(PendingWrite.family())) {
      return;
    }
    byte[] first = plain.isReversed() ? plain.getStopRow() : plain.getStartRow();
    byte[] last = plain.isReversed() ? plain.getStartRow() : plain.getStopRow();
    if (families.size() == 1 || plain.isRaw() || plain.getMaxVersions() > 1 || isAll(first, last)) {
      // With both ends, whatever the read wants of them.
      parts
          .marks()
          .makeCells(first, last.length == 0 ? last : Arrays.copyOf(last, last.length + 1));
    }
  }

  /** Whether a range, without bounds where a row is empty, has all rows of the region. */
  private boolean isAll(byte[] first, byte[] last) {
    RegionInfo region = parts.region().getRegionInfo();
    byte[] end = region.getEndKey();
    return Bytes.compareTo(first, region.getStartKey()) <= 0
        && (last.length == 0 || end.length != 0 && Bytes.compareTo(last, end) >= 0);
  }

  /** HBase has put in all families if the client named none. */
  private void prepareFamilies(Map<byte[], NavigableSet<byte[]>> families) throws IOException {
    if (parts.region().getRegionInfo().getReplicaId() != 0) {
      throw new DoNotRetryIOException(
          "a replica of a region may lack what a snapshot contains: read with Consistency.STRONG");
    }
    families.remove(PendingWrite.family());
    if (families.isEmpty()) {
      throw new DoNotRetryIOException("a snapshot has no family !pw: name others");
    }
    awaitHorizon.run();
  }

  private static Scan marksOf(Scan scan, long timestamp) throws IOException {
    return new Scan()
        .withStopRow(scan.getStopRow(), scan.includeStopRow())
        .setReversed(scan.isReversed())
        .addFamily(PendingWrite.family())
        .setTimeRange(0, timestamp);
  }
}
