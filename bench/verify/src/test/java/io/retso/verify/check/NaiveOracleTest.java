package io.retso.verify.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.History;
import io.retso.verify.history.Transaction;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The checker beside the definition, on tiny random histories. -Dretso.verify.seed and
 * -Dretso.verify.histories repeat a failure and make it longer.
 */
class NaiveOracleTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 20_140_501);
  private static final int HISTORIES = Integer.getInteger("retso.verify.histories", 4_000);

  private static String show(History history) {
    return history.transactions().stream()
        .map(Transaction::toString)
        .collect(Collectors.joining("\n"));
  }

  @ParameterizedTest
  @EnumSource(Model.class)
  void theSameAnswersIfAllKeysAreReadAtTheEnd(Model model) {
    int consistent = 0;
    for (int i = 0; i < HISTORIES; i++) {
      long seed = SEED + i;
      History history = SmallHistories.make(new Random(seed), true);
      Verdict verdict = Checker.check(history, model);
      boolean expected = NaiveOracle.explains(history, model);
      assertEquals(
          expected,
          verdict.isConsistent(),
          () -> "seed " + seed + "\n" + show(history) + "\n" + verdict.anomalies());
      assertTrue(verdict.withoutLastRead().isEmpty());
      consistent += expected ? 1 : 0;
    }
    assertTrue(consistent > HISTORIES / 5, "too few are consistent: " + consistent);
    assertTrue(consistent < HISTORIES * 4 / 5, "too few are not: " + consistent);
  }

  @ParameterizedTest
  @EnumSource(Model.class)
  void noFalseAlarmsOtherwise(Model model) {
    int missed = 0;
    int caught = 0;
    for (int i = 0; i < HISTORIES; i++) {
      long seed = SEED + i;
      History history = SmallHistories.make(new Random(seed), false);
      Verdict verdict = Checker.check(history, model);
      boolean expected = NaiveOracle.explains(history, model);
      if (expected) {
        assertTrue(
            verdict.isConsistent(),
            () -> "seed " + seed + "\n" + show(history) + "\n" + verdict.anomalies());
      } else if (verdict.isConsistent()) {
        missed++;
        assertFalse(verdict.withoutLastRead().isEmpty(), () -> "seed " + seed + show(history));
      } else {
        caught++;
      }
    }
    assertTrue(caught > 5 * missed, caught + " caught, " + missed + " missed");
  }

  @Test
  void theSameHistoryGetsTheSameVerdict() {
    for (int i = 0; i < 200; i++) {
      History first = SmallHistories.make(new Random(SEED + i), true);
      History second = SmallHistories.make(new Random(SEED + i), true);
      assertEquals(
          Checker.check(first, Model.STRONG_SNAPSHOT_ISOLATION),
          Checker.check(second, Model.STRONG_SNAPSHOT_ISOLATION));
    }
  }
}
