package io.retso.hbase.read;

import io.retso.hbase.errors.Failures;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Client reads: rows and marks come here and are resolved by {@link SnapshotRow}, those of a
 * request or a page all at once, with one round of questions to the oracle, and one more read of
 * the rows that need it. Thread-safe.
 */
final class ClientTableReader extends TableReader {
  /**
   * A row is read again when it turned out to need more versions, or when the oracle has forgotten
   * a writer. Each time others must have written or cleaned it up in between, so this many times
   * mean that something is broken.
   */
  private static final int ROUNDS_MAX = 100;

  /** A row of a request: as it was read last, and how to read it again. */
  private static final class Pending {
    /** The raw get that reads it with so many versions. */
    final IntFunction<Get> again;

    SnapshotRow row;
    int versions = 1;

    Pending(IntFunction<Get> again) {
      this.again = again;
    }
  }

  private final class RawPages implements Pages {
    private final Scan scan;
    private final RowFilter filter;
    private final WriterStatuses statuses = context.queries().statuses();

    /**
     * From before the scanner was opened. Later pages were read after later answers of the oracle,
     * but in the view of a scanner that may be older than those: they keep this moment.
     */
    private final long moment = statuses.moment();

    private boolean isDone;

    RawPages(Scan scan, RowFilter filter) {
      this.scan = scan;
      this.filter = filter;
    }

    @Override
    public Scan request() {
      return SettingsCheck.set(SnapshotRequests.raw(scan, start, 1), table.fingerprint());
    }

    @Override
    public boolean isDone() {
      return isDone;
    }

    @Override
    public CompletableFuture<List<Result>> visible(Result[] page) {
      List<Pending> rows = new ArrayList<>(page.length);
      for (Result result : page) {
        Pending row = new Pending(versions -> rawGet(result.getRow(), versions));
        take(row, result, moment);
        rows.add(row);
      }
      return resolve(rows, statuses, 0).thenCompose(done -> filtered(rows));
    }

    private CompletableFuture<List<Result>> filtered(List<Pending> rows) {
      List<Result> found = new ArrayList<>(rows.size());
      try {
        for (Pending row : rows) {
          if (filter.isDone()) {
            break;
          }
          List<Cell> cells = filter.apply(row.row.visible());
          if (!cells.isEmpty()) {
            found.add(Result.create(cells));
          }
        }
        isDone = filter.isDone();
      } catch (IOException e) {
        return Failures.failed(e);
      }
      finish(rows, statuses);
      statuses.trim();
      return CompletableFuture.completedFuture(found);
    }

    /** The columns of the scan in one row; what its reader may see of them is in the attributes. */
    private Get rawGet(byte[] row, int versions) {
      Get get = new Get(row).setCacheBlocks(scan.getCacheBlocks()).setPriority(scan.getPriority());
      scan.getAttributesMap().forEach(get::setAttribute);
      for (Map.Entry<byte[], NavigableSet<byte[]>> family : scan.getFamilyMap().entrySet()) {
        if (family.getValue() == null || family.getValue().isEmpty()) {
          get.addFamily(family.getKey());
        } else {
          family.getValue().forEach(qualifier -> get.addColumn(family.getKey(), qualifier));
        }
      }
      return raw(get, versions);
    }
  }

  ClientTableReader(PreparedTable table, long start, TableReaders context) {
    super(table, start, context);
  }

  @Override
  CompletableFuture<List<Result>> getAll(List<Get> gets) {
    List<Pending> rows = new ArrayList<>(gets.size());
    for (Get get : gets) {
      rows.add(new Pending(versions -> raw(get, versions)));
    }
    WriterStatuses statuses = context.queries().statuses();
    return read(rows, statuses, 0).thenCompose(done -> results(gets, rows, statuses));
  }

  @Override
  Pages pages(Scan scan, RowFilter filter) {
    return new RawPages(scan, filter);
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

  private Get raw(Get get, int versions) {
    return SettingsCheck.set(SnapshotRequests.raw(get, start, versions), table.fingerprint());
  }

  /** Reads the rows, from HBase, and resolves them. */
  private CompletableFuture<Void> read(List<Pending> rows, WriterStatuses statuses, int round) {
    if (round == ROUNDS_MAX) {
      return Failures.failed(
          new IOException(
              rows.size()
                  + " rows could not be resolved in "
                  + ROUNDS_MAX
                  + " reads: others write them all the time; run the transaction again"));
    }
    long moment = statuses.moment();
    List<Get> gets = rows.stream().map(pending -> pending.again.apply(pending.versions)).toList();
    CompletableFuture<List<Result>> answers =
        gets.size() == 1
            ? table.raw().get(gets.get(0)).thenApply(List::of)
            : RowBatches.all(table, gets);
    return answers
        .exceptionallyCompose(failure -> Failures.failed(failed(failure)))
        .thenCompose(
            results -> {
              for (int i = 0; i < results.size(); i++) {
                take(rows.get(i), results.get(i), moment);
              }
              return resolve(rows, statuses, round);
            });
  }

  /** The row was read. */
  private void take(Pending pending, Result result, long moment) {
    List<Cell> cells = result.isEmpty() ? List.of() : List.of(result.rawCells());
    pending.row = new SnapshotRow(cells, start, start, pending.versions, moment);
  }

  /** Resolves rows that were read; asks and reads again as need be. */
  private CompletableFuture<Void> resolve(List<Pending> rows, WriterStatuses statuses, int round) {
    List<Pending> again = new ArrayList<>();
    boolean ask = false;
    for (Pending pending : rows) {
      switch (pending.row.resolve(statuses)) {
        case ASK -> ask = true;
        case READ_AGAIN -> again.add(pending);
        case RESOLVED -> {}
      }
    }
    if (ask) {
      return context
          .queries()
          .ask(statuses, start)
          .thenCompose(done -> resolve(rows, statuses, round));
    }
    if (again.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    context.counters().rowsReadAgain.add(again.size());
    again.forEach(pending -> pending.versions = pending.row.versionsNeeded());
    return read(again, statuses, round + 1);
  }

  /** The rows are resolved; what was found decided and not cleaned up is left to others. */
  private void finish(List<Pending> rows, WriterStatuses statuses) {
    for (Pending pending : rows) {
      List<CleanupRequest> found = pending.row.cleanups(statuses);
      if (!found.isEmpty()) {
        context.orphans().offer(table, found);
      }
    }
  }
}
