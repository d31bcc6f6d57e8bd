package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time is what the test says. */
class SuspicionTest {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  private final Suspicion suspicion = new Suspicion();
  private long now = 12_345;

  private boolean isDue(int rank) {
    return suspicion.isDue(true, false, rank, now);
  }

  private void pass(long nanos) {
    for (long end = now + nanos; now < end; ) {
      now += TICK;
      suspicion.tick(now);
    }
  }

  /** Time until it is due. */
  private long untilDue(int rank) {
    long begin = now;
    while (!isDue(rank)) {
      pass(TICK);
    }
    return now - begin;
  }

  private void lead(long epoch, long nanos) {
    suspicion.attempted(now);
    suspicion.follows(epoch, now);
    pass(nanos);
    suspicion.heard(now);
  }

  @Test
  void theFirstOneTriesAtOnceAndTheNextOnesAfterIt() {
    suspicion.follows(1, now);
    for (int rank = 0; rank < 4; rank++) {
      assertFalse(suspicion.isDue(false, false, rank, now));
      assertEquals(rank * Suspicion.RANK_NANOS, untilDue(rank));
    }
  }

  @Test
  void aSuspicionThatPassesBeginsAnew() {
    suspicion.follows(1, now);
    assertFalse(isDue(1));
    pass(Suspicion.RANK_NANOS - TICK);
    assertFalse(suspicion.isDue(false, false, 1, now));
    assertEquals(Suspicion.RANK_NANOS, untilDue(1));
    assertFalse(isDue(2));
    pass(Suspicion.RANK_NANOS);
    suspicion.follows(2, now); // somebody took over: another leader, another suspicion
    assertEquals(2 * Suspicion.RANK_NANOS, untilDue(2));
  }

  @Test
  void attemptsAreTwoSecondsApart() {
    suspicion.follows(1, now);
    for (int i = 0; i < 5; i++) {
      assertTrue(isDue(0));
      suspicion.attempted(now);
      assertFalse(isDue(0));
      assertEquals(Suspicion.PAUSE_NANOS_MIN, untilDue(0));
    }
  }

  @Test
  void pausesDoubleWhileNobodyServesAndEndWhenSomebodyDoes() {
    lead(1, Suspicion.SERVICE_NANOS);
    long expected = Suspicion.PAUSE_NANOS_MIN;
    for (long epoch = 2; epoch < 10; epoch++) {
      suspicion.attempted(now);
      suspicion.follows(epoch, now);
      assertEquals(expected, untilDue(0), "epoch " + epoch);
      expected = Math.min(2 * expected, Suspicion.PAUSE_NANOS_MAX);
    }
    lead(10, Suspicion.SERVICE_NANOS - TICK);
    assertEquals(
        Suspicion.PAUSE_NANOS_MAX, untilDue(0) + Suspicion.SERVICE_NANOS - TICK, "not enough");
    lead(11, Suspicion.SERVICE_NANOS);
    assertEquals(Suspicion.PAUSE_NANOS_MIN, untilDue(0) + Suspicion.SERVICE_NANOS);
  }

  @Test
  void whoIsInvitedDoesNotWaitForItsLastAttempt() {
    lead(5, Suspicion.SERVICE_NANOS);
    suspicion.attempted(now);
    suspicion.follows(6, now); // it handed over
    assertTrue(suspicion.isDue(true, true, 0, now), "and is handed the log back");
    suspicion.attempted(now); // in vain: the log cannot be reached
    assertFalse(suspicion.isDue(true, true, 0, now));
    pass(Suspicion.PAUSE_NANOS_MIN);
    assertTrue(suspicion.isDue(true, true, 0, now));
  }

  /** Otherwise it would try again and again in an epoch of which it has not heard yet. */
  @Test
  void anAttemptThatCameTooLateMakesItPauseInThatEpochOnly() {
    lead(5, Suspicion.SERVICE_NANOS);
    pass(Suspicion.PAUSE_NANOS_MIN);
    assertTrue(isDue(0));
    suspicion.attempted(now);
    suspicion.cameTooLate();
    pass(TICK);
    assertFalse(isDue(0));
    suspicion.follows(6, now);
    assertTrue(isDue(0), "that of the faster one failed, too");
    suspicion.attempted(now);
    suspicion.follows(7, now); // this one was in the catalog
    assertFalse(isDue(0));
  }

  @Test
  void whoHandedOverLeavesThatEpochToOthers() {
    lead(5, Suspicion.SERVICE_NANOS);
    pass(Suspicion.PAUSE_NANOS_MIN);
    suspicion.holdOff(now, 3 * Suspicion.SERVICE_NANOS);
    suspicion.follows(5, now); // it reads the catalog again
    assertEquals(3 * Suspicion.SERVICE_NANOS, untilDue(0), "nobody wanted it");
    suspicion.holdOff(now, 3 * Suspicion.SERVICE_NANOS);
    assertFalse(isDue(0));
    suspicion.follows(6, now);
    assertTrue(isDue(0), "the next leader died");
  }

  @Test
  void aProcessThatStoodStillSuspectsAnew() {
    suspicion.follows(1, now);
    pass(TICK);
    assertFalse(isDue(1));
    now += Silence.STOOD_STILL_NANOS + 1;
    suspicion.tick(now);
    assertEquals(Suspicion.RANK_NANOS, untilDue(1));
  }
}
