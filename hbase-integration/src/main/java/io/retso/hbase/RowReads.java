package io.retso.hbase;

import io.retso.hbase.data.ChangedRow;
import io.retso.hbase.data.SnapshotReads;
import io.retso.hbase.data.SnapshotRow;
import io.retso.hbase.data.SnapshotRow.FirstCommit;
import io.retso.hbase.data.WriterStatuses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/** Gets that a transaction sends to one table together. Thread-safe. */
final class RowReads {
  /** Each round needs a writer to be cleaned up, or forgotten, in the very moment of the read. */
  private static final int ROUNDS_MAX = 16;

  private final TransactionManager manager;
  private final PreparedTable table;
  private final List<Get> gets;

  /** Reads of checked gets, which are not changed any more. */
  RowReads(TransactionManager manager, PreparedTable table, List<Get> gets) {
    this.manager = manager;
    this.table = table;
    this.gets = gets;
  }

  int size() {
    return gets.size();
  }

  /** What the oracle is to be asked about; null if it cannot be named. */
  long[] conflictIds() {
    return table.conflictIds(gets);
  }

  /** Reads at a timestamp; the answers are in the order of the gets. */
  CompletableFuture<List<Result>> at(long timestamp) {
    return reader(timestamp).getAll(gets);
  }

  private SnapshotReader reader(long timestamp) {
    return new SnapshotReader(table, timestamp, manager);
  }

  /** Whether {@link #ifCurrent} can be asked: regions answer, with cells. */
  boolean canBeWatchful() {
    return table.isServerReads() && gets.stream().noneMatch(Get::isCheckExistenceOnly);
  }

  /**
   * Reads at a timestamp; empty if any of the rows has, or may have, changed between that timestamp
   * and the moment of the read.
   */
  CompletableFuture<Optional<List<Result>>> ifCurrent(long timestamp) {
    return reader(timestamp)
        .send(gets.stream().map(get -> SnapshotReads.watchful(get, timestamp)).toList())
        .thenApply(
            results ->
                results.stream().anyMatch(ChangedRow::is)
                    ? Optional.empty()
                    : Optional.of(results));
  }

  /**
   * The first commit from {@code older} on, and below {@code newer}, that changed anything that is
   * read here; {@code newer} if there is none. Regions keep all that is needed while a snapshot at
   * {@code older} is open, which is made sure of.
   *
   * @param newer issued by the oracle before this call
   */
  CompletableFuture<Long> firstCommit(long older, long newer) {
    WriterStatuses statuses = manager.queries().statuses();
    return firstCommit(older, newer, statuses, 0)
        .thenCompose(
            first ->
                // Purge raises the horizon, which this read meets, before it takes anything away.
                at(older).thenApply(still -> first));
  }

  private CompletableFuture<Long> firstCommit(
      long older, long newer, WriterStatuses statuses, int round) {
    if (round == ROUNDS_MAX) {
      return Failures.failed(
          new IOException(
              "rows changed "
                  + ROUNDS_MAX
                  + " times while they were read; run the transaction again"));
    }
    long moment = statuses.moment();
    List<Get> all =
        gets.stream().map(get -> SnapshotReads.raw(get, newer, SnapshotRow.ALL_VERSIONS)).toList();
    return table
        .raw()
        .<Result>batchAll(all)
        .thenCompose(
            results -> {
              List<SnapshotRow> rows = new ArrayList<>(results.size());
              for (Result result : results) {
                rows.add(row(result, newer, moment));
              }
              return firstCommit(
                  rows,
                  older,
                  newer,
                  statuses,
                  () -> firstCommit(older, newer, statuses, round + 1));
            });
  }

  private static SnapshotRow row(Result result, long timestamp, long moment) {
    return new SnapshotRow(
        result.isEmpty() ? List.of() : List.of(result.rawCells()),
        timestamp,
        0,
        SnapshotRow.ALL_VERSIONS,
        moment);
  }

  private CompletableFuture<Long> firstCommit(
      List<SnapshotRow> rows,
      long older,
      long newer,
      WriterStatuses statuses,
      Supplier<CompletableFuture<Long>> again) {
    boolean ask = false;
    long first = newer;
    for (SnapshotRow row : rows) {
      FirstCommit found = row.firstCommitSince(older, statuses);
      switch (found.next()) {
        case ASK -> ask = true;
        case READ_AGAIN -> {
          return again.get();
        }
        case SETTLED -> first = Math.min(first, found.timestamp());
      }
    }
    return ask
        ? manager
            .queries()
            .ask(statuses, newer)
            .thenCompose(done -> firstCommit(rows, older, newer, statuses, again))
        : CompletableFuture.completedFuture(first);
  }
}
