package io.retso.hbase.transaction;

import io.retso.hbase.TransactionWork;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * One call of {@code runAsync} or {@code readAsync}: attempts, one after the other, until one
 * succeeds or there is no more. Blocks no thread; the pauses are a timer's.
 *
 * @param <X> the kind of transaction
 * @param <T> the result of the work
 */
final class AsyncRun<X extends HBaseReadTransaction, T> {
  private static final String NO_FUTURE = "the work returned no future: return one";

  private final Attempts attempts;
  private final Supplier<CompletableFuture<X>> begin;
  private final TransactionWork<? super X, CompletableFuture<T>> work;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  AsyncRun(
      Attempts attempts,
      Supplier<CompletableFuture<X>> begin,
      TransactionWork<? super X, CompletableFuture<T>> work) {
    this.attempts = attempts;
    this.begin = begin;
    this.work = work;
  }

  CompletableFuture<T> start() {
    attempt();
    return result;
  }

  private void attempt() {
    if (result.isDone()) {
      attempts.trace().close(null);
      return; // cancelled
    }
    Callbacks.leave(inTrace(() -> Futures.begun(begin::get)))
        .whenComplete(
            (tx, failure) -> {
              if (failure == null) {
                carryOut(tx);
              } else {
                failed(Futures.unwrap(failure), true);
              }
            });
  }

  /** Begins something below the span of the run, wherever this is called. */
  private <R> R inTrace(Supplier<R> what) {
    return attempts.trace().context().call(what::get);
  }

  private void carryOut(X tx) {
    attempts.began(tx);
    inTrace(() -> Futures.begun(() -> Objects.requireNonNull(work.in(tx), NO_FUTURE)))
        .thenCompose(answer -> inTrace(tx::finishAsync).thenApply(finished -> answer))
        .whenComplete(
            (answer, failure) -> {
              tx.close();
              if (failure == null) {
                ended(answer, null);
              } else {
                failed(Futures.unwrap(failure), tx.mayRepeat());
              }
            });
  }

  private void failed(Throwable failure, boolean mayRepeat) {
    if (!(failure instanceof TransactionException known)) {
      ended(null, failure); // so it is if the manager is closed
      return;
    }
    try {
      long pause = attempts.pauseAfter(known, mayRepeat);
      Timers.after(pause, TimeUnit.MILLISECONDS, () -> Callbacks.run(this::attempt));
    } catch (TransactionException e) {
      ended(null, e);
    }
  }

  private void ended(T answer, Throwable failure) {
    attempts.trace().close(failure);
    attempts.trace().caller().run(() -> Callbacks.complete(result, answer, failure));
  }
}
