package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HealthTest {
  private final Health health = new Health();
  private final Figures figures = new Figures();

  private Health.Verdict verdict() {
    return health.judge(figures, 0);
  }

  @Test
  void aServerThatStartsDoesNotServe() {
    assertFalse(verdict().serving());
    assertEquals("starting", verdict().status());
    health.serving();
    assertTrue(verdict().serving());
  }

  @Test
  void aLogThatDoesNotAcknowledgeIsNotHealthyUntilItDoes() {
    health.serving();
    figures.oldestOutstandingNanos = 6_000_000_000L;
    assertFalse(verdict().serving());
    assertTrue(verdict().reason().contains("6 s"), verdict().reason());
    figures.oldestOutstandingNanos = 0;
    assertTrue(verdict().serving());
  }

  @Test
  void aLogThatStallsIsNotHealthyUntilItGoesOn() {
    health.serving();
    figures.sequencer.stalledBy = "too few bookies";
    assertFalse(verdict().serving());
    assertEquals("stalled", verdict().status());
    assertTrue(verdict().reason().startsWith("too few bookies; "), verdict().reason());
    figures.sequencer.stalledBy = "";
    assertTrue(verdict().serving());
  }

  @Test
  void timestampsFarBehindTheClockAreAWarning() {
    health.serving();
    figures.clockLagMillis = 61_000;
    assertTrue(verdict().serving());
    assertTrue(verdict().reason().contains("61 s behind the clock"), verdict().reason());
  }

  @Test
  void aFailureStaysTheReasonDuringShutdown() {
    health.serving();
    health.failed("the log failed");
    health.stopping();
    assertEquals("failed", verdict().status());
    assertEquals("the log failed", verdict().reason());
  }

  @Test
  void aShutdownIsNotHealthy() {
    health.serving();
    health.stopping();
    assertEquals("stopping", verdict().status());
  }
}
