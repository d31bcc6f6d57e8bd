package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OracleBreakerTest {
  private static final long TIMEOUT = 5_000_000_000L;
  private static final long PAUSE = OracleBreaker.PAUSE_NANOS;

  private final AtomicLong clock = new AtomicLong(-TIMEOUT);
  private final OracleBreaker breaker = new OracleBreaker(TIMEOUT, clock::get);

  /** The oracle's side of a question. */
  private CompletableFuture<String> asked;

  private CompletableFuture<String> atOracle() {
    asked = new CompletableFuture<>();
    return asked;
  }

  /** Asks for a handler that waits; it must not be turned away. */
  private CompletableFuture<String> ask() {
    asked = null;
    assertFalse(breaker.waiting(this::atOracle).isDone());
    return asked;
  }

  /** The failure with which a handler that waits is turned away. */
  private Throwable turnedAway() {
    asked = null;
    CompletableFuture<String> refused = breaker.waiting(this::atOracle);
    assertEquals(null, asked, "nobody is asked");
    return assertThrows(CompletionException.class, refused::join).getCause();
  }

  private void assertAllMayAsk() {
    ask();
    ask();
  }

  /** The one that tries again. */
  private CompletableFuture<String> probe() {
    CompletableFuture<String> probe = ask();
    turnedAway();
    return probe;
  }

  private static OracleException fail(CompletableFuture<String> question, Category category) {
    OracleException failure = new OracleException(category, "a test wants it", null);
    question.completeExceptionally(failure);
    return failure;
  }

  @Test
  void allMayAskWhileAnswersCome() {
    CompletableFuture<String> one = ask();
    CompletableFuture<String> two = ask();
    one.complete("answer");
    fail(two, Category.INVALID_REQUEST); // an answer, too
    fail(ask(), Category.OVERLOADED); // says nothing of the oracle
    assertAllMayAsk();
  }

  @Test
  void afterAFailureOneAtATimeMayAskUntilAnAnswerComes() {
    for (Category category : new Category[] {Category.UNAVAILABLE, Category.TIMEOUT}) {
      OracleException failure = fail(ask(), category);
      assertSame(failure, turnedAway());
      clock.addAndGet(PAUSE - 1);
      turnedAway();
      clock.incrementAndGet();
      CompletableFuture<String> probe = probe();
      clock.addAndGet(TIMEOUT);
      fail(probe, category);
      turnedAway();
      clock.addAndGet(PAUSE);
      probe().complete("answer");
      assertAllMayAsk();
    }
  }

  @Test
  void anAnswerToAnyQuestionWillDo() {
    CompletableFuture<String> old = ask();
    fail(ask(), Category.TIMEOUT);
    old.complete("answer");
    assertAllMayAsk();
    fail(ask(), Category.TIMEOUT);
    breaker.background(this::atOracle); // this one is not waited for
    asked.complete("answer");
    assertAllMayAsk();
  }

  @Test
  void whatDependsOnAnAnswerFindsItNoted() {
    fail(ask(), Category.TIMEOUT);
    CompletableFuture<Void> next =
        breaker.background(this::atOracle).thenAccept(answer -> assertAllMayAsk());
    CompletableFuture<String> question = asked;
    question.complete("answer");
    next.join();
  }

  @Test
  void failuresOfOldQuestionsCountOnce() {
    CompletableFuture<String> first = ask();
    CompletableFuture<String> second = ask();
    CompletableFuture<String> third = ask();
    fail(first, Category.TIMEOUT);
    clock.addAndGet(PAUSE - 1);
    fail(second, Category.TIMEOUT);
    clock.incrementAndGet();
    CompletableFuture<String> probe = probe(); // not later for the second
    clock.addAndGet(PAUSE);
    turnedAway(); // not two at a time
    probe.complete("answer");
    fail(third, Category.TIMEOUT); // it was asked before an answer came
    assertAllMayAsk();
  }

  @Test
  void oneThatIsNeverHeardOfAgainDoesNotKeepOthersForEver() {
    fail(ask(), Category.TIMEOUT);
    clock.addAndGet(PAUSE);
    probe();
    clock.addAndGet(TIMEOUT + PAUSE);
    probe().complete("answer");
    assertAllMayAsk();
  }

  @Test
  void oneThatFailsForAnotherReasonLetsTheNextTry() {
    fail(ask(), Category.TIMEOUT);
    clock.addAndGet(PAUSE);
    fail(probe(), Category.OVERLOADED);
    turnedAway();
    clock.addAndGet(PAUSE);
    probe();
  }

  /** One handler waits for a hung oracle, and not everybody who comes meanwhile. */
  @Test
  void nobodyJoinsAQuestionWhileTheOracleDoesNotAnswer() {
    CompletableFuture<String> question = new CompletableFuture<>();
    assertSame(question, breaker.joining(question));
    OracleException failure = fail(ask(), Category.TIMEOUT);
    CompletableFuture<String> refused = breaker.joining(question);
    assertSame(failure, assertThrows(CompletionException.class, refused::join).getCause());
    question.complete("answer");
    assertTrue(breaker.joining(question).isDone());
    assertEquals("answer", breaker.joining(question).join());
  }
}
