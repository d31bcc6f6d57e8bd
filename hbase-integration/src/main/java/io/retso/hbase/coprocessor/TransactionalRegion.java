package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.coprocessor.purge.RegionPurge;
import io.retso.hbase.coprocessor.read.FirstChangeReader;
import io.retso.hbase.coprocessor.read.RegionReader;
import io.retso.hbase.coprocessor.read.SnapshotFilter;
import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.BatchesInFlight;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.write.DecisionWrites;
import io.retso.hbase.coprocessor.write.RecentWrites;
import io.retso.hbase.coprocessor.write.RegionWrites;
import io.retso.hbase.coprocessor.write.RowCleaner;
import io.retso.hbase.coprocessor.write.Settlement;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import io.retso.hbase.resolve.RowFilter;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALSplitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One region of a prepared table while it is open: its horizon, and those who work with it.
 *
 * <p>It begins by asking for the low watermark. Whoever purged here before had a lower one, so no
 * snapshot that this horizon admits lacks anything. Until the answer is there, snapshot reads and
 * transactional writes wait for it, at most as long as a request to the oracle may take.
 *
 * <p>Thread-safe.
 */
final class TransactionalRegion {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionalRegion.class);

  private final Region region;
  private final OracleLink link;
  private final ObserverMetrics metrics;
  private final Horizon horizon;
  private final RegionWrites writes;
  private final RegionPurge purge;
  private final RecentWrites recentWrites;
  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final RegionDecisions decisions;
  private final Settlement settlement;

  /** The horizon that was asked for; null before the first question. Guarded by this. */
  private CompletableFuture<Long> firstWatermark;

  private volatile boolean horizonKnown;

  /** True while the thread loads files, null otherwise. */
  private final ThreadLocal<Boolean> loading = new ThreadLocal<>();

  /**
   * A region that opens.
   *
   * @throws IllegalArgumentException if the settings of the table or server are wrong
   */
  TransactionalRegion(RegionCoprocessorEnvironment environment) {
    this.region = environment.getRegion();
    TableSettings settings = TableSettings.of(region.getTableDescriptor());
    TableSettings.checkIsNoCopy(region.getTableDescriptor());
    this.metrics = new ObserverMetrics(environment.getMetricRegistryForRegionServer());
    this.link = OracleLink.acquire(settings, environment.getConfiguration(), metrics);
    BatchesInFlight inFlight = new BatchesInFlight();
    HRegion hregion = (HRegion) region;
    this.horizon = new Horizon(inFlight, () -> hregion.getReadPoint(IsolationLevel.READ_COMMITTED));
    this.recentWrites = new RecentWrites(link.recentWrites());
    String encodedName = region.getRegionInfo().getEncodedName();
    this.outcomes = new RegionOutcomes(region);
    this.decisions =
        new RegionDecisions(hregion, decides(environment, settings), outcomes, link.markBytes());
    this.settlement =
        new Settlement(
            hregion,
            outcomes,
            decisions,
            () -> environment.getOnlineRegions().getRegion(encodedName) == region);
    this.marks =
        new RegionMarks(hregion, settings.reads() == Reads.SERVER, outcomes, link.markBytes());
    RowCleaner cleaner = new RowCleaner(region, marks, metrics);
    DecisionWrites lists =
        new DecisionWrites(hregion, horizon, recentWrites, marks, outcomes, decisions, metrics);
    this.writes = new RegionWrites(inFlight, horizon, cleaner, recentWrites, marks, lists, metrics);
    this.purge = new RegionPurge(region, horizon, link, marks, decisions, metrics);
  }

  /**
   * Whether the table's regions decide outcomes; others may replicate it, or read by themselves.
   */
  private static boolean decides(RegionCoprocessorEnvironment environment, TableSettings settings) {
    TableDescriptor table = environment.getRegion().getTableDescriptor();
    if (!RegionDecisions.areIn(table)
        || settings.reads() != Reads.SERVER
        || table.getColumnFamily(PendingWrite.family()).getScope()
            != HConstants.REPLICATION_SCOPE_LOCAL) {
      return false;
    }
    if (environment.getConfiguration().getBoolean(WALSplitter.WAL_SPLIT_TO_HFILE, false)) {
      throw new IllegalArgumentException(
          WALSplitter.WAL_SPLIT_TO_HFILE
              + " is true in the configuration of the region server: after a crash, files would be"
              + " written without a look at what regions of table "
              + table.getTableName()
              + " have decided, and commits be lost: set it to false");
    }
    return true;
  }

  /** What batches do. */
  RegionWrites writes() {
    return writes;
  }

  /** What flushes and compactions do. */
  RegionPurge purge() {
    return purge;
  }

  /** A flush has written a file; it is not in its store yet. */
  void writing(Store store, StoreFile file) {
    decisions.writing(store.getColumnFamilyDescriptor().getName(), file.getMaxSequenceId());
  }

  /**
   * A flush has ended; its files are in the stores. Marks and decisions are small, so HBase's
   * policy passes their memory over, and a replay would begin far back: they are flushed behind the
   * data, when most of them are not needed any more.
   */
  void flushed() {
    marks.flushed();
    if (decisions.flushed() && decisions.isUsed()) {
      Background.run(marks::flushBehind, 0);
    }
  }

  /** The region is about to close, and still serves. */
  void closing() throws IOException {
    settlement.settle();
  }

  /** The region is open; begins to ask for its horizon. */
  void opened() {
    long last = lastVersion();
    recentWrites.opened(last);
    marks.opened(last);
    loadDecisions();
    synchronized (this) {
      firstWatermark = firstWatermark == null ? link.askWatermark() : firstWatermark;
    }
  }

  private void loadDecisions() {
    try {
      decisions.load();
    } catch (IOException e) {
      LOG.error("{}: the first requests read what regions have decided", region, e);
    }
    if (!decisions.isSettled()) {
      settlement.begin();
    }
  }

  /** The region is closed. */
  void close() {
    link.orphans().forget(region);
    recentWrites.closed();
    marks.close();
    decisions.close();
    link.release();
  }

  /**
   * Files of others are about to be loaded; {@link #loaded} follows on the same thread, unless
   * another coprocessor refuses.
   */
  void loading() {
    endLoad();
    loading.set(true);
    recentWrites.plainBegins();
  }

  /** Such files were loaded, or not. */
  void loaded() {
    try {
      recentWrites.hidden(lastVersion());
    } finally {
      endLoad();
    }
  }

  /** This thread loads no files; it does, if {@link #loaded} did not follow. */
  void endLoad() {
    if (loading.get() != null) {
      loading.remove();
      recentWrites.plainEnds();
    }
  }

  /** The highest version in the region's files. */
  private long lastVersion() {
    long last = 0;
    for (Store store : region.getStores()) {
      for (HStoreFile file : ((HStore) store).getStorefiles()) {
        last = Math.max(last, lastVersion(file));
      }
    }
    return last;
  }

  private static long lastVersion(HStoreFile file) {
    StoreFileReader reader = file.getReader();
    if (reader == null) {
      return Long.MAX_VALUE; // it is closed: anything may be there
    }
    // Compactions that leave nothing write an empty file, whose time range is all times.
    return RegionPurge.isEmpty(reader) ? 0 : reader.getMaxTimestamp();
  }

  /**
   * Waits until the horizon is known. While the oracle does not answer, only who asks waits, and
   * not everybody who comes meanwhile.
   *
   * @throws IOException if the oracle does not say; the client may try again
   */
  void awaitHorizon() throws IOException {
    decisions.load();
    if (horizonKnown) {
      return;
    }
    horizon.refuse(link.await(firstWatermark()));
    horizonKnown = true;
  }

  /**
   * The same for a put of transactions. A cleanup whose outcome the region knows does not depend on
   * the horizon: so a region that closes can carry it out, whatever the oracle does.
   */
  void awaitHorizonFor(Put put) throws IOException {
    decisions.load();
    CleanupRequest request = CleanupRequest.of(put);
    if (request == null || outcomes.outcomeOf(request.start()) == 0) {
      awaitHorizon();
    }
  }

  /** One question is under way at a time; the next one is asked when it has failed. */
  private synchronized CompletableFuture<Long> firstWatermark() {
    if (firstWatermark != null && !firstWatermark.isCompletedExceptionally()) {
      return link.joining(firstWatermark);
    }
    firstWatermark = link.askWatermarkToWait();
    return firstWatermark;
  }

  /** Turns a get with a read timestamp into a snapshot read. Others stay as they are. */
  void prepare(Get get) throws IOException {
    long timestamp = ReadAttribute.of(get);
    if (timestamp == 0) {
      return;
    }
    ReadAttribute.admit(get);
    prepareFamilies(get.getFamilyMap());
    RowFilter rowFilter = RowFilter.ofRequest(get);
    boolean validating = ReadAttribute.isValidating(get);
    if (validating && get.isCheckExistenceOnly()) {
      throw new DoNotRetryIOException(
          "whether the row has changed cannot be decided: drop setCheckExistenceOnly or the"
              + " attribute");
    }
    get.setFilter(new SnapshotFilter(reader(timestamp, null), rowFilter, validating));
    get.setTimeRange(0, validating ? Long.MAX_VALUE : timestamp + 1).readAllVersions();
    get.setMaxResultsPerColumnFamily(-1).setRowOffsetPerColumnFamily(0);
  }

  /**
   * Answers a get that asks for the first change.
   *
   * @throws DoNotRetryIOException {@link io.retso.hbase.layout.Refusal#SNAPSHOT_TOO_OLD}
   */
  Cell firstChange(Get get) throws IOException {
    prepareFamilies(get.getFamilyMap());
    long first = FirstChangeReader.read(region, marks, link, metrics, get);
    reader(ReadAttribute.of(get), null).checkHorizon();
    return FirstChange.answer(get.getRow(), first);
  }

  /** Turns a scan with a read timestamp into a snapshot read. Others stay as they are. */
  void prepare(Scan scan) throws IOException {
    long timestamp = ReadAttribute.of(scan);
    if (timestamp == 0) {
      return;
    }
    if (ReadAttribute.isValidating(scan) || ReadAttribute.firstChangeUpTo(scan) != 0) {
      throw new DoNotRetryIOException("only a get is validated: make it one");
    }
    ReadAttribute.admit(scan);
    if (scan.isRaw()) {
      throw new DoNotRetryIOException("a raw scan has no snapshot: drop setRaw or the attribute");
    }
    prepareFamilies(scan.getFamilyMap());
    RowFilter rowFilter = RowFilter.ofRequest(scan);
    scan.setFilter(null).setBatch(-1).setAllowPartialResults(false); // rows are decided whole
    scan.setFilter(
        new SnapshotFilter(reader(timestamp, marksOf(scan, timestamp)), rowFilter, false));
    scan.setTimeRange(0, timestamp + 1).readAllVersions();
    scan.setMaxResultsPerColumnFamily(-1).setRowOffsetPerColumnFamily(0);
    scan.setLoadColumnFamiliesOnDemand(false);
  }

  /**
   * Prepares a read that is none of a snapshot. Tools and sweeps would miss marks that are in
   * memory only, so these become cells first. A read that names other families as well, and wants
   * one version of some rows, is a plain reader's, who makes nothing of marks.
   */
  void prepareForMarks(Scan plain) throws IOException {
    Map<byte[], NavigableSet<byte[]>> families = plain.getFamilyMap();
    if (!families.isEmpty() && !families.containsKey(PendingWrite.family())) {
      return;
    }
    byte[] first = plain.isReversed() ? plain.getStopRow() : plain.getStartRow();
    byte[] last = plain.isReversed() ? plain.getStartRow() : plain.getStopRow();
    if (families.size() == 1 || plain.isRaw() || plain.getMaxVersions() > 1 || isAll(first, last)) {
      // With both ends, whatever the read wants of them.
      marks.makeCells(first, last.length == 0 ? last : Arrays.copyOf(last, last.length + 1));
    }
  }

  /** Whether a range, without bounds where a row is empty, has all rows of the region. */
  private boolean isAll(byte[] first, byte[] last) {
    byte[] end = region.getRegionInfo().getEndKey();
    return Bytes.compareTo(first, region.getRegionInfo().getStartKey()) <= 0
        && (last.length == 0 || end.length != 0 && Bytes.compareTo(last, end) >= 0);
  }

  /** HBase has put in all families if the client named none. */
  private void prepareFamilies(Map<byte[], NavigableSet<byte[]>> families) throws IOException {
    if (region.getRegionInfo().getReplicaId() != 0) {
      throw new DoNotRetryIOException(
          "a replica of a region may lack what a snapshot contains: read with Consistency.STRONG");
    }
    families.remove(PendingWrite.family());
    if (families.isEmpty()) {
      throw new DoNotRetryIOException("a snapshot has no family !pw: name others");
    }
    awaitHorizon();
  }

  private static Scan marksOf(Scan scan, long timestamp) throws IOException {
    return new Scan()
        .withStopRow(scan.getStopRow(), scan.includeStopRow())
        .setReversed(scan.isReversed())
        .addFamily(PendingWrite.family())
        .setTimeRange(0, timestamp);
  }

  private RegionReader reader(long timestamp, Scan marksAhead) {
    return new RegionReader(region, marks, horizon, link, metrics, timestamp, marksAhead);
  }
}
