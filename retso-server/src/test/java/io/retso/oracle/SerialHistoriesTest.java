package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.SerialHistories.History;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Serializable transactions: what the oracle accepts has no cycle of dependencies. */
class SerialHistoriesTest {
  private static final long SEED = 4;

  private static boolean isStrict(Rule rule) {
    return rule == Rule.INTERVALS;
  }

  @ParameterizedTest
  @EnumSource
  void everyHistoryOfThreeTransactionsAndThreeRows(Rule rule) {
    SerialHistories all = new SerialHistories(rule.rule, 1_000, 0);
    List<int[]> orders = orders(3);
    for (int sets = 0; sets < 1 << 18; sets++) {
      int[] reads = {sets & 7, sets >> 6 & 7, sets >> 12 & 7};
      int[] writes = {sets >> 3 & 7, sets >> 9 & 7, sets >> 15 & 7};
      if ((sets & 63) == 0 || (sets >> 6 & 63) == 0 || sets >> 12 == 0) {
        continue; // one that does nothing
      }
      for (int[] order : orders) {
        History h = History.plain(order, reads, writes);
        assertTrue(all.run(h, 1, isStrict(rule)), () -> describe(h));
      }
    }
    System.out.println(rule + ": " + all);
  }

  @ParameterizedTest
  @EnumSource
  void manyHistoriesOfFourTransactions(Rule rule) {
    for (int granules : new int[] {0, 1, 5}) {
      for (boolean mixed : new boolean[] {false, true}) {
        for (int filler : new int[] {0, 2}) {
          for (boolean safe : new boolean[] {false, true}) {
            for (boolean restarts : new boolean[] {false, true}) {
              SerialHistories all = new SerialHistories(rule.rule, 15, filler);
              Random random = new Random(SEED);
              for (int i = 0; i < 5_000; i++) {
                History h = SerialHistories.random(random, 4, 3, granules, mixed, safe, restarts);
                assertTrue(all.run(h, 1, isStrict(rule)), () -> describe(h));
              }
              System.out.printf(
                  "%s granules %d mixed %b filler %d safe %b restarts %b: %s%n",
                  rule, granules, mixed, filler, safe, restarts, all);
            }
          }
        }
      }
    }
  }

  /** The safe retry of PostgreSQL's paper, 5.4: the same reasons do not refuse it again. */
  @ParameterizedTest
  @EnumSource
  void whoIsRefusedCommitsIfItRunsAgainAtOnce(Rule rule) {
    for (int filler : new int[] {0, 2}) {
      SerialHistories all = new SerialHistories(rule.rule, 15, filler, true);
      Random random = new Random(SEED);
      for (int i = 0; i < 20_000; i++) {
        int granules = random.nextInt(8) & random.nextInt(8);
        History h = SerialHistories.random(random, 4, 3, granules, true, true, true);
        assertTrue(all.run(h, 1, isStrict(rule)), () -> describe(h));
      }
      assertTrue(all.refused > 1_000, all::toString);
      System.out.println(rule + ", again: " + all);
    }
  }

  private static String describe(History h) {
    return Arrays.toString(h.events())
        + " reads "
        + Arrays.toString(h.reads())
        + " writes "
        + Arrays.toString(h.writes())
        + " locks "
        + Arrays.toString(h.locks())
        + " validated "
        + Arrays.toString(h.validated())
        + (h.together() ? " together " : " ")
        + Arrays.toString(h.kinds())
        + " granules "
        + h.granules()
        + " restart "
        + h.restart();
  }

  /**
   * All orders of begins and commits, in which transactions begin in the order of their numbers.
   */
  private static List<int[]> orders(int n) {
    List<int[]> all = new ArrayList<>();
    order(new int[2 * n], 0, 0, 0, n, all);
    return all;
  }

  private static void order(int[] events, int at, int begun, int open, int n, List<int[]> all) {
    if (at == events.length) {
      all.add(events.clone());
      return;
    }
    if (begun < n) {
      events[at] = begun << 1;
      order(events, at + 1, begun + 1, open | 1 << begun, n, all);
    }
    for (int t = 0; t < n; t++) {
      if ((open >> t & 1) == 1) {
        events[at] = t << 1 | 1;
        order(events, at + 1, begun, open & ~(1 << t), n, all);
      }
    }
  }
}
