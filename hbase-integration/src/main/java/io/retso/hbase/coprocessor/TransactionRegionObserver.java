package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import io.retso.hbase.coprocessor.purge.RegionPurge;
import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.write.ReplayCleanup;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.Region.Operation;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coprocessor to install on prepared tables. Regions of other tables are left alone.
 *
 * <p>Only hooks are here; {@link TransactionalRegion} and its parts do the work. No hook throws
 * anything but an {@code IOException}: HBase would stop the region server, and the client's next
 * attempt would stop the next one.
 *
 * <p>If a table's settings are wrong the region opens all the same; then plain reads and writes
 * work and all others fail with the reason.
 */
public final class TransactionRegionObserver implements RegionCoprocessor, RegionObserver {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionRegionObserver.class);
  private static final String UNEXPECTED = "unexpected failure of ReTSO's coprocessor: ";

  /** Null if the table is not prepared, or in a wrong way. */
  private TransactionalRegion region;

  /**
   * Whether the log may have outcomes that regions have adopted, also if the settings are wrong.
   */
  private boolean hasAdoptions;

  /** Whether HBase has replayed the log. */
  private volatile boolean isOpen;

  /** The thread that cleans up rows though no transactions work here; null if there is none. */
  private volatile Thread cleaning;

  /** Why transactions do not work here; null if they do. */
  private String problem;

  /** Why they are refused though the region is prepared; null if they are not. */
  private volatile String misplaced;

  /** Called by HBase. */
  public TransactionRegionObserver() {}

  /** The region; null if its table is not prepared, or in a wrong way. */
  TransactionalRegion region() {
    return region;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  @SuppressWarnings("rawtypes") // as HBase declares it
  public void start(CoprocessorEnvironment environment) {
    RegionCoprocessorEnvironment ours = (RegionCoprocessorEnvironment) environment;
    ObserverMetrics.keep(ours.getMetricRegistryForRegionServer());
    TableDescriptor table = ours.getRegion().getTableDescriptor();
    if (!TableSettings.isPrepared(table)) {
      problem = "table " + table.getTableName() + " is not prepared for transactions";
      return;
    }
    hasAdoptions = AdoptedOutcomes.areIn(table);
    try {
      region = new TransactionalRegion(ours);
    } catch (IllegalArgumentException e) {
      problem = ErrorText.of(e);
      LOG.error("no transactions in {}: {}", ours.getRegionInfo().getRegionNameAsString(), problem);
    } catch (RuntimeException e) {
      problem = UNEXPECTED + e;
      LOG.error("no transactions in {}", ours.getRegionInfo().getRegionNameAsString(), e);
    }
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void stop(CoprocessorEnvironment environment) throws IOException {
    ifPrepared(TransactionalRegion::close);
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    isOpen = true;
    String rights = HBaseInternals.rightsBehind(context.getEnvironment());
    if (region != null && rights != null) {
      misplaced =
          "ReTSO's coprocessor is asked before "
              + rights
              + ", so that nothing could be hidden from its reads: prepare the table, which gives"
              + " it the priority of users, and do not name it in hbase-site.xml";
      LOG.error(
          "no transactions in {}: {}",
          context.getEnvironment().getRegionInfo().getRegionNameAsString(),
          misplaced);
    }
    try {
      ifPrepared(TransactionalRegion::opened);
    } catch (IOException e) {
      LOG.error("the first requests do what has not been done", e);
    }
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    guarded(() -> begin(context, get, result));
  }

  private void begin(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    if (DescriptorQuery.isQuery(get)) {
      requirePlace();
      HBaseInternals.requireReader(context);
      RegionCoprocessorEnvironment ours = context.getEnvironment();
      TableDescriptor table = ours.getRegion().getTableDescriptor();
      RegionSettings settings =
          RegionSettings.of(ours.getServerName().getServerName(), ours.getConfiguration());
      result.add(DescriptorQuery.answer(table, settings));
      if (DescriptorQuery.wantsToken(get)) {
        onlyPrepared(
            region -> result.add(DescriptorQuery.token(region.tokenFor(context.getCaller()))));
      }
      context.bypass();
    } else if (ReadAttribute.firstChangeUpTo(get) != 0) {
      requirePlace();
      onlyPrepared(region -> result.add(region.reads().firstChange(get)));
      context.bypass();
    } else if (isOfSnapshot(get)) {
      requirePlace();
      onlyPrepared(region -> region.reads().beginSnapshot(get));
    } else {
      ifPrepared(region -> region.reads().beginPlain(get));
    }
  }

  @Override
  public void postGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    ifPrepared(region -> region.reads().end(get, result));
  }

  @Override
  public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan)
      throws IOException {
    if (isOfSnapshot(scan)) {
      requirePlace();
      onlyPrepared(region -> region.reads().beginSnapshot(scan));
    } else {
      ifPrepared(region -> region.reads().beginPlain(scan));
    }
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner)
      throws IOException {
    RegionScanner[] opened = {scanner};
    ifPrepared(region -> opened[0] = region.reads().opened(scan, scanner));
    return opened[0];
  }

  private static boolean isOfSnapshot(OperationWithAttributes read) {
    return read.getAttribute(ReadAttribute.NAME) != null;
  }

  /**
   * Outside of all locks: the place to wait for the horizon of a region that has just opened, and
   * to read what is to be cleaned up.
   */
  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    if (cleaning == Thread.currentThread()) {
      return;
    }
    boolean isCleanup = isCleanup(put);
    if (put.getFamilyCellMap().containsKey(PendingWrite.family()) || isCleanup) {
      if (!isCleanup && !AdoptionRequest.isRequest(put)) {
        requirePlace();
      }
      onlyPrepared(
          region -> {
            region.awaitHorizonFor(put);
            region.writes().read(put);
          });
    }
  }

  private static boolean isCleanup(OperationWithAttributes mutation) {
    return mutation.getAttribute(CleanupRequest.ATTRIBUTE) != null;
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations)
      throws IOException {
    ifPrepared(region -> region.writes().prepare(mutations, () -> HBaseInternals.isAdmin(context)));
  }

  @Override
  public void preWALAppend(
      ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
      throws IOException {
    ifPrepared(region -> region.writes().append(edit));
  }

  @Override
  public void postBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations)
      throws IOException {
    ifPrepared(region -> region.writes().applied(mutations));
  }

  @Override
  public void postBatchMutateIndispensably(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations,
      boolean success)
      throws IOException {
    ifPrepared(region -> region.writes().done(mutations));
  }

  /** Row processors come as ANY; their changes do not pass {@link #preBatchMutate}. */
  @Override
  public void postStartRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> context, Operation operation)
      throws IOException {
    if (operation == Operation.BATCH_MUTATE) {
      ifPrepared(region -> region.batches().begin());
    } else if (operation == Operation.ANY) {
      ifPrepared(region -> region.batches().beginUnbatched());
    }
  }

  @Override
  public void postCloseRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> context, Operation operation)
      throws IOException {
    if (operation == Operation.BATCH_MUTATE) {
      ifPrepared(region -> region.batches().end());
    } else if (operation == Operation.ANY) {
      ifPrepared(region -> region.batches().endUnbatched());
    }
  }

  @Override
  public void preBulkLoadHFile(
      ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> files)
      throws IOException {
    ifPrepared(TransactionalRegion::loading);
  }

  @Override
  public void postBulkLoadHFile(
      ObserverContext<RegionCoprocessorEnvironment> context,
      List<Pair<byte[], String>> staged,
      Map<byte[], List<Path>> loaded)
      throws IOException {
    ifPrepared(TransactionalRegion::loaded);
  }

  @Override
  public void preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
      throws IOException {
    purging(
        null,
        purge -> {
          purge.raiseHorizon();
          return null;
        });
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker)
      throws IOException {
    InternalScanner[] whole = {scanner};
    // If this fails, so must the flush: what it leaves out it would take for written.
    if (hasAdoptions && !isOpen) {
      Region replayed = context.getEnvironment().getRegion();
      guarded(() -> whole[0] = RegionPurge.ofReplay(replayed, store, scanner));
    } else {
      ifPrepared(region -> whole[0] = region.purge().whole(store, scanner));
    }
    return purging(whole[0], purge -> purge.flush(store, whole[0]));
  }

  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      StoreFile file,
      FlushLifeCycleTracker tracker)
      throws IOException {
    ifPrepared(region -> region.writing(store, file));
  }

  /** The region still serves, and takes writes. */
  @Override
  public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abort)
      throws IOException {
    if (abort) {
      return;
    }
    if (region != null) {
      ifPrepared(TransactionalRegion::closing);
    } else if (hasAdoptions && isOpen && !context.getEnvironment().getRegion().isReadOnly()) {
      guarded(() -> cleanUpReplay(context.getEnvironment()));
    }
  }

  private void cleanUpReplay(RegionCoprocessorEnvironment ours) throws IOException {
    cleaning = Thread.currentThread();
    try {
      ObserverMetrics metrics = new ObserverMetrics(ours.getMetricRegistryForRegionServer());
      ReplayCleanup.ofRefused(ours.getRegion(), metrics).cleanUp();
    } finally {
      cleaning = null;
    }
  }

  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
      throws IOException {
    ifPrepared(TransactionalRegion::flushed);
  }

  @Override
  public InternalScanner preCompact(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      ScanType scanType,
      CompactionLifeCycleTracker tracker,
      CompactionRequest request)
      throws IOException {
    return purging(
        scanner,
        purge -> {
          purge.raiseHorizon();
          return purge.compact(store, scanner, request);
        });
  }

  /** What has been written is cleaned up, wherever the coprocessor stands. */
  private void requirePlace() throws DoNotRetryIOException {
    if (misplaced != null) {
      throw new DoNotRetryIOException(misplaced);
    }
  }

  private void onlyPrepared(RegionAction action) throws IOException {
    if (region == null) {
      throw new DoNotRetryIOException(problem + ": prepare the table");
    }
    ifPrepared(action);
  }

  private interface Action {
    void run() throws IOException;
  }

  private interface RegionAction {
    void run(TransactionalRegion region) throws IOException;
  }

  private interface Purge {
    InternalScanner run(RegionPurge purge) throws IOException;
  }

  private void ifPrepared(RegionAction action) throws IOException {
    if (region != null) {
      guarded(() -> action.run(region));
    }
  }

  private static void guarded(Action action) throws IOException {
    try {
      action.run();
    } catch (IllegalArgumentException e) {
      throw new DoNotRetryIOException(ErrorText.of(e), e);
    } catch (RuntimeException | AssertionError e) { // HBase would stop the server
      LOG.error(UNEXPECTED, e);
      throw new DoNotRetryIOException(UNEXPECTED + e, e);
    }
  }

  /** A flush that fails may stop the server, too: better no purge. */
  private InternalScanner purging(InternalScanner source, Purge purge) throws IOException {
    if (region == null) {
      return source;
    }
    try {
      return purge.run(region.purge());
    } catch (RuntimeException | AssertionError e) {
      LOG.error("{}nothing is purged this time", UNEXPECTED, e);
      return source;
    }
  }
}
