package io.retso.hbase.coprocessor.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The marks that a region has in memory, beside a naive list of them. */
public class WritersTest {
  private static final int TRANSACTIONS = 6;
  private static final int ROWS = 40;

  private final Set<Mark> going = new HashSet<>();

  /** What it should have, by row and start timestamp. */
  private final TreeMap<String, Mark> naive = new TreeMap<>();

  private final RegionOutcomes outcomes = new RegionOutcomes(null, true);
  private final AtomicLong bytes = new AtomicLong();
  private final Writers writers =
      new Writers(outcomes, mark -> assertTrue(going.add(mark)), freed -> bytes.addAndGet(-freed));

  private static String key(byte[] row, long start) {
    return Bytes.toString(row) + "/" + start;
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("%03d", i));
  }

  private static Mark mark(byte[] row, long start, boolean isApplied) {
    KeyValue cell = PendingWrite.markOf(row, start);
    cell.setSequenceId(1);
    Mark mark = new Mark(row, start, cell);
    if (isApplied) {
      mark.setApplied();
    }
    return mark;
  }

  private void add(Random random) {
    long start = 16 * (1 + random.nextInt(TRANSACTIONS));
    Set<Integer> rows = new TreeSet<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      rows.add(random.nextInt(ROWS));
    }
    boolean isApplied = random.nextInt(20) != 0;
    List<Mark> marks = rows.stream().map(row -> mark(row(row), start, isApplied)).toList();
    List<Mark> fresh = new ArrayList<>(marks);
    fresh.removeIf(mark -> naive.containsKey(key(mark.row(), start)));
    boolean isRefused =
        marks.stream()
            .map(mark -> naive.get(key(mark.row(), start)))
            .anyMatch(old -> old != null && (!old.isApplied() || old.isTaken()));
    assertEquals(Admission.ADMITTED, writers.begin(start, 1));
    List<Mark> added = writers.add(marks);
    writers.end(start);
    if (isRefused) {
      assertNull(added);
    } else {
      assertEquals(fresh, added);
      fresh.forEach(mark -> naive.put(key(mark.row(), start), mark));
      fresh.forEach(mark -> bytes.addAndGet(mark.bytes()));
    }
  }

  private Mark any(Random random) {
    List<Mark> all = List.copyOf(naive.values());
    return all.get(random.nextInt(all.size()));
  }

  private void step(Random random) {
    int what = random.nextInt(10);
    if (what < 4 || naive.isEmpty()) {
      add(random);
    } else if (what < 7) {
      Mark mark = any(random);
      if (!mark.isTaken()) {
        mark.setCleaned();
      }
      writers.remove(mark);
      writers.remove(mark); // is gone
      naive.remove(key(mark.row(), mark.start()));
      assertTrue(going.contains(mark) && mark.isGone());
    } else if (what < 8) {
      any(random).take();
    } else if (what < 9) {
      long start = any(random).start();
      List<Mark> its = naive.values().stream().filter(mark -> mark.start() == start).toList();
      assertEquals(false, writers.adopt(start, its.size() + 1, () -> {}), "not so many rows");
      Runnable adoption =
          () -> {
            its.forEach(mark -> assertEquals(mark, writers.find(mark.row(), start), "not yet"));
            outcomes.adopted(start, Outcome.ABORTED);
          };
      assertTrue(writers.adopt(start, its.size(), adoption));
      outcomes.forget(start);
      naive.values().removeAll(its);
    }
  }

  private void check(Random random) {
    for (int i = 0; i < ROWS; i++) {
      for (int j = 1; j <= TRANSACTIONS; j++) {
        assertEquals(naive.get(key(row(i), 16 * j)), writers.find(row(i), 16 * j));
      }
    }
    Set<Mark> all = new HashSet<>();
    writers.forEach(all::add);
    assertEquals(new HashSet<>(naive.values()), all);
    assertEquals(all.stream().mapToLong(Mark::bytes).sum(), bytes.get());
    int max = 1 + random.nextInt(2 * ROWS);
    boolean isReversed = random.nextBoolean();
    byte[] from = row(random.nextInt(ROWS));
    Comparator<Mark> order = isReversed ? Mark.BY_ROW.reversed() : Mark.BY_ROW;
    List<String> expected =
        naive.values().stream()
            .filter(mark -> order.compare(mark, mark(from, 16, true)) >= 0)
            .sorted(order)
            .limit(max)
            .map(mark -> Bytes.toString(mark.row()))
            .toList();
    List<Mark> found = writers.next(from, isReversed, max);
    assertEquals(expected, found.stream().map(mark -> Bytes.toString(mark.row())).toList());
    assertTrue(naive.values().containsAll(found));
  }

  @Test
  void hasWhatANaiveListHas() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    writers.opened(0);
    for (int round = 0; round < 5_000; round++) {
      try {
        step(random);
        check(random);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
  }

  /** The flush has seen no outcome, and waits for the adoption to look at the transaction. */
  @Test
  @Timeout(60)
  void whatIsAdoptedWhileAFlushLooksIsMoved() throws Exception {
    writers.opened(0);
    assertEquals(Admission.ADMITTED, writers.begin(16, 1));
    writers.add(List.of(mark(row(1), 16, true)));
    writers.end(16);
    AtomicReference<Thread> flusher = new AtomicReference<>();
    AtomicReference<CompletableFuture<Long>> flush = new AtomicReference<>();
    Runnable adoption =
        () -> {
          flush.set(
              CompletableFuture.supplyAsync(
                  () -> {
                    flusher.set(Thread.currentThread());
                    return writers.outcomeForFlush(16);
                  }));
          while (flusher.get() == null || flusher.get().getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
          }
          outcomes.adopted(16, Outcome.ABORTED);
        };
    assertTrue(writers.adopt(16, 1, adoption));
    assertEquals(Outcome.ABORTED, flush.get().get(20, TimeUnit.SECONDS));
  }
}
