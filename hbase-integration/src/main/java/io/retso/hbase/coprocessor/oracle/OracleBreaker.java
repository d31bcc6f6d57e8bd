package io.retso.hbase.coprocessor.oracle;

import io.retso.client.OracleException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

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
 * <p>Safe: a question that fails here is one that nobody was asked, as if the oracle had not
 * answered it; an answer never comes from here. Live: the one that may ask is the next to come, and
 * it may come after its predecessor's time-out even if that is never heard of again.
 *
 * <p>Thread-safe.
 */
final class OracleBreaker {
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * A question that may be asked.
   *
   * @param answers how many answers had come before
   */
  record Ticket(long answers, boolean isProbe) {}

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

  /** For a question that no handler waits for: always asked. */
  synchronized Ticket enter() {
    return new Ticket(answers, false);
  }

  /**
   * For a question that a handler waits for.
   *
   * @throws OracleException the failure of an earlier one, if this one is not to be asked
   */
  synchronized Ticket enterOrFail() {
    if (failure == null) {
      return new Ticket(answers, false);
    }
    long now = nanoClock.getAsLong();
    if (now - nextProbeNanos < 0) {
      throw failure;
    }
    nextProbeNanos = now + timeoutNanos + PAUSE_NANOS;
    return new Ticket(answers, true);
  }

  /**
   * For one that was asked already: whoever comes later does not wait with it.
   *
   * @throws OracleException the failure of an earlier one, if none has been answered since
   */
  synchronized void requireAnswering() {
    if (failure != null) {
      throw failure;
    }
  }

  /** The answer, which has been taken note of when it is there. */
  <T> CompletableFuture<T> watched(Ticket ticket, CompletableFuture<T> answer) {
    return answer.whenComplete((value, failed) -> ended(ticket, failed));
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
