package io.retso.chaos.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SuccessesTest {
  private static final long MILLI = 1_000_000;

  @Test
  void theLongestPauseOfAllClientsIsNotThatOfTheOneThatFaredWorst() {
    Successes successes = new Successes(2, 0);
    successes.reset(100 * MILLI);
    successes.add(0, 90 * MILLI, 110 * MILLI);
    successes.add(1, 100 * MILLI, 140 * MILLI);
    successes.add(0, 120 * MILLI, 190 * MILLI);
    successes.add(0, 195 * MILLI, 200 * MILLI);
    assertEquals(new Successes.Gaps(50 * MILLI, 80 * MILLI), successes.gaps());
    assertTrue(successes.allSince(139 * MILLI));
    assertFalse(successes.allSince(140 * MILLI));
    successes.reset(210 * MILLI);
    assertEquals(new Successes.Gaps(0, 0), successes.gaps());
  }

  @Test
  void stepsCountAnswersAndKeepTheSlowest() {
    Successes successes = new Successes(1, 1000 * MILLI);
    successes.add(0, 1000 * MILLI, 1010 * MILLI);
    successes.add(0, 1000 * MILLI, 1099 * MILLI);
    successes.add(0, 1000 * MILLI, 1500 * MILLI);
    Successes.Steps steps = successes.steps();
    assertArrayEquals(new int[] {2, 0, 0, 0, 0, 1}, steps.counts());
    assertArrayEquals(new float[] {99, 0, 0, 0, 0, 500}, steps.slowestMillis());
    successes.add(0, 0, 1_000_000 * MILLI);
    assertEquals(9991, successes.steps().counts().length);
  }
}
