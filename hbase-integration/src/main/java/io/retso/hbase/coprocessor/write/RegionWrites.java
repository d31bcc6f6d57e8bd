package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.Admission;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.Mark;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.coprocessor.write.RowLatches.Latch;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * What a region does with mutations before it applies them: transactional writes are checked
 * against the horizon, cleanup requests become cleanups, all others pass.
 *
 * <p>HBase asks for changed mutations under a lock for which each flush waits, and behind the flush
 * all writes of the region. A row that is to be cleaned up may have to be read from a disk. So it
 * is latched and read before, outside of all locks ({@link #read}); the latch keeps the
 * transaction's cells as they were read. Only if something plain was changed since then, it is read
 * once more, out of blocks that are in memory now.
 *
 * <p>Thread-safe.
 */
public final class RegionWrites {
  private static final byte[] FAMILY = PendingWrite.family();

  /**
   * What writes must go by.
   *
   * @param fingerprint {@link io.retso.hbase.layout.TableSettings#fingerprint}
   */
  public record Settings(TableName table, long fingerprint) {}

  /** What clients say of how transactions ended, and is true. May wait for the oracle. */
  public interface Proofs {
    /**
     * The request as it may be carried out.
     *
     * @return null if it may not
     */
    CleanupRequest proved(CleanupRequest request) throws IOException;

    /** Which of a list are true. */
    BitSet proved(List<Adoption> adoptions) throws IOException;
  }

  private final Settings settings;
  private final PlainVersions versions;
  private final OpenBatches batches;
  private final Horizon horizon;
  private final RowCleaner cleaner;
  private final RegionMarks marks;
  private final AdoptionWrites adoptions;
  private final RegionOutcomes outcomes;
  private final Proofs proofs;
  private final ObserverMetrics metrics;

  /**
   * Writes of a region.
   *
   * @param batches those of the region
   * @param parts what all of them share
   */
  public RegionWrites(
      Settings settings,
      PlainVersions versions,
      OpenBatches batches,
      WriteBatch.Shared parts,
      Horizon horizon,
      AdoptionWrites adoptions,
      RegionOutcomes outcomes,
      Proofs proofs,
      ObserverMetrics metrics) {
    this.settings = settings;
    this.versions = versions;
    this.batches = batches;
    this.cleaner = parts.cleaner();
    this.marks = parts.marks();
    this.horizon = horizon;
    this.adoptions = adoptions;
    this.outcomes = outcomes;
    this.proofs = proofs;
    this.metrics = metrics;
  }

  /**
   * Looks at what a put says of outcomes, and latches and reads the row of a cleanup request,
   * outside of all locks. If another batch has the row, the outcome is not proved or the request is
   * malformed, {@link #prepare} says so, of this mutation alone.
   *
   * @throws IOException if it cannot be read, or the oracle does not answer
   */
  public void read(Put put) throws IOException {
    WriteBatch batch = batches.current();
    if (batch == null) {
      return;
    }
    CleanupRequest request;
    AdoptionRequest list;
    try {
      list = AdoptionRequest.of(put);
      request = list != null ? null : CleanupRequest.of(put);
    } catch (IllegalArgumentException e) {
      return;
    }
    if (list != null) {
      batch.proved(put, new AdoptionWrites.Proved(list, proofs.proved(list.adoptions())));
    } else if (request != null) {
      CleanupRequest proved = proved(request);
      if (proved != null) {
        batch.proved(proved);
        batch.latch(proved);
      }
    }
  }

  /** What the region has adopted was proved, and is known whatever the oracle does. */
  private CleanupRequest proved(CleanupRequest request) throws IOException {
    long adopted = outcomes.outcomeOf(request.start());
    return Outcome.isKnown(adopted)
        ? new CleanupRequest(request.row(), request.start(), adopted)
        : proofs.proved(request);
  }

  /** What the user of a batch may do. */
  public interface Rights {
    /** Whether that is everything to the table. */
    boolean isAdmin() throws IOException;
  }

  /**
   * Checks and changes the mutations that HBase is about to apply.
   *
   * @param rights looked at if it matters
   * @throws IOException if they fail as a whole
   */
  public void prepare(MiniBatchOperationInProgress<Mutation> mutations, Rights rights)
      throws IOException {
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
        try {
          prepare(mutations, i, rights);
        } catch (IllegalArgumentException e) {
          MiniBatches.refuse(mutations, i, ErrorText.of(e));
        }
      }
    }
    addMarks();
  }

  private void prepare(MiniBatchOperationInProgress<Mutation> mutations, int i, Rights rights)
      throws IOException {
    Mutation mutation = mutations.getOperation(i);
    boolean isAdoption = AdoptionRequest.isRequest(mutation);
    CleanupRequest request = isAdoption ? null : CleanupRequest.of(mutation);
    long start = isAdoption || request != null ? 0 : PendingWrite.startOf(mutation);
    WriteBatch batch = batches.current();
    if (!SettingsCheck.passes(mutation, settings.fingerprint())) {
      metrics.refusedWrites.increment();
      MiniBatches.refuse(mutations, i, SettingsCheck.refusal(settings.table()));
    } else if (!isAdoption && request == null && start == 0) {
      versions.check(mutation);
      adoptions.keep(mutation);
      if (deletesMarks(mutation) && !rights.isAdmin()) {
        keepMarks(mutations, i);
      }
      plain(batch, mutation);
    } else if (batch == null) {
      throw new DoNotRetryIOException("transactions write with puts, not with row processors");
    } else if (isAdoption) {
      batch.adopt(adoptions.prepare(mutations, i, batch.provedOf(mutation)));
    } else if (request != null) {
      CleanupRequest proved = batch.provedOf(request);
      if (proved == null) {
        MiniBatches.refuse(mutations, i, request + ": the oracle does not say so");
      } else {
        cleanUp(batch, mutations, i, proved);
      }
    } else {
      admit(batch, mutations, i, start);
    }
  }

  private static boolean deletesMarks(Mutation plain) {
    List<Cell> marks = plain.getFamilyCellMap().get(FAMILY);
    return marks != null && marks.stream().anyMatch(CellUtil::isDelete);
  }

  /**
   * A row that is deleted as a whole keeps its marks: without them, cells of a transaction that is
   * not decided would count as committed. Cleanups remove them. Administrators of the table may,
   * and so may users that apply a log of it.
   */
  private static void keepMarks(MiniBatchOperationInProgress<Mutation> mutations, int i)
      throws IOException {
    Mutation plain = mutations.getOperation(i);
    plain.getFamilyCellMap().remove(FAMILY);
    if (plain.isEmpty()) {
      MiniBatches.refuse(
          mutations,
          i,
          "marks of transactions, in family "
              + Bytes.toString(FAMILY)
              + ", are removed by cleanups:"
              + " to delete them takes the right ADMIN on the table");
    }
  }

  private void plain(WriteBatch batch, Mutation mutation) {
    for (List<Cell> family : mutation.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        marks.plain(cell.getTimestamp());
      }
    }
    if (batch != null) { // otherwise of a row processor: see OpenBatches
      batch.plain();
    }
  }

  /**
   * The mutations were applied, those that other coprocessors added included, but no reader can see
   * them yet.
   */
  public void applied(MiniBatchOperationInProgress<Mutation> mutations) {
    WriteBatch batch = batches.begun();
    if (batch == null) {
      return;
    }
    batch.applied();
    adoptions.applied(batch.adoptions());
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      WriteBatch.Write write = batch.nextWrite(mutation);
      if (mutations.getOperationStatus(i).getOperationStatusCode() != OperationStatusCode.NOT_RUN) {
        continue; // refused
      }
      if (mutations.getOperationsFromCoprocessors(i) != null
          || write != null && !isRegular(write.latch(), mutation)) {
        plain(batch, mutation); // what others added is among its cells
      }
    }
  }

  /** Whether a write has nothing but puts of its own row and version. */
  private static boolean isRegular(Latch latch, Mutation write) {
    for (List<Cell> family : write.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        if (cell.getTimestamp() != latch.start()
            || cell.getType() != Cell.Type.Put
            || !CellUtil.matchingRows(cell, latch.row())) {
          return false;
        }
      }
    }
    return true;
  }

  /** The mutations are visible; or they failed, and if they were prepared, some may be there. */
  public void done(MiniBatchOperationInProgress<Mutation> mutations) throws IOException {
    WriteBatch batch = batches.begun();
    if (batch == null) {
      return;
    }
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.SUCCESS) {
        Result answer = batch.answer(mutations.getOperation(i));
        if (answer != null) {
          mutations.setOperationStatus(i, new OperationStatus(OperationStatusCode.SUCCESS, answer));
        }
      }
    }
    boolean hasAdopted = !batch.adoptions().isEmpty();
    batch.mutationsEnded();
    if (hasAdopted) {
      adoptions.makeRoom();
    }
  }

  private void admit(
      WriteBatch batch, MiniBatchOperationInProgress<Mutation> mutations, int i, long start)
      throws IOException {
    // The batch is in flight since before this look, so that a horizon raised later waits for it.
    long refused = horizon.refused();
    if (start < refused) {
      metrics.refusedWrites.increment();
      MiniBatches.refuse(
          mutations, i, Refusal.SNAPSHOT_TOO_OLD.message(start, "writes below " + refused));
      return;
    }
    Admission admission = batch.admit(mutations.getOperation(i), start);
    if (admission == Admission.EARLY) {
      MiniBatches.turnAway(
          mutations, i, "transaction " + start + ": a late duplicate is being written; try again");
    } else if (admission != Admission.ADMITTED) {
      metrics.refusedWrites.increment();
      String message =
          admission == Admission.DECIDED
              ? Refusal.DECIDED.message(start, "its writes are being cleaned up")
              : "transaction "
                  + start
                  + " has written since: this is a late duplicate of a former"
                  + " write";
      MiniBatches.refuse(mutations, i, message);
    }
  }

  /** Takes the marks out of the writes that were admitted, if they need not be cells. */
  private void addMarks() {
    WriteBatch batch = batches.begun();
    if (batch == null) {
      return;
    }
    for (List<Mutation> writes = batch.unmarked(); !writes.isEmpty(); writes = batch.unmarked()) {
      batch.marked(marks.add(PendingWrite.startOf(writes.get(0)), writes));
      int cells = writes.stream().mapToInt(RegionWrites::storeMark).sum();
      metrics.marksInMemory.increment(writes.size() - cells);
      metrics.marksAsCells.increment(cells);
    }
  }

  /**
   * Makes the mark of a write what is to be stored, if it remains a cell.
   *
   * @return how many remain: 0 or 1
   */
  private static int storeMark(Mutation write) {
    List<Cell> marks = write.getFamilyCellMap().get(FAMILY);
    if (marks == null) {
      return 0;
    }
    marks.replaceAll(PendingWrite::stored);
    return marks.size();
  }

  /**
   * HBase appends something to the log, on behalf of the batch of this thread. What goes into the
   * edit here is logged if the data is, whatever other coprocessors do with single mutations.
   */
  public void append(WALEdit edit) {
    WriteBatch batch = batches.begun();
    if (batch != null) {
      batch.log(edit);
    }
  }

  private void cleanUp(
      WriteBatch batch,
      MiniBatchOperationInProgress<Mutation> mutations,
      int i,
      CleanupRequest request)
      throws IOException {
    if (!batch.latch(request)) {
      String message = request + ": the row is being written or cleaned up; try again";
      MiniBatches.turnAway(mutations, i, message);
      return;
    }
    Mutation mutation = mutations.getOperation(i);
    if (batch.isCleaned(request)) { // twice in one batch: done by the first
      mutation.getFamilyCellMap().clear();
      CleanupRequest.replaced(mutation);
      return;
    }
    RowCleaner.Written row = batch.row(request);
    long outcome = outcome(request);
    if (row != null && !row.suffices(outcome)) {
      MiniBatches.turnAway(mutations, i, request + ": it was adopted meanwhile; try again");
      return;
    }
    cleaner.cleanUp(mutation, request, outcome, row);
    CleanupRequest.replaced(mutation);
    Mark mark = row == null ? null : marks.writers().find(request.row(), request.start());
    batch.cleaned(request, mark);
    if (mark != null && !mark.isTaken() && !row.hasCell() && marks.isUsable(mutation)) {
      logDelete(mutations, i);
    }
  }

  /**
   * Where the cells of a row go: to what the region has adopted, if it has. Then the horizon may be
   * above the transaction though the row had its mark when it was read, and so may the client that
   * asks have taken it for aborted.
   *
   * <p>The horizon comes first: it rises above a transaction that the region adopts only when that
   * is done. So if it is above and no outcome is found, there was none, or a flush has moved the
   * cells and taken it along.
   */
  private long outcome(CleanupRequest request) {
    long refused = horizon.refused();
    long known = outcomes.outcomeOf(request.start());
    if (Outcome.isKnown(known)) {
      return known;
    }
    return request.start() < refused ? Outcome.ABORTED : request.outcome();
  }

  /**
   * The mark in memory goes with its cleanup. If it was never a cell, its delete is none, either.
   * If it has gone since the row was read, its transaction was adopted, or a flush has made a cell
   * of it: the delete is a cell in both cases.
   */
  private static void logDelete(MiniBatchOperationInProgress<Mutation> mutations, int i) {
    List<Cell> deletes = mutations.getOperation(i).getFamilyCellMap().remove(FAMILY);
    deletes.forEach(delete -> MiniBatches.log(mutations, i, delete));
  }
}
