package io.retso.member;

import io.retso.log.LogException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/**
 * Goes on behind futures of the log in tasks of the member's thread, so that an error in one of
 * them ends the process. An error in what a future did itself is thrown there, too.
 */
record LoopTasks(Executor executor) {
  /** Runs {@code next} with the future's value or its failure; one of both is null. */
  <T> void then(CompletableFuture<T> future, BiConsumer<T, LogException> next) {
    future.whenComplete(
        (value, e) -> executor.execute(() -> next.accept(value, e == null ? null : failureOf(e))));
  }

  private static LogException failureOf(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof Error error) {
      throw error;
    }
    boolean isOfClosing =
        cause instanceof RejectedExecutionException || cause instanceof CancellationException;
    if (cause instanceof RuntimeException error && !isOfClosing) {
      throw error;
    }
    return LogException.of(cause);
  }
}
