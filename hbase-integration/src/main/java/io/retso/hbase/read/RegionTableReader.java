package io.retso.hbase.read;

import io.retso.hbase.errors.Failures;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Server reads: regions decide, and find what has changed since. Thread-safe. */
final class RegionTableReader extends TableReader {
  RegionTableReader(PreparedTable table, long start, TableReaders context) {
    super(table, start, context);
  }

  @Override
  CompletableFuture<List<Result>> getAll(List<Get> gets) {
    return send(gets, get -> SnapshotRequests.atServer(get, table.fingerprint(), start));
  }

  @Override
  Pages pages(Scan scan, RowFilter filter) {
    return () -> SnapshotRequests.atServer(scan, table.fingerprint(), start);
  }

  /** See {@link RowReads#ifCurrent}. */
  CompletableFuture<Optional<List<Result>>> ifCurrent(List<Get> gets) {
    return send(gets, get -> SnapshotRequests.validating(get, table.fingerprint(), start))
        .thenApply(
            results ->
                results.stream().anyMatch(ChangedRow::is)
                    ? Optional.empty()
                    : Optional.of(results));
  }

  /** See {@link RowReads#firstChange}. */
  CompletableFuture<Long> firstChange(List<Get> gets, long upTo) {
    return send(gets, get -> SnapshotRequests.firstChange(get, table.fingerprint(), start, upTo))
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

  private CompletableFuture<List<Result>> send(List<Get> gets, UnaryOperator<Get> question) {
    List<Get> sent = gets.stream().map(question).toList();
    return (sent.size() == 1
            ? table.raw().get(sent.get(0)).thenApply(List::of)
            : RowBatches.<Result>all(table, sent))
        .exceptionallyCompose(failure -> Failures.failed(failed(failure)));
  }
}
