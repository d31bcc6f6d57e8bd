package io.retso.hbase.read;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.hbase.table.PreparedTable;
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

  /** One request: it looks at all rows with the same knowledge of their writers. */
  private class Reading {
    final long start;
    final WriterStatuses statuses = context.queries().statuses();

    Reading(long start) {
      this.start = start;
    }

    Get raw(Get get, int versions) {
      return SettingsCheck.set(SnapshotRequests.raw(get, start, versions), table.fingerprint());
    }

    /** Reads the rows, from HBase, and resolves them. */
    CompletableFuture<Void> read(List<Pending> rows, int round) {
      if (round == ROUNDS_MAX) {
        return Futures.failed(
            new IOException(
                rows.size()
                    + " rows could not be resolved in "
                    + ROUNDS_MAX
                    + " reads: others write them all the time; run the transaction again"));
      }
      long moment = statuses.moment();
      return send(rows.stream().map(row -> row.again.apply(row.versions)).toList(), start)
          .thenCompose(
              results -> {
                for (int i = 0; i < results.size(); i++) {
                  take(rows.get(i), results.get(i), moment);
                }
                return resolve(rows, round);
              });
    }

    /** The row was read. */
    void take(Pending pending, Result result, long moment) {
      List<Cell> cells = result.isEmpty() ? List.of() : List.of(result.rawCells());
      pending.row = new SnapshotRow(cells, start, start, pending.versions, moment);
    }

    /** Resolves rows that were read; asks and reads again as need be. */
    CompletableFuture<Void> resolve(List<Pending> rows, int round) {
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
        return context.queries().ask(statuses, start).thenCompose(done -> resolve(rows, round));
      }
      if (again.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      context.counters().rowsReadAgain.add(again.size());
      again.forEach(pending -> pending.versions = pending.row.versionsNeeded());
      return read(again, round + 1);
    }

    /** The rows are resolved; what was found decided and not cleaned up is left to others. */
    void finish(List<Pending> rows) {
      for (Pending pending : rows) {
        List<CleanupRequest> found = pending.row.cleanups(statuses);
        if (!found.isEmpty()) {
          context.orphans().offer(table, found);
        }
      }
    }
  }

  private final class RawPages extends Reading implements Pages {
    private final Scan scan;
    private final RowFilter filter;

    /**
     * From before the scanner was opened. Later pages were read after later answers of the oracle,
     * but in the view of a scanner that may be older than those: they keep this moment.
     */
    private final long moment = statuses.moment();

    private boolean isDone;

    RawPages(Scan scan, RowFilter filter, long start) {
      super(start);
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
      return Futures.then(resolve(rows, 0), done -> filtered(rows));
    }

    private List<Result> filtered(List<Pending> rows) throws IOException {
      List<Result> found = new ArrayList<>(rows.size());
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
      finish(rows);
      statuses.trim();
      return found;
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

  ClientTableReader(PreparedTable table, TableReaders context) {
    super(table, context);
  }

  @Override
  CompletableFuture<List<Result>> getAll(List<Get> gets, long timestamp) {
    Reading reading = new Reading(timestamp);
    List<Pending> rows =
        gets.stream().map(get -> new Pending(versions -> reading.raw(get, versions))).toList();
    return Futures.then(
        reading.read(rows, 0),
        done -> {
          List<Result> results = new ArrayList<>(gets.size());
          for (int i = 0; i < gets.size(); i++) {
            Get get = gets.get(i);
            List<Cell> cells = RowFilter.of(get).apply(rows.get(i).row.visible());
            results.add(
                get.isCheckExistenceOnly()
                    ? Result.create(List.of(), !cells.isEmpty(), false)
                    : Result.create(cells));
          }
          reading.finish(rows);
          return results;
        });
  }

  @Override
  Pages pages(Scan scan, RowFilter filter, long timestamp) {
    return new RawPages(scan, filter, timestamp);
  }
}
