package io.retso.hbase.coprocessor.oracle;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The low watermark that a region asks for when it opens, and again whenever that has failed; one
 * question is under way at a time. Thread-safe.
 */
public final class InitialHorizon {
  /** Refuses to wait for a question of somebody else's that is under way. */
  public interface Gate {
    void pass() throws IOException;
  }

  /** Null before the first question. */
  private final AtomicReference<CompletableFuture<Long>> last = new AtomicReference<>();

  /** Asks, for nobody who waits. */
  public void ask(Supplier<CompletableFuture<Long>> question) {
    replace(null, question);
  }

  /**
   * The answer, to be waited for.
   *
   * @param question asked if there is none, or the last one has failed
   * @param gate passed if somebody else's is under way
   */
  public CompletableFuture<Long> answer(Supplier<CompletableFuture<Long>> question, Gate gate)
      throws IOException {
    CompletableFuture<Long> before = last.get();
    boolean isMissing = before == null || before.isCompletedExceptionally();
    boolean isAsked = isMissing && replace(before, question);
    CompletableFuture<Long> answer = last.get();
    if (!isAsked && !answer.isDone()) {
      gate.pass();
    }
    return answer;
  }

  private boolean replace(
      CompletableFuture<Long> failed, Supplier<CompletableFuture<Long>> question) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    if (!last.compareAndSet(failed, answer)) {
      return false;
    }
    question
        .get()
        .whenComplete(
            (watermark, failure) -> {
              if (failure == null) {
                answer.complete(watermark);
              } else {
                answer.completeExceptionally(failure);
              }
            });
    return true;
  }
}
