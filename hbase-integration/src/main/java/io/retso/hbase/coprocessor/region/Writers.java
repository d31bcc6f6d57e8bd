package io.retso.hbase.coprocessor.region;

import io.retso.hbase.layout.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The transactions that have marks in the memory of a region, and whether the region can vouch for
 * all that they have written here; docs/decisions/0025-outcomes-adopted-by-a-region.md.
 *
 * <p>A transaction may be adopted here only if a flush will come by all that it has written in the
 * region, and no mark of it stays behind that is a cell. So
 *
 * <pre>
 *   count      it has as many marks here as its client says that it wrote rows
 *   flushed    no flush has written a version of it as it was, to a file: there it would stay
 *   floor      it is above every transaction that has, or may have, a mark that is a cell, and above
 *              every version of a plain writer
 *   under way  no write of it is being applied: it would come after the adoption
 * </pre>
 *
 * <p>Each step is atomic for one transaction: a write that begins finds the adoption, or keeps it
 * away; a flush finds the adoption, or writes the version as it is and keeps it away. The outcome
 * is in {@link RegionOutcomes} before the marks go from here: so a look for marks that finds none
 * is followed by one for the outcome, or shares the lock of the transaction with the adoption.
 * Thread-safe.
 */
public final class Writers {
  private static final String NO_OUTCOME = "marks go before the outcome is there";
  private static final String NOT_UNDER_WAY = "no write of the transaction is under way";

  /** Guarded by the map's lock of its key, but for what readers look at. */
  private static final class Writer {
    /** Its marks; replaced as a whole. */
    private volatile List<MarkedRows> batches = List.of();

    private int rows;
    private int underWay;

    /** Highest number of a batch that has begun. */
    private int batch;

    private boolean isFlushedUnadopted;

    private Writer(int batch) {
      this.batch = batch;
    }

    private Writer unlessUnused() {
      assert rows >= 0 && underWay >= 0 : rows + " rows, " + underWay + " writes under way";
      assert rows == rowsOfBatches() : rows + " rows, and " + rowsOfBatches();
      return rows == 0 && underWay == 0 ? null : this;
    }

    private int rowsOfBatches() {
      int sum = 0;
      for (MarkedRows batch : batches) {
        sum += batch.size();
      }
      return sum;
    }

    /**
     * A transaction sends a batch when the one before it was acknowledged. So a write of an earlier
     * batch is a late duplicate: HBase's client has sent it twice, and something held up the first
     * attempt. What is written to a cell last counts, so it must not be it.
     */
    private Admission begin(int number) {
      if (number < batch) {
        return Admission.LATE;
      }
      if (number > batch && underWay > 0) {
        return Admission.EARLY;
      }
      assert number == batch || number > batch && underWay == 0 : number + " beside " + batch;
      batch = number;
      underWay++;
      return Admission.ADMITTED;
    }

    private Mark find(byte[] row) {
      for (MarkedRows batch : batches) {
        Mark mark = batch.find(row);
        if (mark != null) {
          return mark;
        }
      }
      return null;
    }

    /** Those of rows that have none; null if a row has one that cannot stand for another. */
    private List<Mark> withoutThoseThatAreHere(List<Mark> marks) {
      List<Mark> fresh = new ArrayList<>(marks.size());
      for (Mark mark : marks) {
        Mark old = rows == 0 ? null : find(mark.row());
        if (old == null) {
          fresh.add(mark);
        } else if (!old.isApplied() || old.isTaken()) {
          return null;
        }
      }
      return fresh;
    }

    /** Whether a mark is here, or one that stands for it whatever becomes of its batch. */
    private boolean hasFor(Mark mark) {
      Mark there = find(mark.row());
      return there == mark || there != null && there.isApplied() && !there.isTaken();
    }

    private void add(List<Mark> marks) {
      List<MarkedRows> all = new ArrayList<>(batches);
      MarkedRows last = new MarkedRows(marks);
      // Each is larger than the next: so a transaction that writes row by row has few of them.
      while (!all.isEmpty() && all.get(all.size() - 1).size() <= last.size()) {
        last = last.with(all.remove(all.size() - 1));
      }
      all.add(last);
      batches = all;
      rows += marks.size();
    }

    private void remove(Mark mark) {
      List<MarkedRows> all = new ArrayList<>(batches);
      for (MarkedRows batch : all) {
        if (batch.find(mark.row()) == mark) {
          batch.remove(mark);
          rows--;
          break;
        }
      }
      if (all.removeIf(MarkedRows::isEmpty)) {
        batches = all;
      }
    }

    private long bytes() {
      long sum = 0;
      for (MarkedRows batch : batches) {
        sum += batch.bytes();
      }
      return sum;
    }
  }

  private final RegionOutcomes outcomes;
  private final Consumer<Mark> beforeRemoval;
  private final LongConsumer freed;

  private final LaterBatches later = new LaterBatches();

  /** By {@link RegionOutcomes#key}. */
  private final ConcurrentMap<Long, Writer> writers = new ConcurrentHashMap<>();

  /**
   * No transaction above has a mark that is or was a cell here; no plain version is above, and none
   * that a plain delete names. Nothing is known of a region that is not open.
   */
  private final AtomicLong floor = new AtomicLong(Long.MAX_VALUE);

  /** Loads of files that are under way. */
  private final AtomicInteger loads = new AtomicInteger();

  /**
   * None.
   *
   * @param beforeRemoval is told of each mark before it goes by itself, not of those of an adoption
   * @param freed is told of the bytes of all that go
   */
  Writers(RegionOutcomes outcomes, Consumer<Mark> beforeRemoval, LongConsumer freed) {
    this.outcomes = outcomes;
    this.beforeRemoval = beforeRemoval;
    this.freed = freed;
  }

  /** The region opens with files that have versions up to this one. */
  public void opened(long version) {
    floor.set(version);
  }

  /**
   * Files of others are about to be loaded, and nothing is adopted until {@link #loaded}: what they
   * hide, or what hides them, is to be known before.
   */
  public void loading() {
    loads.incrementAndGet();
  }

  /** Files were loaded, or not; the region's have versions up to this one. */
  public void loaded(long version) {
    raiseFloor(version);
    int left = loads.decrementAndGet();
    assert left >= 0 : left + " loads are under way";
  }

  boolean isLoading() {
    return loads.get() > 0;
  }

  /** A mark of the transaction is a cell, or is about to be one. */
  void raiseFloor(long start) {
    floor.accumulateAndGet(start, Math::max);
  }

  /**
   * Whether a write may begin. If it is admitted, {@link #end} follows.
   *
   * @param batch its number, growing within the transaction
   */
  public Admission begin(long start, int batch) {
    Admission[] admission = new Admission[1];
    writers.compute(
        RegionOutcomes.key(start),
        (key, known) -> {
          if (outcomes.isKnown(start)) {
            admission[0] = Admission.DECIDED;
            return known;
          }
          Writer writer = known == null ? new Writer(later.highest(key)) : known;
          int before = writer.batch;
          admission[0] = writer.begin(batch);
          if (writer.batch > before) {
            later.begin(key, batch);
          }
          return writer.unlessUnused();
        });
    return admission[0];
  }

  /** A write is over: applied and visible, or failed. */
  public void end(long start) {
    writers.compute(
        RegionOutcomes.key(start),
        (key, writer) -> {
          assert writer != null : NOT_UNDER_WAY;
          writer.underWay--;
          return writer.unlessUnused();
        });
  }

  /**
   * Adds the marks of a batch that is about to be applied.
   *
   * @param marks of one transaction and different rows, in their order
   * @return those of rows that had none; null if none was added, as a row has one that is not known
   *     to be in the log, or that a flush is making a cell of
   */
  List<Mark> add(List<Mark> marks) {
    List<Mark> fresh = new ArrayList<>(marks.size());
    boolean[] isAdded = new boolean[1];
    writers.compute(
        RegionOutcomes.key(marks.get(0).start()),
        (key, writer) -> {
          assert writer != null && writer.underWay > 0 : NOT_UNDER_WAY;
          List<Mark> found = writer.withoutThoseThatAreHere(marks);
          isAdded[0] = found != null;
          if (isAdded[0] && !found.isEmpty()) {
            writer.add(found);
            fresh.addAll(found);
          }
          assert !isAdded[0] || marks.stream().allMatch(writer::hasFor) : "its row has no mark";
          return writer;
        });
    return isAdded[0] ? fresh : null;
  }

  /** Takes a mark away, unless it is gone. */
  void remove(Mark mark) {
    writers.computeIfPresent(
        RegionOutcomes.key(mark.start()),
        (key, writer) -> {
          if (writer.find(mark.row()) == mark) {
            beforeRemoval.accept(mark);
            writer.remove(mark);
            freed.accept(mark.bytes());
            assert mark.mayGo() : mark;
          }
          return writer.unlessUnused();
        });
  }

  /** Takes all marks away: the region is closed. Writes may have yet to {@link #end}. */
  void close() {
    for (long id : writers.keySet()) {
      writers.computeIfPresent(
          id,
          (key, writer) -> {
            freed.accept(writer.bytes());
            writer.batches.forEach(batch -> batch.forEach(Mark::setGone));
            writer.batches = List.of();
            writer.rows = 0;
            return writer.unlessUnused();
          });
    }
  }

  /** The mark of a row and transaction; null if none is here. */
  public Mark find(byte[] row, long start) {
    Writer writer = writers.get(RegionOutcomes.key(start));
    return writer == null ? null : writer.find(row);
  }

  /** All marks, in any order; they may come and go meanwhile. */
  void forEach(Consumer<Mark> action) {
    writers.values().forEach(writer -> writer.batches.forEach(batch -> batch.forEach(action)));
  }

  /**
   * Marks in the order of a scan; they may come and go meanwhile. Takes some time for each batch of
   * writes that has marks here.
   *
   * @param row where the scan begins
   * @param max the most that are returned
   */
  public List<Mark> next(byte[] row, boolean isReversed, int max) {
    Comparator<Mark> order = isReversed ? Mark.BY_ROW.reversed() : Mark.BY_ROW;
    PriorityQueue<Mark> nearest = new PriorityQueue<>(order.reversed()); // the farthest is its head
    for (Writer writer : writers.values()) {
      for (MarkedRows batch : writer.batches) {
        int i = batch.begin(row, isReversed);
        for (Mark mark = batch.at(i); mark != null; mark = batch.at(i)) {
          boolean isFull = nearest.size() == max;
          if (isFull && order.compare(mark, nearest.peek()) >= 0) {
            break;
          }
          if (!mark.isGone()) {
            nearest.add(mark);
            if (isFull) {
              nearest.poll();
            }
          }
          i += isReversed ? -1 : 1;
        }
      }
    }
    List<Mark> found = new ArrayList<>(nearest);
    found.sort(order);
    return found;
  }

  /**
   * What a flush of data does with a version: if it is adopted, as it says. If not, it writes it as
   * it is, and the transaction is not adopted any more.
   *
   * <p>The last look at the outcomes comes after the look for its marks. A transaction without
   * marks here may have been adopted between the two: then its outcome is there, before its marks
   * went, and stays until this flush has ended. If it has neither, one of its marks is or was a
   * cell, or was cleaned up, and it is not adopted any more without this note, either.
   *
   * @return as {@link RegionOutcomes#outcomeOf}
   */
  public long outcomeForFlush(long start) {
    long known = outcomes.outcomeOf(start);
    if (Outcome.isKnown(known)) {
      return known;
    }
    writers.computeIfPresent(
        RegionOutcomes.key(start),
        (key, writer) -> {
          assert !outcomes.isKnown(start) : "it is adopted, and has marks";
          writer.isFlushedUnadopted = true;
          return writer;
        });
    return outcomes.outcomeOf(start);
  }

  /** Whether the region can vouch for what a transaction wrote in so many rows. */
  public boolean canAdopt(long start, int rows) {
    boolean[] canAdopt = new boolean[1];
    writers.computeIfPresent(
        RegionOutcomes.key(start),
        (key, writer) -> {
          canAdopt[0] = canAdopt(start, rows, writer);
          return writer;
        });
    return canAdopt[0];
  }

  private boolean canAdopt(long start, int rows, Writer writer) {
    return writer.rows == rows
        && writer.underWay == 0
        && !writer.isFlushedUnadopted
        && start > floor.get()
        && !isLoading();
  }

  /**
   * Adopts a transaction, if {@link #canAdopt}; then its marks go, all of them at once, be they
   * many or few: this runs under locks for which writes and flushes wait.
   *
   * @param adoption puts the outcome into {@link RegionOutcomes}
   * @return false if it is not adopted
   */
  public boolean adopt(long start, int rows, Runnable adoption) {
    boolean[] isAdopted = new boolean[1];
    writers.computeIfPresent(
        RegionOutcomes.key(start),
        (key, writer) -> {
          if (!canAdopt(start, rows, writer)) {
            return writer;
          }
          isAdopted[0] = true;
          adoption.run();
          assert outcomes.isKnown(start) : NO_OUTCOME;
          freed.accept(writer.bytes());
          return null;
        });
    return isAdopted[0];
  }
}
