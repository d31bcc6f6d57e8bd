package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TransactionWindowTest {
  private static final int[] STATES = {
    TransactionWindow.COMMITTED_CLEAN,
    TransactionWindow.ABORTED_CLEAN,
    TransactionWindow.OPEN,
    TransactionWindow.HALF_ABORTED,
    TransactionWindow.COMMITTED
  };

  /** Against maps that hold everything and learn what left. */
  @Test
  void rememberWhatIsWithinAndLeavesCommitsToTheTable() {
    for (int seed = 0; seed < 40; seed++) {
      new Comparison(seed).run(20_000);
    }
  }

  private static final class Comparison {
    final Random random;
    final int capacity;
    final UncleanedCommits uncleaned = new UncleanedCommits(1_000_000, 0);
    final TransactionWindow window;
    final Map<Long, Integer> states = new HashMap<>();
    final Map<Long, Long> commits = new HashMap<>();
    final Map<Long, Long> left = new HashMap<>();
    long next = 1;
    long low = 1;

    Comparison(long seed) {
      random = new Random(seed);
      capacity = 8 << random.nextInt(6);
      window = new TransactionWindow(capacity, uncleaned);
      if (random.nextBoolean()) {
        next = 1 + random.nextInt(1 << 30) * 8L;
        low = next;
        window.startAt(next);
      }
    }

    void run(int operations) {
      for (int i = 0; i < operations; i++) {
        int kind = random.nextInt(1000);
        if (kind < 400) {
          int state = kind < 200 ? TransactionWindow.OPEN : TransactionWindow.NO_TRANSACTION;
          assertEquals(next, window.issue(state));
          states.put(next++, state);
          slide(next - capacity + 1);
        } else if (kind < 402) {
          long target = next + random.nextInt(3 * capacity);
          window.skipTo(target);
          next = target;
          slide(next - capacity + 1);
        } else if (kind < 404) {
          long target = low + random.nextInt(capacity);
          window.raiseLow(target);
          slide(Math.min(target, next));
        } else if (next > low) {
          change(low + random.nextInt((int) (next - low)));
        }
        check();
      }
    }

    private void change(long sequence) {
      int state = STATES[random.nextInt(STATES.length)];
      if (state == TransactionWindow.COMMITTED) {
        boolean clean = random.nextInt(5) == 0;
        long commit = sequence + 1 + random.nextInt(100);
        window.setCommitted(sequence, commit, clean);
        states.put(sequence, clean ? TransactionWindow.COMMITTED_CLEAN : state);
        commits.put(sequence, commit);
      } else {
        window.setState(sequence, state);
        states.put(sequence, state);
      }
    }

    private void slide(long target) {
      for (; low < target; low++) {
        Integer state = states.remove(low);
        Long commit = commits.remove(low);
        if (state != null && state == TransactionWindow.COMMITTED) {
          left.put(low, commit);
        }
      }
    }

    private void check() {
      assertEquals(next, window.next());
      assertEquals(low, window.low());
      long sequence = low - 5 + random.nextInt((int) (next - low) + 10);
      boolean within = sequence >= low && sequence < next;
      assertEquals(within, window.contains(sequence));
      int state = within ? states.getOrDefault(sequence, TransactionWindow.PRESUMED_OPEN) : 0;
      assertEquals(state, window.state(sequence));
      if (state == TransactionWindow.COMMITTED) {
        assertEquals(commits.get(sequence), window.commitSequence(sequence));
      }
      assertEquals(left.getOrDefault(sequence, 0L), uncleaned.get(sequence));
      assertEquals(left.size(), uncleaned.size());
      for (int counted = TransactionWindow.OPEN;
          counted <= TransactionWindow.COMMITTED;
          counted++) {
        int wanted = counted;
        if (random.nextInt(20) == 0) {
          assertEquals(
              states.values().stream().filter(s -> s == wanted).count(), window.count(counted));
        }
      }
      if (random.nextInt(200) == 0) {
        Map<Long, Long> shown = new HashMap<>();
        for (long shownSequence = window.low(); shownSequence < window.next(); shownSequence++) {
          shown.put(shownSequence, window.uncleanedCommit(shownSequence));
        }
        shown.values().removeIf(commit -> commit == 0);
        Map<Long, Long> wanted = new HashMap<>(commits);
        wanted.keySet().removeIf(s -> states.get(s) != TransactionWindow.COMMITTED);
        assertEquals(wanted, shown);
      }
    }
  }

  /** Steps of a few slots, between anything else: behind by no more than what is not done yet. */
  @Test
  void finishedAndSweptAreFoundInSteps() {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      UncleanedCommits uncleaned = new UncleanedCommits(2_000, 0);
      TransactionWindow window = new TransactionWindow(8 << random.nextInt(5), uncleaned);
      TreeMap<Long, Long> pending = new TreeMap<>(); // start to commit, 0 while open
      long swept = 0;
      long finished = 1;
      for (int i = 0; i < 2_000; i++) {
        int kind = random.nextInt(100);
        if (kind < 40) {
          pending.put(window.issue(TransactionWindow.OPEN), 0L);
        } else if (kind < 80 && window.low() < window.next()) {
          long start = window.low() + random.nextInt((int) (window.next() - window.low()));
          Long commit = pending.get(start);
          if (commit != null && commit == 0) {
            long at = window.next();
            window.setCommitted(start, at, false);
            window.issue(TransactionWindow.NO_TRANSACTION);
            pending.put(start, at);
          } else if (commit != null) {
            window.setState(start, TransactionWindow.COMMITTED_CLEAN);
            pending.remove(start);
          }
        } else if (kind < 82) {
          swept = Math.max(swept, window.next() - random.nextInt(20));
          window.sweep(swept);
        }
        long low = window.low();
        long below = swept;
        pending.entrySet().removeIf(t -> t.getValue() == 0 && t.getKey() < low);
        pending.values().removeIf(commit -> commit != 0 && commit < below);
        if (i % 50 == 0) {
          Map<Long, Long> left = UncleanedCommitsTest.entries(uncleaned);
          left.values().removeIf(commit -> commit < below);
          Map<Long, Long> expected = new TreeMap<>(pending.headMap(low));
          assertEquals(expected, left, "seed " + seed);
        }
        long first = pending.isEmpty() ? window.next() : pending.ceilingKey(0L);
        long firstWithin =
            pending.ceilingKey(low) == null ? window.next() : pending.ceilingKey(low);
        long found = window.finished(1 + random.nextInt(6));
        assertTrue(found >= finished && found <= firstWithin, "seed " + seed);
        assertTrue(first <= firstWithin);
        finished = found;
        boolean done = window.sweepOn(1 + random.nextInt(6));
        long committed =
            pending.tailMap(low).values().stream().filter(commit -> commit != 0).count();
        if (done) {
          assertEquals(committed, window.count(TransactionWindow.COMMITTED), "seed " + seed);
        } else {
          assertTrue(committed <= window.count(TransactionWindow.COMMITTED), "seed " + seed);
        }
      }
      long last =
          pending.ceilingKey(window.low()) == null
              ? window.next()
              : pending.ceilingKey(window.low());
      assertEquals(last, window.finished(1 << 20));
    }
  }

  @Test
  void refusesCapacitiesThatAreNoPowersOfTwo() {
    UncleanedCommits table = new UncleanedCommits(1, 0);
    for (int capacity : new int[] {0, 4, 12, 1 << 29, -8}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new TransactionWindow(capacity, table),
          () -> "capacity " + capacity);
    }
  }
}
