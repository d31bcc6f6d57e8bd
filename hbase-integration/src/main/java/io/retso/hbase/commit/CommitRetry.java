package io.retso.hbase.commit;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.futures.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Asks the oracle to commit, and again, a few times, if it is too busy: then nothing was decided,
 * and cleanups on their way make room. Stateless.
 */
final class CommitRetry {
  /** With pauses of 20 ms to 2.5 s between them. */
  private static final int ATTEMPTS = 9;

  private CommitRetry() {}

  /** Fails as {@link OracleClient#commitAsync} does. */
  static CompletableFuture<CommitResult> ask(OracleClient oracle, CommitRequest request) {
    return ask(oracle, request, 1);
  }

  private static CompletableFuture<CommitResult> ask(
      OracleClient oracle, CommitRequest request, int attempt) {
    CompletableFuture<CommitResult> asked = oracle.commitAsync(request);
    if (attempt == ATTEMPTS) {
      return asked;
    }
    return Failures.compose(
        asked,
        (result, failure) -> {
          if (!isOverloaded(failure)) {
            return asked;
          }
          Executor later = Timers.delayed(10L << attempt);
          return CompletableFuture.supplyAsync(() -> ask(oracle, request, attempt + 1), later)
              .thenCompose(again -> again);
        });
  }

  private static boolean isOverloaded(Throwable failure) {
    return failure instanceof OracleException oracle
        && oracle.category() == OracleException.Category.OVERLOADED;
  }
}
