package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.Admission;
import io.retso.hbase.coprocessor.region.BatchesInFlight;
import io.retso.hbase.coprocessor.region.Mark;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.write.RowLatches.Latch;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * What one batch of mutations does in a region, from its first mutation to its end. Of one thread.
 */
public final class WriteBatch {
  private static final Cleanup NOT_READ = new Cleanup(null, -1);
  private static final Cleanup DONE = new Cleanup(null, -1);

  /** A write that was admitted. */
  record Write(Latch latch, Mutation mutation) {}

  /**
   * A row that is latched for its cleanup.
   *
   * @param row what the transaction wrote there; null if it has no mark
   * @param moment of {@link PlainChanges}, before the look at the row
   */
  private record Cleanup(RowCleaner.Written row, long moment) {}

  /** What all batches of a region share. */
  public record Shared(
      BatchesInFlight inFlight,
      PlainChanges changes,
      RowCleaner cleaner,
      RowLatches latches,
      RegionMarks marks) {}

  private final Shared shared;
  private final BatchesInFlight.Epoch epoch;

  private final List<Write> writes = new ArrayList<>();

  /**
   * Transactions whose writes have begun, with their batches: until the end they are not adopted.
   */
  private final Map<Long, Integer> begun = new HashMap<>(2);

  private final Map<Latch, Cleanup> cleanups = new HashMap<>();

  /** Requests to clean up rows, with the outcomes that were proved. */
  private final Map<Latch, CleanupRequest> proved = new HashMap<>(2);

  /** Lists of outcomes, with those that were proved. */
  private final Map<Mutation, AdoptionWrites.Proved> provedLists = new IdentityHashMap<>(2);

  /** Marks in memory that the current mutations put there. */
  private final List<Mark> added = new ArrayList<>();

  /** How many of them are in an edit of the log. */
  private int logged;

  /** Marks in memory that go when the current mutations are visible. */
  private final List<Mark> cleanedMarks = new ArrayList<>();

  /** Requests to adopt outcomes among the current mutations. */
  private final List<AdoptionWrites.Pending> adoptions = new ArrayList<>();

  /** The first of the writes that was not applied yet. */
  private int next;

  /** The first of the writes whose mark may still have to go to the memory of the region. */
  private int unmarked;

  private boolean plain;

  WriteBatch(Shared shared) {
    this.shared = shared;
    this.epoch = shared.inFlight.enter();
  }

  /** Whether a transaction may write a row. A cleanup of it is under way if it is decided. */
  Admission admit(Mutation write, long start) {
    Latch latch = new Latch(write.getRow(), start);
    if (!shared.latches.latchForWrite(latch)) {
      return Admission.DECIDED;
    }
    Admission admission = begin(start, PendingWrite.batchOf(write));
    if (admission == Admission.ADMITTED) {
      writes.add(new Write(latch, write));
    } else {
      shared.latches.releaseWrite(latch);
    }
    return admission;
  }

  private Admission begin(long start, int number) {
    Integer known = begun.get(start);
    if (known != null && known == number) {
      return Admission.ADMITTED;
    }
    Admission admission = shared.marks.writers().begin(start, number);
    if (admission == Admission.ADMITTED) {
      Integer old = begun.put(start, number);
      assert old == null : "two batches of a transaction at once";
    }
    return admission;
  }

  /** It has changes that are neither a transaction's writes nor cleanups. */
  void plain() {
    if (!plain) {
      plain = true;
      shared.changes.begin();
    }
  }

  /** The next of the writes if that is {@code mutation}, or null. */
  Write nextWrite(Mutation mutation) {
    return next < writes.size() && writes.get(next).mutation == mutation
        ? writes.get(next++)
        : null;
  }

  /**
   * The next writes of one transaction whose marks are to be looked at; empty if there are none.
   */
  List<Mutation> unmarked() {
    List<Mutation> found = new ArrayList<>(writes.size() - unmarked);
    while (unmarked < writes.size()
        && (found.isEmpty() || start(unmarked) == start(unmarked - 1))) {
      found.add(writes.get(unmarked++).mutation);
    }
    return found;
  }

  private long start(int write) {
    return writes.get(write).latch.start();
  }

  /** Marks of {@link #unmarked} writes are in the memory of the region. */
  void marked(List<Mark> marks) {
    added.addAll(marks);
  }

  /** Has what is not logged yet written to the log. */
  void log(WALEdit edit) {
    for (; logged < added.size(); logged++) {
      edit.add(added.get(logged).cell(), PendingWrite.family());
    }
  }

  /** Its outcome is proved. */
  void proved(CleanupRequest request) {
    proved.put(latchOf(request), request);
  }

  /** The request of that row and transaction whose outcome is proved; null if none is. */
  CleanupRequest provedOf(CleanupRequest request) {
    return proved.get(latchOf(request));
  }

  /** It was looked at which outcomes of a list are proved. */
  void proved(Mutation list, AdoptionWrites.Proved proved) {
    provedLists.put(list, proved);
  }

  /**
   * A list, with those of its outcomes that are proved: none if it was not looked at.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  AdoptionWrites.Proved provedOf(Mutation list) {
    AdoptionWrites.Proved proved = provedLists.get(list);
    return proved != null
        ? proved
        : new AdoptionWrites.Proved(AdoptionRequest.of(list), new BitSet());
  }

  /** Latches a row and looks at it, unless that was done; false if another batch has it. */
  boolean latch(CleanupRequest request) throws IOException {
    Latch latch = latchOf(request);
    if (!cleanups.containsKey(latch)) {
      if (!shared.latches.latchForCleanup(latch)) {
        return false;
      }
      cleanups.put(latch, NOT_READ); // to be released, should the read fail
      long before = shared.changes.moment();
      cleanups.put(latch, new Cleanup(shared.cleaner.read(request), before));
    }
    return true;
  }

  private static Latch latchOf(CleanupRequest request) {
    return new Latch(request.row(), request.start());
  }

  /** Whether the mutations have the cleanup of a row. */
  boolean isCleaned(CleanupRequest request) {
    return cleanups.get(latchOf(request)) == DONE;
  }

  /** What a latched row has, now that nothing plain comes before the cleanup any more. */
  RowCleaner.Written row(CleanupRequest request) throws IOException {
    Cleanup cleanup = cleanups.get(latchOf(request));
    return shared.changes.isCurrent(cleanup.moment) ? cleanup.row : shared.cleaner.read(request);
  }

  /** The mutations have the cleanup of a row, with which {@code mark} goes, if there is one. */
  void cleaned(CleanupRequest request, Mark mark) {
    cleanups.put(latchOf(request), DONE);
    if (mark != null) {
      cleanedMarks.add(mark);
    }
  }

  void adopt(AdoptionWrites.Pending adoption) {
    adoptions.add(adoption);
  }

  List<AdoptionWrites.Pending> adoptions() {
    return adoptions;
  }

  /** The current mutations are in log and memory, and not visible yet. */
  void applied() {
    assert added.stream().limit(logged).allMatch(Mark::isNumbered) : "marks are not in the log";
    added.forEach(shared.marks::applied);
    cleanedMarks.forEach(shared.marks::cleaned);
  }

  /** What the client is told of a mutation that succeeded; null if that is up to HBase. */
  Result answer(Mutation mutation) {
    for (AdoptionWrites.Pending adoption : adoptions) {
      if (adoption.isOf(mutation)) {
        return adoption.answer();
      }
    }
    return CleanupRequest.isReplaced(mutation) ? CleanupRequest.DONE : null;
  }

  /** The current mutations are over: visible, or failed. */
  void mutationsEnded() {
    cleanedMarks.forEach(shared.marks::cleanupEnded);
    added.forEach(shared.marks::writeEnded);
    assert added.stream().allMatch(mark -> mark.isNumbered() || mark.isGone()) : added;
    adoptions.clear();
    added.clear();
    logged = 0;
    cleanedMarks.clear();
    next = writes.size();
  }

  void end() {
    assert next <= writes.size() && unmarked <= writes.size();
    mutationsEnded(); // if another coprocessor has failed before our hook that does it
    if (plain) {
      shared.changes.end();
    }
    assert writes.stream().allMatch(write -> begun.containsKey(write.latch.start()));
    begun.keySet().forEach(shared.marks.writers()::end);
    writes.forEach(write -> shared.latches.releaseWrite(write.latch));
    cleanups.keySet().forEach(shared.latches::releaseCleanup);
    epoch.leave();
  }
}
