package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.RowClaims.Claim;
import io.retso.hbase.data.CleanupRequest;
import io.retso.hbase.data.PendingWrite;
import io.retso.hbase.data.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;

/**
 * What a region does with mutations before it applies them: transactional writes are checked
 * against the horizon, cleanup requests become cleanups, all others pass.
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
final class RegionWrites {
  private final class Batch {
    private final BatchesInFlight.Epoch epoch = inFlight.enter();
    private final List<Claim> writes = new ArrayList<>();
    private final List<Claim> cleanups = new ArrayList<>();
    private int depth;

    private void end() {
      writes.forEach(claims::releaseWrite);
      cleanups.forEach(claims::releaseCleanup);
      epoch.leave();
    }
  }

  private final BatchesInFlight inFlight;
  private final Horizon horizon;
  private final RowCleaner cleaner;
  private final ObserverMetrics metrics;
  private final RowClaims claims = new RowClaims();
  private final ThreadLocal<Batch> batches = new ThreadLocal<>();

  RegionWrites(
      BatchesInFlight inFlight, Horizon horizon, RowCleaner cleaner, ObserverMetrics metrics) {
    this.inFlight = inFlight;
    this.horizon = horizon;
    this.cleaner = cleaner;
    this.metrics = metrics;
  }

  /** A batch begins on this thread; another coprocessor may begin one inside of it. */
  void begin() {
    Batch batch = batches.get();
    if (batch == null) {
      batch = new Batch();
      batches.set(batch);
    }
    batch.depth++;
  }

  /** The batch is over: applied and visible, or failed. */
  void end() {
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
  void prepare(MiniBatchOperationInProgress<Mutation> mutations) throws IOException {
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
        try {
          prepare(mutations, i);
        } catch (IllegalArgumentException e) {
          refuse(mutations, i, e.getMessage());
        }
      }
    }
  }

  private void prepare(MiniBatchOperationInProgress<Mutation> mutations, int i) throws IOException {
    Mutation mutation = mutations.getOperation(i);
    CleanupRequest request = CleanupRequest.of(mutation);
    if (batches.get() == null && (request != null || PendingWrite.startOf(mutation) != 0)) {
      throw new DoNotRetryIOException("transactions write with puts, not with row processors");
    }
    if (request != null) {
      cleanUp(mutations, i, request);
      return;
    }
    long start = PendingWrite.startOf(mutation);
    if (start != 0) {
      admit(mutations, i, start);
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
    Claim claim = new Claim(mutations.getOperation(i).getRow(), start);
    if (claims.claimForWrite(claim)) {
      batches.get().writes.add(claim);
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
    if (claims.claimForCleanup(claim)) {
      batch.cleanups.add(claim);
      boolean move = request.isCommitted() && request.start() >= horizon.refused();
      cleaner.cleanUp(mutations.getOperation(i), request, move);
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
