package io.retso.hbase.futures;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What {@link CompletableFuture} lacks. Stateless. */
public final class Futures {
  private Futures() {}

  /**
   * Waits for the answer of an asynchronous twin.
   *
   * @throws IllegalStateException in a callback, whether there is something to wait for or not
   */
  public static <T> T await(CompletableFuture<T> future) throws IOException {
    Callbacks.checkMayBlock();
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    } catch (InterruptedException e) {
      throw interrupted("interrupted while waiting; the operation may go on", e);
    }
  }

  /** An answer that comes after an interrupt goes to {@code late}. */
  public static <T> T await(CompletableFuture<T> future, Consumer<T> late) throws IOException {
    try {
      return await(future);
    } catch (InterruptedIOException e) {
      future.thenAccept(late);
      throw e;
    }
  }

  /** What to throw for an interrupt, of which the thread stays marked. */
  public static InterruptedIOException interrupted(String message, InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException(message);
    interrupted.initCause(cause);
    return interrupted;
  }

  private static IOException rethrown(Throwable failure) {
    // The stack of the waiting thread says where in the application it happened.
    failure.addSuppressed(new IOException("waited for here"));
    return checked(failure);
  }

  /** What to throw for a failure that may be of any kind; what is unchecked is thrown here. */
  static IOException checked(Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof IOException io ? io : new IOException(failure);
  }

  /** The failure behind the wrappers that futures put around it; null if there is none. */
  public static Throwable unwrap(Throwable failure) {
    Throwable unwrapped = failure;
    while (unwrapped instanceof CompletionException && unwrapped.getCause() != null) {
      unwrapped = unwrapped.getCause();
    }
    return unwrapped;
  }

  /** What follows an answer or a failure. */
  @FunctionalInterface
  public interface Next<T, R> {
    /** Goes on; what it throws is how the whole fails. */
    CompletableFuture<R> after(T answer, Throwable failure) throws Throwable;
  }

  /** What follows an answer or a failure; the failure comes {@link #unwrap unwrapped}. */
  public static <T, R> CompletableFuture<R> compose(CompletableFuture<T> future, Next<T, R> next) {
    return future
        .handle((answer, failure) -> begun(() -> next.after(answer, unwrap(failure))))
        .thenCompose(following -> following);
  }

  /** What an answer comes to. */
  @FunctionalInterface
  public interface Step<T, R> {
    /** Takes it; what it throws is how the whole fails. */
    R of(T answer) throws Throwable;
  }

  /** What an answer comes to; a failure stays. */
  public static <T, R> CompletableFuture<R> then(
      CompletableFuture<T> future, Step<? super T, R> step) {
    return future.thenCompose(
        answer -> begun(() -> CompletableFuture.completedFuture(step.of(answer))));
  }

  /** Begins something that may throw instead of failing. */
  @FunctionalInterface
  public interface Begin<T> {
    CompletableFuture<T> begin() throws Throwable;
  }

  /** What is begun; has failed if that throws. */
  public static <T> CompletableFuture<T> begun(Begin<T> what) {
    try {
      return what.begin();
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /** The answer; in place of a failure, which comes {@link #unwrap unwrapped}, what it means. */
  public static <T> CompletableFuture<T> explained(
      CompletableFuture<T> future, UnaryOperator<Throwable> meaning) {
    return future.exceptionallyCompose(failure -> failed(meaning.apply(unwrap(failure))));
  }

  /** Completes the future with an answer; with the failure if that is not null. */
  public static <T> void complete(CompletableFuture<T> future, T answer, Throwable failure) {
    if (failure == null) {
      future.complete(answer);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** A future that has failed. */
  public static <T> CompletableFuture<T> failed(Throwable failure) {
    return CompletableFuture.failedFuture(failure);
  }

  /** Completes when all have, and fails then if one of them did. */
  public static CompletableFuture<Void> all(Collection<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new));
  }
}
