package io.retso.oracle.rows;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RecordedSinceTest {
  private static final int AWAKE = 1000;

  private final RecordedSince recorded = new RecordedSince(AWAKE);

  @Test
  void nothingIsKnownOfWhatWasWrittenWhileItSlept() {
    assertFalse(recorded.isAwake(1));
    recorded.wake(10);
    assertFalse(recorded.knows(9, 11));
    assertTrue(recorded.knows(10, 11));
    assertTrue(recorded.isAwake(9 + AWAKE));
    assertFalse(recorded.isAwake(10 + AWAKE));
    assertFalse(recorded.knows(10, 10 + AWAKE));
    recorded.wake(10 + AWAKE);
    assertFalse(recorded.knows(9 + AWAKE, 11 + AWAKE));
  }

  @Test
  void certificationsKeepItAwake() {
    recorded.wake(10);
    recorded.wake(9 + AWAKE);
    assertTrue(recorded.knows(10, 8 + 2 * AWAKE));
  }

  @Test
  void whenItIsClearedItSleeps() {
    recorded.wake(10);
    recorded.clear(20);
    assertFalse(recorded.isAwake(20));
    assertFalse(recorded.knows(20, 21));
  }
}
