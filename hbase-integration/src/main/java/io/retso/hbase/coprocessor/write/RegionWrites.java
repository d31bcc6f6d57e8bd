package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.BatchesInFlight;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.write.RowLatches.Claim;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;

/**
 * What a region does with mutations before it applies them: transactional writes are checked
 * against the horizon, cleanup requests become cleanups, all others pass. What was written is
 * remembered for the cleanup ({@link RecentWrites}).
 *
 * <p>A batch runs on one thread, from {@link #begin} to {@link #end}; both come from the hooks of
 * HBase's region operation, which it calls in pairs whatever happens in between. (The hook after a
 * batch is skipped if another coprocessor fails in one before it.)
 *
 * <p>If one mutation of a batch is refused the others proceed, as they may be of other
 * transactions. Only if all are for one row the batch fails as a whole: it may have to be atomic.
 *
 * <p>Thread-safe.
 */
public final class RegionWrites {
  private static final OperationStatus CLEANED =
      new OperationStatus(OperationStatusCode.SUCCESS, CleanupRequest.DONE);

  private record Write(Claim claim, Mutation mutation) {}

  private final class Batch {
    private final BatchesInFlight.Epoch epoch = inFlight.enter();
    private final long moment = recent.moment();
    private final List<Write> writes = new ArrayList<>();
    private final List<Claim> cleanups = new ArrayList<>();

    /** What was applied and is not remembered yet. */
    private final List<RecentWrites.Entry> applied = new ArrayList<>();

    /** The first of the writes that was not applied yet. */
    private int next;

    private boolean plain;

    /** Whether the current mutations passed {@link #prepare}: if they fail, some may be there. */
    private boolean prepared;

    private int depth;

    /** It has changes that are neither a transaction's writes nor cleanups. */
    private void plain() {
      if (!plain) {
        plain = true;
        recent.plainBegins();
      }
    }

    /** The claim for the next of the writes if that is {@code mutation}, or null. */
    private Claim nextWrite(Mutation mutation) {
      return next < writes.size() && writes.get(next).mutation == mutation
          ? writes.get(next++).claim
          : null;
    }

    private void end() {
      if (plain) {
        recent.plainEnds();
      }
      writes.forEach(write -> claims.releaseWrite(write.claim));
      cleanups.forEach(claims::releaseCleanup);
      epoch.leave();
    }
  }

  private final BatchesInFlight inFlight;
  private final Horizon horizon;
  private final RowCleaner cleaner;
  private final RecentWrites recent;
  private final ObserverMetrics metrics;
  private final RowLatches claims = new RowLatches();
  private final ThreadLocal<Batch> batches = new ThreadLocal<>();

  /** Operations of this thread that are no batches. */
  private final ThreadLocal<Integer> unbatched = new ThreadLocal<>();

  public RegionWrites(
      BatchesInFlight inFlight,
      Horizon horizon,
      RowCleaner cleaner,
      RecentWrites recent,
      ObserverMetrics metrics) {
    this.inFlight = inFlight;
    this.horizon = horizon;
    this.cleaner = cleaner;
    this.recent = recent;
    this.metrics = metrics;
  }

  /** A batch begins on this thread; another coprocessor may begin one inside of it. */
  public void begin() {
    Batch batch = batches.get();
    if (batch == null) {
      batch = new Batch();
      batches.set(batch);
    }
    batch.depth++;
  }

  /** The batch is over: applied and visible, or failed. */
  public void end() {
    Batch batch = batches.get();
    if (batch != null && --batch.depth == 0) {
      batches.remove();
      batch.end();
    }
  }

  /**
   * Checks and changes the mutations that HBase is about to apply.
   *
   * @throws IOException if they fail as a whole
   */
  public void prepare(MiniBatchOperationInProgress<Mutation> mutations) throws IOException {
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
        try {
          prepare(mutations, i);
        } catch (IllegalArgumentException e) {
          refuse(mutations, i, e.getMessage());
        }
      }
    }
    Batch batch = batches.get();
    if (batch != null) {
      batch.prepared = true;
    }
  }

  private void prepare(MiniBatchOperationInProgress<Mutation> mutations, int i) throws IOException {
    Mutation mutation = mutations.getOperation(i);
    CleanupRequest request = CleanupRequest.of(mutation);
    long start = request == null ? PendingWrite.startOf(mutation) : request.start();
    Batch batch = batches.get();
    if (start == 0) {
      plain(batch, mutation);
    } else if (batch == null) {
      throw new DoNotRetryIOException("transactions write with puts, not with row processors");
    } else if (request != null) {
      cleanUp(mutations, i, request);
    } else {
      admit(mutations, i, start);
    }
  }

  private void plain(Batch batch, Mutation mutation) {
    for (List<Cell> family : mutation.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        if (cell.getType() != Cell.Type.Put) {
          recent.hidden(cell.getTimestamp());
        }
      }
    }
    if (batch == null) {
      recent.clear(); // of a row processor: see beginUnbatched
    } else {
      batch.plain();
    }
  }

  /** An operation begins on this thread that may change rows without a batch. */
  public void beginUnbatched() {
    Integer depth = unbatched.get();
    unbatched.set(depth == null ? 1 : depth + 1);
    recent.plainBegins();
  }

  /** It is over; ignored if none has begun: HBase ends scans in the same way. */
  public void endUnbatched() {
    Integer depth = unbatched.get();
    if (depth != null) {
      recent.plainEnds();
      if (depth == 1) {
        unbatched.remove();
      } else {
        unbatched.set(depth - 1);
      }
    }
  }

  /**
   * The mutations were applied, those that other coprocessors added included, but nobody can see
   * them yet.
   */
  public void applied(MiniBatchOperationInProgress<Mutation> mutations) {
    Batch batch = batches.get();
    if (batch == null) {
      return;
    }
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      Claim claim = batch.nextWrite(mutation);
      if (mutations.getOperationStatus(i).getOperationStatusCode() != OperationStatusCode.NOT_RUN) {
        continue; // refused
      }
      boolean isWrite = claim != null && RecentWrites.isRegular(claim, mutation);
      if (mutations.getOperationsFromCoprocessors(i) != null || claim != null && !isWrite) {
        plain(batch, mutation); // what others added is among its cells
      } else if (isWrite && !batch.plain) {
        RecentWrites.Entry entry = recent.entry(claim, mutation);
        if (entry == null) {
          recent.take(claim, 0); // of an earlier batch
        } else {
          batch.applied.add(entry);
        }
      }
    }
  }

  /** The mutations are visible; or they failed, and if they were prepared, some may be there. */
  public void done(MiniBatchOperationInProgress<Mutation> mutations, boolean success) {
    answerCleanups(mutations);
    Batch batch = batches.get();
    if (batch == null) {
      return;
    }
    if (success) {
      recent.remember(batch.applied, batch.moment);
    } else if (batch.prepared) {
      recent.clear();
    }
    batch.prepared = false;
    batch.applied.clear();
    batch.next = batch.writes.size();
  }

  private static void answerCleanups(MiniBatchOperationInProgress<Mutation> mutations) {
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.SUCCESS
          && CleanupRequest.isReplaced(mutations.getOperation(i))) {
        mutations.setOperationStatus(i, CLEANED);
      }
    }
  }

  private void admit(MiniBatchOperationInProgress<Mutation> mutations, int i, long start)
      throws IOException {
    // The batch is in flight since before this look, so that a horizon raised later waits for it.
    long refused = horizon.refused();
    if (start < refused) {
      metrics.refusedWrites.increment();
      refuse(mutations, i, Refusal.SNAPSHOT_TOO_OLD.message(start, "writes below " + refused));
      return;
    }
    Mutation mutation = mutations.getOperation(i);
    Claim claim = new Claim(mutation.getRow(), start);
    if (claims.claimForWrite(claim)) {
      batches.get().writes.add(new Write(claim, mutation));
    } else {
      metrics.refusedWrites.increment();
      refuse(mutations, i, Refusal.DECIDED.message(start, "its writes are being cleaned up"));
    }
  }

  private void cleanUp(
      MiniBatchOperationInProgress<Mutation> mutations, int i, CleanupRequest request)
      throws IOException {
    Batch batch = batches.get();
    Claim claim = new Claim(request.row(), request.start());
    CleanupRequest.replaced(mutations.getOperation(i));
    if (claims.claimForCleanup(claim)) {
      batch.cleanups.add(claim);
      boolean move = request.isCommitted() && request.start() >= horizon.refused();
      cleaner.cleanUp(
          mutations.getOperation(i), request, move, recent.take(claim, request.onlyBatch()));
    } else if (batch.cleanups.contains(claim)) {
      mutations.getOperation(i).getFamilyCellMap().clear(); // twice in one batch: done by the first
    } else {
      String message = request + ": the row is being written or cleaned up; try again";
      if (isOneRow(mutations)) {
        throw new RegionTooBusyException(message);
      }
      mutations.setOperationStatus(
          i, new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, message));
    }
  }

  private static void refuse(
      MiniBatchOperationInProgress<Mutation> mutations, int i, String message)
      throws DoNotRetryIOException {
    if (isOneRow(mutations)) {
      throw new DoNotRetryIOException(message);
    }
    mutations.setOperationStatus(
        i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, message));
  }

  private static boolean isOneRow(MiniBatchOperationInProgress<Mutation> mutations) {
    byte[] first = mutations.getOperation(0).getRow();
    for (int i = 1; i < mutations.size(); i++) {
      if (!Arrays.equals(first, mutations.getOperation(i).getRow())) {
        return false;
      }
    }
    return true;
  }
}
