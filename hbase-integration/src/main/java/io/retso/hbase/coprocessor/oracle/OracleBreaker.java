package io.retso.hbase.coprocessor.oracle;

import io.retso.client.OracleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps the handlers of a region server from waiting for an oracle that does not answer: each
 * question takes its whole time-out then, and requests with many rows ask many. When a question has
 * failed, and until any answer comes, others fail at once, but for one at a time that tries again.
 *
 * <pre>
 *                  a question finds no oracle
 *   all may ask  ------------------------------>  one may ask, half a second after the last failed
 *                <------------------------------
 *                          any answer
 * </pre>
 *
 * <p>Safe: a question that fails here is one that was not asked, as if the oracle had not answered
 * it; an answer never comes from here. Live: the one that may ask is the next to come, and it may
 * come after its predecessor's time-out even if that is never heard of again.
 *
 * <p>Thread-safe.
 */
final class OracleBreaker {
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * A question that is asked.
   *
   * @param answers how many answers had come before
   */
  private record Ticket(long answers, boolean isProbe) {}

  private final long timeoutNanos;
  private final LongSupplier nanoClock;
  private long answers;
  private long nextProbeNanos;

  /** Why no oracle was found; null while it answers. */
  private OracleException failure;

  /** One for questions that take at most {@code timeoutNanos}. */
  OracleBreaker(long timeoutNanos, LongSupplier nanoClock) {
    this.timeoutNanos = timeoutNanos;
    this.nanoClock = nanoClock;
  }

  /** Asks always, as no thread waits for the answer. */
  <T> CompletableFuture<T> background(Supplier<CompletableFuture<T>> question) {
    return watched(new Ticket(answers(), false), question.get());
  }

  /**
   * Asks, for a handler that waits. If the oracle does not answer, and it is not this one's turn to
   * try again, the oracle is not asked, and the future has failed as the last question did.
   */
  <T> CompletableFuture<T> waiting(Supplier<CompletableFuture<T>> question) {
    Ticket ticket;
    synchronized (this) {
      long now = nanoClock.getAsLong();
      if (failure != null && now - nextProbeNanos < 0) {
        return CompletableFuture.failedFuture(failure);
      }
      ticket = new Ticket(answers, failure != null);
      if (ticket.isProbe) {
        nextProbeNanos = now + timeoutNanos + PAUSE_NANOS;
      }
    }
    return watched(ticket, question.get());
  }

  /**
   * For a handler that would wait for an answer which another handler has asked for. If it is not
   * there and the oracle does not answer, the future has failed as the last question did.
   */
  synchronized <T> CompletableFuture<T> joining(CompletableFuture<T> asked) {
    return asked.isDone() || failure == null ? asked : CompletableFuture.failedFuture(failure);
  }

  private synchronized long answers() {
    return answers;
  }

  /** The answer, which has been taken note of when it is there. */
  private <T> CompletableFuture<T> watched(Ticket ticket, CompletableFuture<T> answer) {
    return answer.whenComplete(
        (value, failed) ->
            ended(ticket, failed instanceof CompletionException ? failed.getCause() : failed));
  }

  private synchronized void ended(Ticket ticket, Throwable failed) {
    OracleException cause = failed instanceof OracleException oracle ? oracle : null;
    if (failed == null
        || cause != null && cause.category() == OracleException.Category.INVALID_REQUEST) {
      answers++;
      failure = null;
    } else if (ticket.answers == answers) { // otherwise there was an answer since it was asked
      if (ticket.isProbe || failure == null) {
        nextProbeNanos = nanoClock.getAsLong() + PAUSE_NANOS;
      }
      if (cause != null && isNoAnswer(cause)) {
        failure = cause;
      }
    }
  }

  private static boolean isNoAnswer(OracleException failed) {
    return failed.category() == OracleException.Category.UNAVAILABLE
        || failed.category() == OracleException.Category.TIMEOUT;
  }
}
