package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogLimitTest {
  private long nanos = Long.MAX_VALUE - 1; // it may wrap around
  private final LogLimit limit =
      new LogLimit(() -> nanos, LoggerFactory.getLogger(LogLimitTest.class));

  @Test
  void soManyLinesASecondAndTheOthersAreCounted() {
    for (int i = 0; i < LogLimit.LINES_PER_SECOND; i++) {
      assertTrue(limit.admits());
    }
    assertFalse(limit.admits());
    nanos += 999_999_999;
    assertFalse(limit.admits());
    assertEquals(2, limit.leftOut());
    nanos++;
    assertTrue(limit.admits());
    assertEquals(0, limit.leftOut());
  }
}
