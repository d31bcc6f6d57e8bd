package io.retso.workload.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The check beside the definition: all serial orders of small random histories are tried. */
class SerialOrdersTest {
  private static final int HISTORIES = 20_000;
  private static final int TRANSACTIONS_MAX = 5;
  private static final int ROWS = 3;
  private static final long SEED = 7;

  @Test
  void whatNoOrderExplainsHasACycleAndTheReverse() {
    SplittableRandom random = new SplittableRandom(SEED);
    int serializable = 0;
    for (int i = 0; i < HISTORIES; i++) {
      List<Recorded> history = history(random);
      boolean expected = isExplained(history, new ArrayList<>(), new HashMap<>());
      SerialCheck.Verdict verdict = SerialCheck.check(new History(history, 0));
      assertEquals(expected, verdict.isSerializable(), "seed " + SEED + ": " + history);
      serializable += expected ? 1 : 0;
    }
    assertTrue(serializable > HISTORIES / 10 && serializable < HISTORIES * 9 / 10);
  }

  /** Each reads some rows, in any version that an earlier one wrote, and writes some of these. */
  private static List<Recorded> history(SplittableRandom random) {
    List<Recorded> history = new ArrayList<>();
    Map<Integer, List<Long>> versions = new HashMap<>();
    int count = 2 + random.nextInt(TRANSACTIONS_MAX - 1);
    for (long number = 1; number <= count; number++) {
      Map<Integer, Long> reads = new HashMap<>();
      List<Integer> writes = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        List<Long> written = versions.computeIfAbsent(row, r -> new ArrayList<>(List.of(0L)));
        if (random.nextBoolean()) {
          boolean isNewest = random.nextInt(3) > 0;
          reads.put(
              row, written.get(isNewest ? written.size() - 1 : random.nextInt(written.size())));
          if (random.nextBoolean()) {
            writes.add(row);
          }
        }
      }
      for (int row : writes) {
        versions.get(row).add(number);
      }
      int[] rows = writes.stream().mapToInt(Integer::intValue).toArray();
      history.add(new Recorded(number, "T", number, true, reads, rows));
    }
    return history;
  }

  /** Whether the others can follow those that ran, so that each reads what is there. */
  private static boolean isExplained(
      List<Recorded> all, List<Recorded> ran, Map<Integer, Long> state) {
    if (ran.size() == all.size()) {
      return true;
    }
    for (Recorded next : all) {
      boolean fits =
          !ran.contains(next)
              && next.reads().entrySet().stream()
                  .allMatch(read -> read.getValue().equals(state.getOrDefault(read.getKey(), 0L)));
      if (fits) {
        Map<Integer, Long> after = new HashMap<>(state);
        for (int row : next.writes()) {
          after.put(row, next.number());
        }
        ran.add(next);
        boolean explained = isExplained(all, ran, after);
        ran.remove(ran.size() - 1);
        if (explained) {
          return true;
        }
      }
    }
    return false;
  }
}
