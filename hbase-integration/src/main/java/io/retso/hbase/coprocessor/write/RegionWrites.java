package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.BatchesInFlight;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.write.RowLatches.Latch;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * What a region does with mutations before it applies them: transactional writes are checked
 * against the horizon, cleanup requests become cleanups, all others pass. What was written is
 * remembered for the cleanup ({@link RecentWrites}).
 *
 * <p>A batch runs on one thread, from {@link #begin} to {@link #end}; both come from the hooks of
 * HBase's region operation. Once the first hook of all coprocessors has succeeded HBase calls the
 * second, whatever happens in between. But if that of another coprocessor fails after ours, nothing
 * more is called. So a batch takes nothing that must be given back before it meets its first
 * mutation, and one that never met any is replaced by the next. (The hook after a batch is skipped
 * if another coprocessor fails in one before it.)
 *
 * <p>HBase asks for changed mutations under a lock for which each flush waits, and behind the flush
 * all writes of the region. A row that is to be cleaned up may have to be read from a disk. So it
 * is latched and read before, outside of all locks ({@link #read}); the latch keeps the
 * transaction's cells as they were read. Only if something plain was changed since then, it is read
 * once more, out of blocks that are in memory now.
 *
 * <p>If one mutation of a batch is refused the others proceed, as they may be of other
 * transactions. Only if all are for one row the batch fails as a whole: it may have to be atomic.
 *
 * <p>Thread-safe.
 */
public final class RegionWrites {
  private static final byte[] FAMILY = PendingWrite.family();
  private static final OperationStatus CLEANED =
      new OperationStatus(OperationStatusCode.SUCCESS, CleanupRequest.DONE);

  /**
   * A write that was admitted.
   *
   * @param number of the transaction's batch
   */
  private record Write(Latch latch, int number, Mutation mutation) {}

  /**
   * A row that is latched for its cleanup.
   *
   * @param row what the transaction wrote there; null if it has no mark
   * @param moment of {@link RecentWrites}, before the look at the row
   */
  private record Cleanup(RowCleaner.Written row, long moment) {}

  private final class Batch {
    private final BatchesInFlight.Epoch epoch = inFlight.enter();
    private final long moment = recent.moment();
    private final List<Write> writes = new ArrayList<>();
    private final Map<Latch, Cleanup> cleanups = new HashMap<>();

    /** Those that are in the mutations. */
    private final Set<Latch> cleaned = new HashSet<>();

    /** What was applied and is not remembered yet. */
    private final List<RecentWrites.Entry> applied = new ArrayList<>();

    /** Marks in memory that the current mutations put there. */
    private final List<RegionMarks.Mark> added = new ArrayList<>();

    /** Marks in memory that go when the current mutations are visible. */
    private final List<RegionMarks.Mark> cleanedMarks = new ArrayList<>();

    /** The first of the writes that was not applied yet. */
    private int next;

    private boolean plain;

    /** Whether the current mutations passed {@link #prepare}: if they fail, some may be there. */
    private boolean prepared;

    /** It has changes that are neither a transaction's writes nor cleanups. */
    private void plain() {
      if (!plain) {
        plain = true;
        recent.plainBegins();
      }
    }

    /** The next of the writes if that is {@code mutation}, or null. */
    private Write nextWrite(Mutation mutation) {
      return next < writes.size() && writes.get(next).mutation == mutation
          ? writes.get(next++)
          : null;
    }

    /** Latches a row and looks at it, unless that was done; null if another batch has it. */
    private Cleanup latch(Latch latch, CleanupRequest request) throws IOException {
      Cleanup cleanup = cleanups.get(latch);
      if (cleanup == null && latches.latchForCleanup(latch)) {
        cleanups.put(latch, NOT_READ); // to be released, should the read fail
        long before = recent.moment();
        List<KeyValue> remembered = recent.take(latch, request.onlyBatch());
        cleanup =
            new Cleanup(
                remembered == null ? cleaner.read(request) : RowCleaner.remembered(remembered),
                before);
        cleanups.put(latch, cleanup);
      }
      return cleanup;
    }

    /** What a latched row has, now that nothing plain comes before the cleanup any more. */
    private RowCleaner.Written row(Cleanup cleanup, CleanupRequest request) throws IOException {
      boolean isCurrent = cleanup.moment >= 0 && cleanup.moment == recent.moment();
      return isCurrent ? cleanup.row : cleaner.read(request);
    }

    private void end() {
      if (plain) {
        recent.plainEnds();
      }
      writes.forEach(write -> latches.releaseWrite(write.latch));
      cleanups.keySet().forEach(latches::releaseCleanup);
      epoch.leave();
    }
  }

  /** A batch that has begun, others inside of it, and what it does once it has a mutation. */
  private static final class Open {
    private int depth;
    private Batch batch;
  }

  private static final Cleanup NOT_READ = new Cleanup(null, -1);

  private final BatchesInFlight inFlight;
  private final Horizon horizon;
  private final RowCleaner cleaner;
  private final RecentWrites recent;
  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final ObserverMetrics metrics;
  private final RowLatches latches = new RowLatches();
  private final ThreadLocal<Open> open = new ThreadLocal<>();

  /** Operations of this thread that are no batches. */
  private final ThreadLocal<Integer> unbatched = new ThreadLocal<>();

  public RegionWrites(
      BatchesInFlight inFlight,
      Horizon horizon,
      RowCleaner cleaner,
      RecentWrites recent,
      RegionMarks marks,
      RegionOutcomes outcomes,
      ObserverMetrics metrics) {
    this.inFlight = inFlight;
    this.horizon = horizon;
    this.cleaner = cleaner;
    this.recent = recent;
    this.marks = marks;
    this.outcomes = outcomes;
    this.metrics = metrics;
  }

  /** A batch begins on this thread; another coprocessor may begin one inside of it. */
  public void begin() {
    Open current = open.get();
    if (current == null || current.batch == null) {
      current = new Open();
      open.set(current);
    }
    current.depth++;
  }

  /** The batch is over: applied and visible, or failed. */
  public void end() {
    Open current = open.get();
    if (current != null && --current.depth == 0) {
      open.remove();
      if (current.batch != null) {
        current.batch.end();
      }
    }
  }

  /** What this thread's batch does; null if it is in none. */
  private Batch batch() {
    Open current = open.get();
    if (current == null) {
      return null;
    }
    if (current.batch == null) {
      current.batch = new Batch();
    }
    return current.batch;
  }

  /**
   * Latches and reads the row of a cleanup request, outside of all locks. If another batch has it
   * or the request is malformed, {@link #prepare} says so, of this mutation alone.
   *
   * @throws IOException if it cannot be read
   */
  public void read(Put put) throws IOException {
    Batch batch = batch();
    CleanupRequest request;
    try {
      request = batch == null ? null : CleanupRequest.of(put);
    } catch (IllegalArgumentException e) {
      return;
    }
    if (request != null) {
      batch.latch(new Latch(request.row(), request.start()), request);
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
    Batch batch = batch();
    if (batch != null) {
      batch.prepared = true;
    }
  }

  private void prepare(MiniBatchOperationInProgress<Mutation> mutations, int i) throws IOException {
    Mutation mutation = mutations.getOperation(i);
    CleanupRequest request = CleanupRequest.of(mutation);
    long start = request == null ? PendingWrite.startOf(mutation) : request.start();
    Batch batch = batch();
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
    Batch batch = batch();
    if (batch == null) {
      return;
    }
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      Write write = batch.nextWrite(mutation);
      if (mutations.getOperationStatus(i).getOperationStatusCode() != OperationStatusCode.NOT_RUN) {
        continue; // refused
      }
      boolean isWrite = write != null && RecentWrites.isRegular(write.latch, mutation);
      if (mutations.getOperationsFromCoprocessors(i) != null || write != null && !isWrite) {
        plain(batch, mutation); // what others added is among its cells
      } else if (isWrite && !batch.plain) {
        RecentWrites.Entry entry = recent.entry(write.latch, write.number, mutation);
        if (entry != null) {
          batch.applied.add(entry);
        }
      }
    }
  }

  /** The mutations are visible; or they failed, and if they were prepared, some may be there. */
  public void done(MiniBatchOperationInProgress<Mutation> mutations, boolean success) {
    answerCleanups(mutations);
    Batch batch = batch();
    if (batch == null) {
      return;
    }
    if (success) {
      recent.remember(batch.applied, batch.moment);
      batch.cleanedMarks.forEach(marks::drop);
    } else {
      batch.added.forEach(marks::failed);
      if (batch.prepared) {
        recent.clear();
      }
    }
    batch.prepared = false;
    batch.applied.clear();
    batch.added.clear();
    batch.cleanedMarks.clear();
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
    Latch latch = new Latch(mutation.getRow(), start);
    if (latches.latchForWrite(latch)) {
      int number = PendingWrite.batchOf(mutation.getFamilyCellMap().get(FAMILY).get(0));
      batch().writes.add(new Write(latch, number, mutation));
      addMark(mutations, i, start);
    } else {
      metrics.refusedWrites.increment();
      refuse(mutations, i, Refusal.DECIDED.message(start, "its writes are being cleaned up"));
    }
  }

  /** Takes the mark out of a write that is admitted, if it need not be a cell. */
  private void addMark(MiniBatchOperationInProgress<Mutation> mutations, int i, long start) {
    Mutation write = mutations.getOperation(i);
    RegionMarks.Mark mark = marks.add(write, start);
    if (mark == null) {
      metrics.marksAsCells.increment();
      return;
    }
    metrics.marksInMemory.increment();
    batch().added.add(mark);
    write.getFamilyCellMap().remove(FAMILY);
    log(mutations, i, mark.cell());
  }

  /** Has a cell of the marks' family written to the log, in the edit of the mutation. */
  private static void log(MiniBatchOperationInProgress<Mutation> mutations, int i, Cell ofMarks) {
    WALEdit edit = mutations.getWalEdit(i);
    if (edit == null) {
      edit = new WALEdit();
      mutations.setWalEdit(i, edit);
    }
    edit.add(ofMarks, FAMILY);
  }

  private void cleanUp(
      MiniBatchOperationInProgress<Mutation> mutations, int i, CleanupRequest request)
      throws IOException {
    Batch batch = batch();
    Latch latch = new Latch(request.row(), request.start());
    Cleanup cleanup = batch.latch(latch, request);
    if (cleanup != null) {
      Mutation mutation = mutations.getOperation(i);
      CleanupRequest.replaced(mutation);
      if (batch.cleaned.add(latch)) {
        RowCleaner.Written row = batch.row(cleanup, request);
        cleaner.cleanUp(mutation, request, commitTimestamp(request), row);
        if (row != null) {
          cleanUpMark(mutations, i, marks.find(request.row(), request.start()), row);
        }
      } else {
        mutation.getFamilyCellMap().clear(); // twice in one batch: done by the first
      }
    } else {
      String message = request + ": the row is being written or cleaned up; try again";
      if (isOneRow(mutations)) {
        throw new RegionTooBusyException(message);
      }
      mutations.setOperationStatus(
          i, new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, message));
    }
  }

  /**
   * Where the cells of a row go: to what the region has decided, if it has. Then the horizon may be
   * above the transaction though the row has still its mark, and so may who asks have taken it for
   * aborted. Such an outcome stays until its last mark is gone, so it is here as long as a mark is.
   *
   * @return 0 if they are only removed
   */
  private long commitTimestamp(CleanupRequest request) {
    long known = outcomes.outcomeOf(request.start());
    if (known != 0) {
      return Math.max(known, 0);
    }
    boolean move = request.isCommitted() && request.start() >= horizon.refused();
    return move ? request.commitTimestamp() : 0;
  }

  /**
   * The mark in memory goes with its cleanup. If it was never a cell, its delete is none, either.
   */
  private void cleanUpMark(
      MiniBatchOperationInProgress<Mutation> mutations,
      int i,
      RegionMarks.Mark mark,
      RowCleaner.Written row) {
    if (mark == null) {
      return;
    }
    batch().cleanedMarks.add(mark);
    Mutation cleanup = mutations.getOperation(i);
    if (!mark.isTaken() && !row.hasCell() && marks.isUsable(cleanup)) {
      cleanup.getFamilyCellMap().remove(FAMILY).forEach(delete -> log(mutations, i, delete));
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
