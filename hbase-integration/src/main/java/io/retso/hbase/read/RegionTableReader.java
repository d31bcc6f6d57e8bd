package io.retso.hbase.read;

import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.resolve.RowFilter;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Server reads: regions decide, and find what has changed since. Thread-safe. */
final class RegionTableReader extends TableReader {
  RegionTableReader(PreparedTable table, TableReaders context) {
    super(table, context);
  }

  @Override
  CompletableFuture<List<Result>> getAll(List<Get> gets, long timestamp) {
    return ask(
        gets, timestamp, get -> SnapshotRequests.atServer(get, table.fingerprint(), timestamp));
  }

  @Override
  Pages pages(Scan scan, RowFilter filter, long timestamp) {
    return () -> SnapshotRequests.atServer(scan, table.fingerprint(), timestamp);
  }

  /**
   * Reads at a timestamp; empty if any of the rows has, or may have, changed between that timestamp
   * and the moment of the read. Not to be asked whether there is something to get: the answer has
   * cells.
   */
  CompletableFuture<Optional<List<Result>>> ifCurrent(List<Get> gets, long timestamp) {
    return ask(
            gets,
            timestamp,
            get -> SnapshotRequests.validating(get, table.fingerprint(), timestamp))
        .thenApply(
            results ->
                results.stream().anyMatch(ChangedRow::is)
                    ? Optional.empty()
                    : Optional.of(results));
  }

  /**
   * The first commit above {@code from}, and below {@code upTo}, that changed what gets looked at;
   * {@code upTo} if there is none.
   *
   * @param from a snapshot that is open, so that regions keep what is needed
   * @param upTo issued by the oracle before this call
   */
  CompletableFuture<Long> firstChange(List<Get> gets, long from, long upTo) {
    return Futures.then(
        ask(gets, from, get -> SnapshotRequests.firstChange(get, table.fingerprint(), from, upTo)),
        answers -> {
          long first = upTo;
          for (Result answer : answers) {
            first = Math.min(first, FirstChange.of(answer));
          }
          return first;
        });
  }

  private CompletableFuture<List<Result>> ask(
      List<Get> gets, long timestamp, UnaryOperator<Get> question) {
    return send(gets.stream().map(question).toList(), timestamp);
  }
}
