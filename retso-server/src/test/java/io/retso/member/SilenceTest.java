package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Time is what the test says. */
class SilenceTest {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);

  private final Silence silence = new Silence();
  private long now = 12_345;

  /** Time until the leader is taken for gone. */
  private long untilTooLong(long tick, boolean answers) {
    return untilTooLong(tick, answers, true);
  }

  private long untilTooLong(long tick, boolean answers, boolean hasAppended) {
    silence.tick(now, true, true);
    long begin = now;
    while (!silence.isTooLong(hasAppended)) {
      now += tick;
      silence.tick(now, false, answers);
    }
    return now - begin;
  }

  @Test
  void whoIsNotHeardAtAllIsGoneSoonerThanOneThatAnswers() {
    assertEquals(Silence.NANOS + TICK, untilTooLong(TICK, false));
    assertEquals(Silence.NANOS_OF_LOG + TICK, untilTooLong(TICK, true));
  }

  @Test
  void oneThatIsStillTakingOverGetsMoreTimeIfItAnswers() {
    assertEquals(Silence.NANOS + TICK, untilTooLong(TICK, false, false));
    assertEquals(Silence.NANOS_OF_TAKE_OVER + TICK, untilTooLong(TICK, true, false));
  }

  @Test
  void aLogThatGoesOnIsEnough() {
    for (int i = 0; i < 1_000; i++) {
      now += TICK;
      silence.tick(now, true, false);
      assertFalse(silence.isTooLong(true));
    }
  }

  @Test
  void anAnswerDoesNotHelpALogThatIsSilentForLong() {
    untilTooLong(TICK, true);
    silence.tick(now, false, true);
    assertTrue(silence.isTooLong(true));
    silence.tick(now, true, false);
    assertFalse(silence.isTooLong(true));
  }

  /** It hears others late, too; but a leader that hangs is noticed in any case. */
  @Test
  void whoIsLateItselfWaitsLonger() {
    for (long tick : new long[] {2 * Silence.LATE_NANOS, Silence.STOOD_STILL_NANOS}) {
      long waited = untilTooLong(tick, false);
      assertTrue(waited >= 2 * Silence.NANOS, waited + " ns");
      assertTrue(waited <= 2 * Silence.NANOS + tick, waited + " ns");
    }
    assertEquals(Silence.NANOS, untilTooLong(Silence.LATE_NANOS, false), Silence.LATE_NANOS);
  }

  @Test
  void aProcessThatStoodStillBeginsAnew() {
    untilTooLong(TICK, false);
    now += Silence.STOOD_STILL_NANOS + 1;
    silence.tick(now, false, false);
    assertFalse(silence.isTooLong(true));
    assertEquals(Silence.NANOS + TICK, untilTooLong(TICK, false));
  }

  @Test
  void anotherLeaderIsExpectedToBeHeardFromNowOn() {
    untilTooLong(TICK, false);
    silence.begin();
    assertFalse(silence.isTooLong(true));
  }
}
