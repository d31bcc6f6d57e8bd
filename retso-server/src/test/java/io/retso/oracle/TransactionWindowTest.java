package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransactionWindowTest {
  private static final int[] STATES = {
    TransactionWindow.COMMITTED_CLEAN,
    TransactionWindow.ABORTED_CLEAN,
    TransactionWindow.OPEN,
    TransactionWindow.HALF_ABORTED,
    TransactionWindow.COMMITTED
  };

  /** Against maps that hold everything and are told what left. */
  @Test
  void rememberWhatIsWithinAndLeavesCommitsToTheTable() {
    for (int seed = 0; seed < 40; seed++) {
      new Comparison(seed).run(20_000);
    }
  }

  private static final class Comparison {
    final Random random;
    final int capacity;
    final UncleanedCommits uncleaned = new UncleanedCommits(1_000_000);
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
          int state = kind < 200 ? TransactionWindow.OPEN : TransactionWindow.COMMIT_STAMP;
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
        window.forEachUncleaned(shown::put);
        Map<Long, Long> wanted = new HashMap<>(commits);
        wanted.keySet().removeIf(s -> states.get(s) != TransactionWindow.COMMITTED);
        assertEquals(wanted, shown);
      }
    }
  }

  @Test
  void refusesCapacitiesThatAreNoPowersOfTwo() {
    UncleanedCommits table = new UncleanedCommits(1);
    for (int capacity : new int[] {0, 4, 12, 1 << 29, -8}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new TransactionWindow(capacity, table),
          () -> "capacity " + capacity);
    }
  }
}
