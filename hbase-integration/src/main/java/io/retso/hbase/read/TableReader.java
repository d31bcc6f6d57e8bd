package io.retso.hbase.read;

import io.retso.hbase.cleanup.Orphans;
import io.retso.hbase.errors.Failures;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.hbase.table.PreparedTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * Reads rows of one table in the snapshot of one transaction, whose own writes are in the table
 * already. With server reads the region answers; with client reads rows and marks come here and are
 * decided by {@link SnapshotRow}: those of a request all at once, with one round of questions to
 * the oracle, and one more read of the rows that need it.
 *
 * <p>Thread-safe.
 */
public final class TableReader {
  /**
   * A row is read again when it turned out to need more versions, or when the oracle has forgotten
   * a writer. Each time others must have written or cleaned it up in between, so this many times
   * mean that something is broken.
   */
  private static final int ROUNDS_MAX = 100;

  /** A row of a request: as it was read last, and how to read it again. */
  static final class Pending {
    final IntFunction<Get> again;
    SnapshotRow row;
    int versions = 1;

    /**
     * A row that was read.
     *
     * @param again the raw get that reads it with so many versions
     */
    Pending(IntFunction<Get> again) {
      this.again = again;
    }

    Get get() {
      return again.apply(versions);
    }
  }

  private final PreparedTable table;
  private final long start;
  private final OracleQueries queries;
  private final Orphans orphans;
  private final SharedSnapshots snapshots;
  private final Counters counters;

  TableReader(
      PreparedTable table,
      long start,
      OracleQueries queries,
      Orphans orphans,
      SharedSnapshots snapshots,
      Counters counters) {
    this.table = table;
    this.start = start;
    this.queries = queries;
    this.orphans = orphans;
    this.snapshots = snapshots;
    this.counters = counters;
  }

  long start() {
    return start;
  }

  PreparedTable table() {
    return table;
  }

  WriterStatuses statuses() {
    return queries.statuses();
  }

  /** After reads of own writes: see {@link OracleQueries#confirmOpen}. */
  public CompletableFuture<Void> confirmOpen() {
    return queries.confirmOpen(start);
  }

  /**
   * What a failure of HBase means to whoever reads. A snapshot that is too old serves no others.
   */
  Throwable failed(Throwable failure) {
    Throwable cause = Failures.ofStore(failure, start);
    if (cause instanceof SnapshotTooOldException) {
      snapshots.tooOld(start);
    }
    return cause;
  }

  /** Reads rows; the answers are in the order of the gets, which were checked. */
  CompletableFuture<List<Result>> getAll(List<Get> gets) {
    if (table.isServerReads()) {
      return send(gets.stream().map(get -> SnapshotRequests.atServer(get, start)).toList());
    }
    List<Pending> rows = new ArrayList<>(gets.size());
    for (Get get : gets) {
      rows.add(new Pending(versions -> SnapshotRequests.raw(get, start, versions)));
    }
    WriterStatuses statuses = statuses();
    return read(rows, statuses, 0).thenCompose(done -> results(gets, rows, statuses));
  }

  /** Server reads: sends gets that have a read timestamp. */
  CompletableFuture<List<Result>> send(List<Get> gets) {
    return (gets.size() == 1
            ? table.raw().get(gets.get(0)).thenApply(List::of)
            : table.raw().<Result>batchAll(gets))
        .exceptionallyCompose(failure -> Failures.failed(failed(failure)));
  }

  /** Server reads: see {@link RowReads#firstChange}. */
  CompletableFuture<Long> firstChange(List<Get> gets, long upTo) {
    return send(gets.stream().map(get -> SnapshotRequests.firstChange(get, start, upTo)).toList())
        .thenCompose(
            answers -> {
              long first = upTo;
              try {
                for (Result answer : answers) {
                  first = Math.min(first, FirstChange.of(answer));
                }
              } catch (IOException e) {
                return Failures.failed(e);
              }
              return CompletableFuture.completedFuture(first);
            });
  }

  private CompletableFuture<List<Result>> results(
      List<Get> gets, List<Pending> rows, WriterStatuses statuses) {
    List<Result> results = new ArrayList<>(gets.size());
    try {
      for (int i = 0; i < gets.size(); i++) {
        Get get = gets.get(i);
        List<Cell> cells = RowFilter.of(get).apply(rows.get(i).row.visible());
        results.add(
            get.isCheckExistenceOnly()
                ? Result.create(List.of(), !cells.isEmpty(), false)
                : Result.create(cells));
      }
    } catch (IOException e) {
      return Failures.failed(e);
    }
    finish(rows, statuses);
    return CompletableFuture.completedFuture(results);
  }

  /** Reads the rows, from HBase, and decides them. */
  private CompletableFuture<Void> read(List<Pending> rows, WriterStatuses statuses, int round) {
    if (round == ROUNDS_MAX) {
      return Failures.failed(
          new IOException(
              rows.size()
                  + " rows could not be decided in "
                  + ROUNDS_MAX
                  + " reads: others write them all the time; run the transaction again"));
    }
    long moment = statuses.moment();
    List<Get> gets = rows.stream().map(Pending::get).toList();
    CompletableFuture<List<Result>> answers =
        gets.size() == 1
            ? table.raw().get(gets.get(0)).thenApply(List::of)
            : table.raw().batchAll(gets);
    return answers.thenCompose(
        results -> {
          for (int i = 0; i < results.size(); i++) {
            take(rows.get(i), results.get(i), moment);
          }
          return decide(rows, statuses, round);
        });
  }

  /** The row was read. */
  void take(Pending pending, Result result, long moment) {
    List<Cell> cells = result.isEmpty() ? List.of() : List.of(result.rawCells());
    pending.row = new SnapshotRow(cells, start, start, pending.versions, moment);
  }

  /** Decides rows that were read; asks and reads again as need be. */
  CompletableFuture<Void> decide(List<Pending> rows, WriterStatuses statuses) {
    return decide(rows, statuses, 0);
  }

  private CompletableFuture<Void> decide(List<Pending> rows, WriterStatuses statuses, int round) {
    List<Pending> again = new ArrayList<>();
    boolean ask = false;
    for (Pending pending : rows) {
      switch (pending.row.decide(statuses)) {
        case ASK -> ask = true;
        case READ_AGAIN -> again.add(pending);
        case DECIDED -> {}
      }
    }
    if (ask) {
      return queries.ask(statuses, start).thenCompose(done -> decide(rows, statuses, round));
    }
    if (again.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    counters.rowsReadAgain.add(again.size());
    again.forEach(pending -> pending.versions = pending.row.versionsNeeded());
    return read(again, statuses, round + 1);
  }

  /** The rows are decided; what was found decided and not cleaned up is left to others. */
  void finish(List<Pending> rows, WriterStatuses statuses) {
    for (Pending pending : rows) {
      List<CleanupRequest> found = pending.row.cleanups(statuses);
      if (!found.isEmpty()) {
        orphans.offer(table, found);
      }
    }
  }
}
