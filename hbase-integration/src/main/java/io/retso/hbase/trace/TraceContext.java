package io.retso.hbase.trace;

import java.util.concurrent.CompletableFuture;

/**
 * The place in a trace of a call: what HBase's client does while it is current is a part of that
 * call. A call goes on in threads of the oracle's client, of HBase's and of timers, which know
 * nothing of it; so it is taken along. Immutable.
 *
 * <p>No signature names OpenTelemetry, which may be missing.
 */
public interface TraceContext {
  /** Code that runs in a context. */
  @FunctionalInterface
  interface Code<R, X extends Throwable> {
    R run() throws X;
  }

  /** No place: code runs as if there were no traces. */
  TraceContext NONE =
      new TraceContext() {
        @Override
        public <R, X extends Throwable> R call(Code<R, X> code) throws X {
          return code.run();
        }

        @Override
        public void run(Runnable code) {
          code.run();
        }
      };

  /** The one of this thread; {@link #NONE} if it has none, or without OpenTelemetry. */
  static TraceContext current() {
    return Library.IS_PRESENT ? OpenTelemetryContext.current() : NONE;
  }

  /** The future, such that what depends on it goes on in the context of this call. */
  static <T> CompletableFuture<T> keep(CompletableFuture<T> future) {
    return current().kept(future);
  }

  /** Runs code on this thread, whose context this is meanwhile. */
  <R, X extends Throwable> R call(Code<R, X> code) throws X;

  /** Like {@link #call}. */
  default void run(Runnable code) {
    call(
        () -> {
          code.run();
          return null;
        });
  }

  /** Code that runs in this context, wherever that is. */
  default Runnable wrapped(Runnable code) {
    return this == NONE ? code : () -> run(code);
  }

  /** The future, such that what depends on it goes on in this context; itself if it is done. */
  default <T> CompletableFuture<T> kept(CompletableFuture<T> future) {
    if (this == NONE || future.isDone()) {
      return future;
    }
    CompletableFuture<T> kept = new CompletableFuture<>();
    future.whenComplete(
        (answer, failure) ->
            run(
                () -> {
                  if (failure == null) {
                    kept.complete(answer);
                  } else {
                    kept.completeExceptionally(failure);
                  }
                }));
    return kept;
  }
}
