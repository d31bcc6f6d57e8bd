package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.hbase.coprocessor.oracle.OracleBreaker.Ticket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OracleBreakerTest {
  private static final long TIMEOUT = 5_000_000_000L;
  private static final long PAUSE = OracleBreaker.PAUSE_NANOS;

  private final AtomicLong clock = new AtomicLong(-TIMEOUT);
  private final OracleBreaker breaker = new OracleBreaker(TIMEOUT, clock::get);

  private static OracleException failure(Category category) {
    return new OracleException(category, "a test wants it", null);
  }

  private OracleException fail(Ticket question, Category category) {
    OracleException failure = failure(category);
    breaker.watched(question, CompletableFuture.failedFuture(failure));
    return failure;
  }

  private void answer(Ticket question) {
    breaker.watched(question, CompletableFuture.completedFuture("answer"));
  }

  private void assertTurnedAway() {
    assertThrows(OracleException.class, breaker::enterOrFail);
  }

  private Ticket probe() {
    Ticket probe = breaker.enterOrFail();
    assertTrue(probe.isProbe());
    assertTurnedAway();
    return probe;
  }

  @Test
  void allMayAskWhileAnswersCome() {
    Ticket one = breaker.enterOrFail();
    Ticket two = breaker.enterOrFail();
    answer(one);
    fail(two, Category.INVALID_REQUEST); // an answer, too
    fail(breaker.enterOrFail(), Category.OVERLOADED); // says nothing of the oracle
    assertFalse(breaker.enterOrFail().isProbe());
  }

  @Test
  void afterAFailureOneAtATimeMayAskUntilAnAnswerComes() {
    for (Category category : new Category[] {Category.UNAVAILABLE, Category.TIMEOUT}) {
      OracleException failure = fail(breaker.enterOrFail(), category);
      assertSame(failure, assertThrows(OracleException.class, breaker::enterOrFail));
      clock.addAndGet(PAUSE - 1);
      assertTurnedAway();
      clock.incrementAndGet();
      Ticket probe = probe();
      clock.addAndGet(TIMEOUT);
      fail(probe, category);
      assertTurnedAway();
      clock.addAndGet(PAUSE);
      answer(probe());
      assertFalse(breaker.enterOrFail().isProbe());
    }
  }

  @Test
  void anAnswerToAnyQuestionWillDo() {
    Ticket old = breaker.enterOrFail();
    fail(breaker.enterOrFail(), Category.TIMEOUT);
    answer(old);
    assertFalse(breaker.enterOrFail().isProbe());
    fail(breaker.enterOrFail(), Category.TIMEOUT);
    answer(breaker.enter()); // nobody waits for this one
    assertFalse(breaker.enterOrFail().isProbe());
  }

  @Test
  void failuresOfOldQuestionsCountOnce() {
    Ticket first = breaker.enterOrFail();
    Ticket second = breaker.enterOrFail();
    Ticket third = breaker.enterOrFail();
    fail(first, Category.TIMEOUT);
    clock.addAndGet(PAUSE - 1);
    fail(second, Category.TIMEOUT);
    clock.incrementAndGet();
    Ticket probe = probe(); // not later for the second
    clock.addAndGet(PAUSE);
    assertTurnedAway(); // not two at a time
    answer(probe);
    fail(third, Category.TIMEOUT); // it was asked before an answer came
    assertFalse(breaker.enterOrFail().isProbe());
  }

  @Test
  void oneThatIsNeverHeardOfAgainDoesNotKeepOthersForEver() {
    fail(breaker.enterOrFail(), Category.TIMEOUT);
    clock.addAndGet(PAUSE);
    probe();
    clock.addAndGet(TIMEOUT + PAUSE);
    answer(probe());
    assertFalse(breaker.enterOrFail().isProbe());
  }

  @Test
  void oneThatFailsForAnotherReasonLetsTheNextTry() {
    fail(breaker.enterOrFail(), Category.TIMEOUT);
    clock.addAndGet(PAUSE);
    fail(probe(), Category.OVERLOADED);
    assertTurnedAway();
    clock.addAndGet(PAUSE);
    probe();
  }
}
