package io.retso.hbase.trace;

import io.retso.client.CommitSteps;
import io.retso.client.TransactionHandle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The span of a call of {@code run} or its like, which all of its attempts share; or that of one
 * transaction, which its application has begun and ends. Thread-safe.
 */
public interface TransactionTrace {
  /** No span. Does nothing, and hands back what it is given. */
  TransactionTrace NONE = new TransactionTrace() {};

  /** That of what is below the span, if nothing nearer is known. */
  default TraceContext context() {
    return TraceContext.NONE;
  }

  /** That of the application where it began. */
  default TraceContext caller() {
    return TraceContext.NONE;
  }

  /**
   * An operation of the application, which calls it now. It is carried out in the context of this
   * thread if that is within the span, as it is in the work of {@code run}, and below the span
   * otherwise. What depends on its future goes on in the context of this thread.
   */
  default <T> Supplier<CompletableFuture<T>> called(Supplier<CompletableFuture<T>> operation) {
    return operation;
  }

  /** That of a call that the application makes now, as {@link #called} has it. */
  default TraceContext atCall() {
    return TraceContext.NONE;
  }

  /** How the oracle is asked for a start timestamp: with a span of its own. */
  default Supplier<CompletableFuture<TransactionHandle>> begin(
      Supplier<CompletableFuture<TransactionHandle>> ask) {
    return ask;
  }

  /**
   * Commits a transaction: with a span of its own, from the last writes to the answer.
   *
   * @param rows (or cells) that it has written or locked
   * @param commit takes what wants to know how long its steps took; null if nothing does
   * @param outcome what a failure means, and null: a word for an attribute
   */
  default CompletableFuture<Long> commit(
      int rows,
      Function<Consumer<CommitSteps>, CompletableFuture<Long>> commit,
      Function<Throwable, String> outcome) {
    return commit.apply(null);
  }

  /**
   * The oracle refused a transaction for what others did.
   *
   * @param met null if it is not known
   */
  default void refused(ConflictPlace met) {}

  /**
   * An attempt has failed, and another one follows.
   *
   * @param pauseMillis time until then, in milliseconds
   */
  default void retried(long pauseMillis, Throwable failure) {}

  /**
   * A transaction has ended; so has the span, if it is that of this transaction alone.
   *
   * @param failure null if there was none
   */
  default void ended(String outcome, Throwable failure) {}

  /**
   * No attempt follows: a call of {@code run} has ended.
   *
   * @param failure null if there was none
   */
  default void close(Throwable failure) {}
}
