package io.retso.hbase.read;

import io.retso.client.OracleClient;
import io.retso.client.TransactionStatus;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.resolve.StatusCache;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.hbase.trace.TraceContext;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Asks the oracle about the writers that a read met, all at once. Thread-safe. */
public final class OracleQueries {
  /** Transactions whose decisions are remembered, some 36 bytes each. */
  private static final int CACHE_ENTRIES = 1 << 16;

  private final OracleClient oracle;
  private final StatusCache cache = new StatusCache(CACHE_ENTRIES);
  private final Counters counters;

  public OracleQueries(OracleClient oracle, Counters counters) {
    this.oracle = oracle;
    this.counters = counters;
  }

  /** What a reader begins with. */
  WriterStatuses statuses() {
    return new WriterStatuses(cache);
  }

  /**
   * Completes if the oracle has not decided the transaction that asks; otherwise fails.
   *
   * <p>The oracle aborts what is too old, and then a reader that meets the marks of such a
   * transaction removes its writes, though it may still be at work. So what it has read of its own
   * writes counts only if it was open <em>after</em> that read: no reader removes marks of an open
   * one.
   */
  CompletableFuture<Void> confirmOpen(long start) {
    return answered(
            oracle.statusAsync(start, start), "asking whether the transaction is still open")
        .thenCompose(
            status ->
                status.state() == TransactionStatus.State.OPEN
                    ? CompletableFuture.completedFuture(null)
                    : Futures.failed(Failures.tooOld(start, null)));
  }

  /** Learns the status of all {@link WriterStatuses#unknown} writers for the reader. */
  CompletableFuture<Void> ask(WriterStatuses statuses, long readTimestamp) {
    long[] writers = statuses.unknown();
    counters.statusQueries.add(writers.length);
    List<CompletableFuture<TransactionStatus>> answers =
        Arrays.stream(writers).mapToObj(id -> oracle.statusAsync(id, readTimestamp)).toList();
    return answered(Futures.all(answers), "asking which transaction wrote what was read")
        .thenAccept(
            done -> {
              for (int i = 0; i < writers.length; i++) {
                statuses.learn(writers[i], answers.get(i).join());
              }
            });
  }

  private static <T> CompletableFuture<T> answered(CompletableFuture<T> asked, String doing) {
    return Futures.explained(
        TraceContext.keep(asked), failure -> Failures.ofOracle(failure, doing));
  }
}
