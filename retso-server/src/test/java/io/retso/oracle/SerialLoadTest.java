package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How many serializable transactions are refused without need; that none is accepted wrongly. */
class SerialLoadTest {
  private static final int ATTEMPTS = 20_000;

  /** Both rules on the same transactions, in the mixes of the benchmark; all are certified. */
  @ParameterizedTest
  @CsvSource({"1000, 20", "1000, 60", "10, 20", "10, 60"})
  void hardlyAnyTransactionOfSmallBankIsRefusedWithoutNeed(int hot, int balances) {
    for (int clients : new int[] {5, 10, 20, 30}) {
      for (Rule rule : Rule.values()) {
        SerialLoad load = new SerialLoad(rule.rule, 0);
        load.run(SerialLoad.smallBank(hot, balances), clients, ATTEMPTS, 7);
        System.out.printf(
            "SmallBank hot %d, %d %% Bal, %d clients, %s: %s%n",
            hot, balances, clients, rule, load);
        assertTrue(load.needless <= ATTEMPTS / 1000, () -> rule + ": " + load);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void manyDependencies(Rule rule) {
    for (double readOnly : new double[] {0.2, 0.5}) {
      SerialLoad load = new SerialLoad(rule.rule, 0);
      load.run(SerialLoad.rows(1000, 16, 2, readOnly), 50, ATTEMPTS / 2, 7);
      System.out.printf("%s rows r16 w2, read-only %.1f: %s%n", rule, readOnly, load);
    }
  }

  /**
   * Each safe snapshot restricts the writers of its moment: the more of them come in a
   * transaction's time, the more pivots are refused without need. There are few pivots.
   */
  @Test
  void besideManySafeSnapshots() {
    for (int balances : new int[] {20, 60}) {
      for (double period : new double[] {10, 3, 1, 0.3, 0.1}) {
        SerialLoad load = new SerialLoad(Rule.INTERVALS.rule, period);
        load.run(SerialLoad.smallBank(10, balances), 20, ATTEMPTS, 7);
        System.out.printf(
            "SmallBank hot 10, %d %% Bal, safe snapshot in %.1f: %s%n", balances, period, load);
        assertTrue(load.needless <= ATTEMPTS / 80, load::toString);
      }
    }
  }

  /**
   * Stripes are shared: beside a client that reads 100,000 other rows in each commit, a transaction
   * that finds changed what it has read is taken for a pivot more and more often. The others are
   * not refused.
   */
  @Test
  void besideAClientThatReadsMuch() {
    for (double greedy : new double[] {0, 0.1, 1, 10}) {
      SerialLoad bank = new SerialLoad(Rule.INTERVALS.rule, 10, greedy);
      bank.run(SerialLoad.smallBank(10, 20), 20, attempts(ATTEMPTS, greedy), 7);
      SerialLoad rows = new SerialLoad(Rule.INTERVALS.rule, 0, greedy);
      rows.run(SerialLoad.rows(1000, 16, 2, 0.2), 50, attempts(ATTEMPTS / 2, greedy), 7);
      System.out.printf(
          "%.1f large commits (%.1f ms) in a transaction's time%n  SmallBank: %s%n  rows: %s%n",
          greedy, bank.greedyMillis(), bank, rows);
      assertTrue(bank.needless <= bank.attempts / (greedy > 1 ? 50 : 100), bank::toString);
    }
  }

  /** Large commits take their time. */
  private static int attempts(int max, double greedy) {
    return (int) Math.min(max, 10_000 / greedy);
  }
}
