package io.retso.verify.lists;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetryPolicy;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.errors.GaveUpException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A read-only transaction whose reads are certified at its end. The manager wants the reads as a
 * function, and here they come one by one: so the function waits for the end, with no thread.
 */
final class CertifiedRead {
  private final ReadTransaction transaction;
  private final CompletableFuture<Void> end;
  private final CompletableFuture<Void> outcome;

  private CertifiedRead(
      ReadTransaction transaction, CompletableFuture<Void> end, CompletableFuture<Void> outcome) {
    this.transaction = transaction;
    this.end = end;
    this.outcome = outcome;
  }

  static CertifiedRead begin(TransactionManager manager, TransactionOptions options)
      throws IOException {
    CompletableFuture<ReadTransaction> begun = new CompletableFuture<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    CompletableFuture<Void> outcome =
        manager.readAsync(
            options.withRetryPolicy(RetryPolicy.NEVER),
            tx -> {
              begun.complete(tx);
              return end;
            });
    outcome.whenComplete(
        (nothing, failure) ->
            begun.completeExceptionally(
                failure == null ? new IllegalStateException("it ended before it began") : failure));
    return new CertifiedRead(await(begun), end, outcome);
  }

  ReadTransaction transaction() {
    return transaction;
  }

  /** Asks whether the reads count. */
  void commit() throws IOException {
    end.complete(null);
    await(outcome);
  }

  /** Gives up. */
  void rollback() {
    end.completeExceptionally(new IOException("given up"));
  }

  /** Fails as what is waited for failed; of one attempt it does not matter that it was the last. */
  private static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof GaveUpException && cause.getCause() instanceof IOException last) {
        throw last;
      } else if (cause instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(cause);
    }
  }
}
