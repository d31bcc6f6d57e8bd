package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.region.RegionMarks.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transactions that have marks in the memory of a region, and whether the region can vouch for
 * all that they have written here; docs/decisions/0025-outcomes-decided-by-a-region.md.
 *
 * <p>A transaction may be decided here only if a flush will come by all that it has written in the
 * region, and no mark of it stays behind that is a cell. So
 *
 * <pre>
 *   count      it has as many marks here as its client says that it wrote rows
 *   filed      no flush has written a version of it as it was, to a file: there it would stay
 *   real       it is above every transaction that has, or may have, a mark that is a cell, and above
 *              every version that somebody wrote who knows nothing of transactions
 *   under way  no write of it is being applied: it would come after the decision
 * </pre>
 *
 * <p>Each step is atomic for one transaction: a write that begins finds the decision, or keeps it
 * away; a flush finds the decision, or files the version and keeps it away. Whoever finds a
 * decision finds the outcome in {@link RegionOutcomes}, where it is before its marks go from here.
 * Thread-safe.
 */
final class Writers {
  /** Guarded by the map's lock of its key. */
  private static final class Writer {
    private Mark first;
    private int rows;
    private int underWay;
    private boolean isFiled;

    private Writer unlessUnused() {
      return rows == 0 && underWay == 0 ? null : this;
    }
  }

  private final RegionOutcomes outcomes;
  private final boolean isUsed;
  private final ConcurrentMap<Long, Writer> writers = new ConcurrentHashMap<>();

  /**
   * No transaction above has a mark that is or was a cell here; no plain version is above, and none
   * that a plain delete names. Nothing is known of a region that is not open.
   */
  private final AtomicLong lastReal = new AtomicLong(Long.MAX_VALUE);

  /**
   * None.
   *
   * @param isUsed false if the region decides nothing; then nothing is known of anybody
   */
  Writers(RegionOutcomes outcomes, boolean isUsed) {
    this.outcomes = outcomes;
    this.isUsed = isUsed;
  }

  /** The region opens with files that have versions up to this one. */
  void opened(long version) {
    lastReal.set(version);
  }

  /** A mark of the transaction is a cell, or is about to be one. */
  void real(long start) {
    lastReal.accumulateAndGet(start, Math::max);
  }

  /** Whether a write may begin: its transaction is not decided here. {@link #end} follows. */
  boolean begin(long start) {
    if (!isUsed) {
      return outcomes.outcomeOf(start) == 0;
    }
    Writer[] begun = new Writer[1];
    writers.compute(
        start,
        (key, known) -> {
          if (outcomes.outcomeOf(start) != 0) {
            return known;
          }
          Writer writer = known == null ? new Writer() : known;
          writer.underWay++;
          begun[0] = writer;
          return writer;
        });
    return begun[0] != null;
  }

  /** A write is over: applied and visible, or failed. */
  void end(long start) {
    writers.computeIfPresent(
        start,
        (key, writer) -> {
          writer.underWay--;
          return writer.unlessUnused();
        });
  }

  void add(Mark mark) {
    if (!isUsed) {
      return;
    }
    writers.compute(
        mark.start(),
        (key, known) -> {
          Writer writer = known == null ? new Writer() : known;
          mark.next = writer.first;
          if (writer.first != null) {
            writer.first.previous = mark;
          }
          writer.first = mark;
          writer.rows++;
          return writer;
        });
  }

  /** Takes a mark away that was added, and that no decision took. */
  void remove(Mark mark) {
    writers.computeIfPresent(
        mark.start(),
        (key, writer) -> {
          if (mark.previous == null && writer.first != mark) {
            return writer; // of a writer that was decided
          }
          if (mark.previous == null) {
            writer.first = mark.next;
          } else {
            mark.previous.next = mark.next;
          }
          if (mark.next != null) {
            mark.next.previous = mark.previous;
          }
          mark.takeNext();
          writer.rows--;
          return writer.unlessUnused();
        });
  }

  /**
   * What a flush of data does with a version: if it is decided, as it says. If not, it writes it as
   * it is, and the transaction is not decided any more.
   *
   * @return as {@link RegionOutcomes#outcomeOf}
   */
  long outcomeOrFile(long start) {
    long known = outcomes.outcomeOf(start);
    if (known != 0) {
      return known;
    }
    long[] found = new long[1];
    writers.computeIfPresent(
        start,
        (key, writer) -> {
          found[0] = outcomes.outcomeOf(start);
          writer.isFiled = true;
          return writer;
        });
    return found[0];
  }

  /** Whether the region can vouch for what a transaction wrote in so many rows. */
  boolean isWhole(long start, int rows) {
    boolean[] isWhole = new boolean[1];
    writers.computeIfPresent(
        start,
        (key, writer) -> {
          isWhole[0] = isWhole(start, rows, writer);
          return writer;
        });
    return isWhole[0];
  }

  private boolean isWhole(long start, int rows, Writer writer) {
    return writer.rows == rows && writer.underWay == 0 && !writer.isFiled && start > lastReal.get();
  }

  /**
   * Decides a transaction, if {@link #isWhole}.
   *
   * @param decision puts the outcome into {@link RegionOutcomes}
   * @return the marks that are to go now; null if it is not decided
   */
  List<Mark> decide(long start, int rows, Runnable decision) {
    List<Mark> marks = new ArrayList<>();
    boolean[] isDecided = new boolean[1];
    writers.computeIfPresent(
        start,
        (key, writer) -> {
          if (!isWhole(start, rows, writer)) {
            return writer;
          }
          isDecided[0] = true;
          decision.run();
          for (Mark mark = writer.first;
              mark != null;
              mark = marks.get(marks.size() - 1).takeNext()) {
            marks.add(mark);
          }
          return null;
        });
    return isDecided[0] ? marks : null;
  }
}
