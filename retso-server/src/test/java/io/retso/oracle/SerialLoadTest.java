package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many serializable transactions are refused without need; that none is accepted wrongly. */
class SerialLoadTest {
  private static final int ATTEMPTS = 20_000;

  @ParameterizedTest
  @EnumSource
  void hardlyAnyTransactionOfSmallBankIsRefusedWithoutNeed(Rule rule) {
    for (boolean safeReaders : new boolean[] {false, true}) {
      for (int[] shape : new int[][] {{10, 20}, {100, 20}, {100, 100}}) {
        SerialLoad load = new SerialLoad(rule.rule, safeReaders);
        load.run(SerialLoad.smallBank(shape[0]), shape[1], ATTEMPTS, 7);
        System.out.printf(
            "%s SmallBank hot %d, %d clients, safe readers %b: %s%n",
            rule, shape[0], shape[1], safeReaders, load);
        assertTrue(load.needless <= ATTEMPTS / 1000, () -> rule + ": " + load);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyDependencies(Rule rule) {
    for (double readOnly : new double[] {0.2, 0.5}) {
      SerialLoad load = new SerialLoad(rule.rule, false);
      load.run(SerialLoad.rows(1000, 16, 2, readOnly), 50, ATTEMPTS / 2, 7);
      System.out.printf("%s rows r16 w2, read-only %.1f: %s%n", rule, readOnly, load);
    }
  }

  /**
   * Stripes are shared: beside a client that reads 100,000 other rows in each commit, whoever finds
   * changed what it has read is taken for a pivot more and more often. The others are not refused.
   */
  @Test
  void besideAClientThatReadsMuch() {
    for (double greedy : new double[] {0, 0.1, 1, 10}) {
      SerialLoad bank = new SerialLoad(Rule.INTERVALS.rule, true, greedy);
      bank.run(SerialLoad.smallBank(10), 20, attempts(ATTEMPTS, greedy), 7);
      SerialLoad rows = new SerialLoad(Rule.INTERVALS.rule, false, greedy);
      rows.run(SerialLoad.rows(1000, 16, 2, 0.2), 50, attempts(ATTEMPTS / 2, greedy), 7);
      System.out.printf(
          "%.1f large commits (%.1f ms) in a transaction's time%n  SmallBank: %s%n  rows: %s%n",
          greedy, bank.greedyMillis(), bank, rows);
      assertTrue(bank.needless <= bank.attempts / (greedy > 1 ? 20 : 100), bank::toString);
    }
  }

  /** Large commits take their time. */
  private static int attempts(int max, double greedy) {
    return (int) Math.min(max, 4_000 / greedy);
  }
}
