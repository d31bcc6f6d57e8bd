package io.retso.server.observe;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Gets figures from the thread that owns them, and remembers those of the last seconds for rates.
 * Thread-safe. Readers may wait for the owner and for each other; the owner waits for none.
 */
public final class FigureReader {
  /** Copies the figures; called on the owner's thread. */
  public interface Source {
    void copyInto(Figures figures);
  }

  /** Figures younger than this are used again. */
  private static final long FRESH_NANOS = 100_000_000;

  /** How long a reader waits for the owner; after that it gets the old figures. */
  private static final long WAIT_MILLIS = 1_000;

  private static final long SECOND_NANOS = 1_000_000_000;

  /** Rates are taken over ten seconds, give or take half a sample. */
  private static final long HISTORY_NANOS = 10 * SECOND_NANOS + SECOND_NANOS / 2;

  private final Executor owner;
  private final Source source;
  private final LongSupplier nanoClock;
  private final ArrayDeque<Figures> history = new ArrayDeque<>();

  private Figures latest;

  /** Not null while the owner has not answered: one question at a time, however many readers. */
  private CompletableFuture<Figures> question;

  private long askedAt;

  /**
   * Makes a reader.
   *
   * @param owner runs tasks on the thread that owns the figures
   */
  public FigureReader(Executor owner, Source source, LongSupplier nanoClock) {
    this.owner = owner;
    this.source = source;
    this.nanoClock = nanoClock;
    this.latest = new Figures();
    this.latest.nanos = nanoClock.getAsLong();
  }

  /** Figures not older than 0.1 s, or the last ones if their owner does not answer. */
  synchronized Figures read() {
    if (question == null
        && (history.isEmpty() || nanoClock.getAsLong() - latest.nanos > FRESH_NANOS)) {
      ask();
    }
    if (question != null) {
      awaitAnswer();
    }
    return latest;
  }

  private void ask() {
    CompletableFuture<Figures> answer = new CompletableFuture<>();
    try {
      owner.execute(() -> answer(answer));
      question = answer;
      askedAt = nanoClock.getAsLong();
    } catch (RejectedExecutionException e) {
      question = null; // its thread has ended: the last figures stand
    }
  }

  /** On the owner's thread. */
  private void answer(CompletableFuture<Figures> answer) {
    try {
      Figures figures = new Figures();
      source.copyInto(figures);
      figures.nanos = nanoClock.getAsLong();
      answer.complete(figures);
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  private void awaitAnswer() {
    try {
      latest = question.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
      question = null;
    } catch (TimeoutException e) {
      return; // the question stands, and the next reader waits for its answer
    } catch (ExecutionException e) {
      question = null;
      throw new IllegalStateException("the figures cannot be copied", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Remembers the figures of now, and returns them; to be called once a second. */
  synchronized Figures sample() {
    history.add(read());
    long horizon = latest.nanos - HISTORY_NANOS;
    while (history.size() > 1 && history.peekFirst().nanos < horizon) {
      history.removeFirst();
    }
    return latest;
  }

  /** Figures from about ten seconds ago, or from the first sample. */
  synchronized Figures before() {
    return history.isEmpty() ? latest : history.peekFirst();
  }

  /** How long the owner has not answered, nanoseconds; 0 if it answered. */
  synchronized long silentNanos() {
    return question == null ? 0 : nanoClock.getAsLong() - askedAt;
  }
}
