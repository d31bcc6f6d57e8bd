package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The judge of serializable transactions finds what the closure of all dependencies has. */
class SerialOrderTest {
  private static final int HISTORIES = 50_000;
  private static final int ROWS = 3;

  /** A safe reader has its snapshot as start and commit. */
  private record Tx(long start, long commit, Set<Long> reads, Set<Long> writes) {
    boolean isSafe() {
      return start == commit;
    }

    /** Whether it must come before another in a serial order. */
    boolean precedes(Tx other) {
      boolean antidependency = meet(reads, other.writes) && other.commit > start;
      boolean read = meet(writes, other.reads) && commit < other.start;
      boolean overwrote = meet(writes, other.writes) && commit < other.commit;
      boolean realTime = commit < other.start && !other.isSafe();
      return antidependency || read || overwrote || realTime;
    }

    private static boolean meet(Set<Long> some, Set<Long> others) {
      return some.stream().anyMatch(others::contains);
    }
  }

  @Test
  void agreesWithTheClosureWhateverComesFirst() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int wrong = 0;
    for (int i = 0; i < HISTORIES; i++) {
      List<Tx> history = history(random, 3 + random.nextInt(3));
      boolean cyclic = isCyclic(history);
      if (random.nextBoolean()) {
        Collections.shuffle(history, random);
      }
      assertEquals(cyclic, isRefused(history), "seed " + seed + ": " + history);
      wrong += cyclic ? 1 : 0;
    }
    int found = wrong;
    assertTrue(found > HISTORIES / 10 && found < HISTORIES * 9 / 10, () -> found + " cyclic ones");
  }

  /** In the order of commits, without write conflicts. */
  private static List<Tx> history(Random random, int n) {
    List<Integer> events = new ArrayList<>();
    for (int t = 0; t < n; t++) {
      events.add(t);
      events.add(t);
    }
    Collections.shuffle(events, random);
    long[] starts = new long[n];
    long[] newest = new long[ROWS];
    List<Tx> history = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      int t = events.get(i);
      long now = i + 1;
      if (starts[t] == 0) {
        starts[t] = now;
        continue;
      }
      Set<Long> writes = new HashSet<>();
      for (long row : some(random)) {
        if (newest[(int) row] < starts[t] && random.nextBoolean()) {
          writes.add(row);
          newest[(int) row] = now;
        }
      }
      boolean safe = writes.isEmpty() && random.nextBoolean();
      history.add(new Tx(starts[t], safe ? starts[t] : now, some(random), writes));
    }
    return history;
  }

  private static Set<Long> some(Random random) {
    Set<Long> rows = new HashSet<>();
    for (long row = 0; row < ROWS; row++) {
      if (random.nextBoolean()) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static boolean isRefused(List<Tx> history) {
    SerialOrder order = new SerialOrder();
    try {
      for (Tx tx : history) {
        if (tx.isSafe()) {
          order.safeReader(tx.start, tx.reads);
        } else {
          Footprint footprint = new Footprint(true, tx.writes.isEmpty());
          tx.reads.forEach(footprint::read);
          order.asks(tx.start, footprint);
          order.committed(tx.start, tx.commit, tx.writes);
        }
      }
      return false;
    } catch (Violation e) {
      return true;
    }
  }

  private static boolean isCyclic(List<Tx> history) {
    int n = history.size();
    boolean[][] before = new boolean[n][n];
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        before[a][b] = a != b && history.get(a).precedes(history.get(b));
      }
    }
    for (int m = 0; m < n; m++) {
      for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
          before[a][b] |= before[a][m] && before[m][b];
        }
      }
    }
    for (int a = 0; a < n; a++) {
      if (before[a][a]) {
        return true;
      }
    }
    return false;
  }
}
