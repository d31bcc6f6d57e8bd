package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.coprocessor.oracle.OutcomeProofs;
import io.retso.hbase.coprocessor.purge.RegionPurge;
import io.retso.hbase.coprocessor.read.RegionParts;
import io.retso.hbase.coprocessor.read.RegionReads;
import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.BatchesInFlight;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.write.AdoptionWrites;
import io.retso.hbase.coprocessor.write.FileLoads;
import io.retso.hbase.coprocessor.write.OpenBatches;
import io.retso.hbase.coprocessor.write.PlainChanges;
import io.retso.hbase.coprocessor.write.PlainVersions;
import io.retso.hbase.coprocessor.write.RegionWrites;
import io.retso.hbase.coprocessor.write.ReplayCleanup;
import io.retso.hbase.coprocessor.write.RowCleaner;
import io.retso.hbase.coprocessor.write.RowLatches;
import io.retso.hbase.coprocessor.write.WriteBatch;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.security.User;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One region of a prepared table while it is open: its horizon, and those who work with it.
 *
 * <p>It begins by asking for the low watermark. A region that purged here before had a lower one,
 * so no snapshot that this horizon admits lacks anything. Until the answer is there, snapshot reads
 * and transactional writes wait for it, at most as long as a request to the oracle may take.
 *
 * <p>Thread-safe.
 */
final class TransactionalRegion {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionalRegion.class);

  private final Region region;
  private final OracleLink link;
  private final ObserverMetrics metrics;
  private final Horizon horizon;
  private final OpenBatches batches;
  private final RegionWrites writes;
  private final RegionPurge purge;
  private final FileLoads loads;
  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final AdoptedOutcomes adoptions;
  private final ReplayCleanup replayCleanup;
  private final RegionReads reads;

  /** The horizon that was asked for; null before the first question. Guarded by this. */
  private CompletableFuture<Long> firstWatermark;

  private volatile boolean horizonKnown;

  /**
   * A region that opens.
   *
   * @throws IllegalArgumentException if the settings of the table or server are wrong
   */
  TransactionalRegion(RegionCoprocessorEnvironment environment) {
    this.region = environment.getRegion();
    TableSettings settings = TableSettings.of(region.getTableDescriptor());
    TableSettings.checkIsNoCopy(region.getTableDescriptor());
    long fingerprint = settings.fingerprint();
    this.metrics = new ObserverMetrics(environment.getMetricRegistryForRegionServer());
    boolean adopts = adopts(environment, settings);
    long patience = ReplayCleanup.patience(region);
    long pause = RegionMarks.pauseMillis(region);
    long ahead = PlainVersions.aheadMillis(region);
    Configuration server = environment.getConnection().getConfiguration();
    boolean trusts = OracleSettings.trustsClients(server);
    this.link = OracleLink.acquire(settings, environment.getConfiguration(), server, metrics);
    BatchesInFlight inFlight = new BatchesInFlight();
    this.horizon = new Horizon(inFlight, () -> HBaseInternals.readPoint(region));
    String encodedName = region.getRegionInfo().getEncodedName();
    this.outcomes = new RegionOutcomes(region, adopts);
    this.adoptions = new AdoptedOutcomes(region, adopts, outcomes, link.memory());
    this.replayCleanup =
        new ReplayCleanup(
            region,
            outcomes,
            adoptions,
            () -> environment.getOnlineRegions().getRegion(encodedName) == region,
            patience);
    this.marks =
        new RegionMarks(
            region, settings.reads() == Reads.SERVER, adopts, outcomes, link.memory(), pause);
    this.reads =
        new RegionReads(
            new RegionParts(region, fingerprint, marks, outcomes, horizon, link, metrics),
            this::awaitHorizon);
    RowCleaner cleaner = new RowCleaner(region, marks, outcomes, metrics);
    AdoptionWrites lists = new AdoptionWrites(region, horizon, marks, outcomes, adoptions, metrics);
    PlainChanges changes = new PlainChanges();
    this.loads = new FileLoads(region, changes, marks.writers(), adoptions);
    WriteBatch.Shared parts =
        new WriteBatch.Shared(inFlight, changes, cleaner, new RowLatches(), marks);
    this.batches = new OpenBatches(parts);
    this.writes =
        new RegionWrites(
            new RegionWrites.Settings(region.getTableDescriptor().getTableName(), fingerprint),
            new PlainVersions(ahead, horizon),
            batches,
            parts,
            horizon,
            lists,
            outcomes,
            new OutcomeProofs(link, trusts, metrics),
            metrics);
    this.purge = new RegionPurge(region, horizon, link, marks, adoptions, metrics);
  }

  /** A token of the oracle for the user of a request. */
  byte[] tokenFor(Optional<User> caller) throws IOException {
    return link.userTokens().of(caller);
  }

  /** Whether the table's regions adopt outcomes; others may replicate it, or read by themselves. */
  private static boolean adopts(RegionCoprocessorEnvironment environment, TableSettings settings) {
    TableDescriptor table = environment.getRegion().getTableDescriptor();
    if (!settings.isAdoptedByRegions()
        || environment.getRegionInfo().getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID
        || table.getColumnFamily(PendingWrite.family()).getScope()
            != HConstants.REPLICATION_SCOPE_LOCAL) {
      return false;
    }
    if (environment.getConfiguration().getBoolean(RegionSettings.LOG_TO_FILES, false)) {
      throw new IllegalArgumentException(
          RegionSettings.LOG_TO_FILES
              + " is true in the configuration of the region server: after a crash, files would be"
              + " written without a look at what regions of table "
              + table.getTableName()
              + " have adopted, and commits be lost: set it to false");
    }
    return true;
  }

  /** When batches begin and end. */
  OpenBatches batches() {
    return batches;
  }

  /** What batches do. */
  RegionWrites writes() {
    return writes;
  }

  /** How transactions ended, as far as the region has adopted it. */
  RegionOutcomes outcomes() {
    return outcomes;
  }

  /** What gets and scans do. */
  RegionReads reads() {
    return reads;
  }

  /** What flushes and compactions do. */
  RegionPurge purge() {
    return purge;
  }

  /** A flush has written a file; it is not in its store yet. */
  void writing(Store store, StoreFile file) {
    adoptions.writing(store.getColumnFamilyDescriptor().getName(), file.getMaxSequenceId());
  }

  /**
   * A flush has ended; its files are in the stores. Marks and adoptions are small, so HBase's
   * policy passes their memory over, and a replay would begin far back: they are flushed behind the
   * data, when most of them are not needed any more.
   */
  void flushed() {
    marks.flushed();
    if (adoptions.flushed() && adoptions.isUsed()) {
      Background.run(marks::flushBehind, 0);
    }
  }

  /** The region is about to close, and still serves. */
  void closing() throws IOException {
    replayCleanup.cleanUp();
  }

  /** The region is open; begins to ask for its horizon. */
  void opened() {
    marks.writers().opened(HBaseInternals.lastVersion(region));
    adoptions.opened();
    loadAdoptions();
    synchronized (this) {
      firstWatermark = firstWatermark == null ? link.askWatermark() : firstWatermark;
    }
  }

  private void loadAdoptions() {
    try {
      adoptions.load();
    } catch (IOException e) {
      LOG.error("{}: the first requests read what regions have adopted", region, e);
    }
    if (!adoptions.isReplayDone()) {
      replayCleanup.begin();
    }
  }

  /** The region is closed. */
  void close() {
    link.orphans().forget(region);
    marks.close();
    adoptions.close();
    link.release();
  }

  /** Files of others are about to be loaded; {@link #loaded} follows. */
  void loading() throws IOException {
    loads.begin();
  }

  /** Such files were loaded, or not. */
  void loaded() {
    loads.end(HBaseInternals.lastVersion(region));
  }

  /**
   * Waits until the horizon is known. While the oracle does not answer, only the request that asks
   * waits, and not all that come meanwhile.
   *
   * @throws IOException if the oracle does not say; the client may try again
   */
  void awaitHorizon() throws IOException {
    adoptions.load();
    if (horizonKnown) {
      return;
    }
    horizon.refuse(link.await(firstWatermark()));
    horizonKnown = true;
  }

  /**
   * Waits so for a put of transactions. A cleanup whose outcome the region knows does not depend on
   * the horizon: so a region that closes can carry it out, whatever the oracle does.
   */
  void awaitHorizonFor(Put put) throws IOException {
    adoptions.load();
    CleanupRequest request = CleanupRequest.of(put);
    if (request == null || !outcomes.isKnown(request.start())) {
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
}
