package io.retso.hbase.transaction;

import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Timings.Step;
import io.retso.hbase.read.BlockingScanner;
import io.retso.hbase.read.ConsumerSink;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.ScanRange;
import io.retso.hbase.read.SnapshotScan;
import io.retso.hbase.read.TableReader;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.trace.TraceContext;
import io.retso.hbase.write.TableEdits;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/**
 * How one transaction reads one table: its own writes, which are sent ahead if need be, and its
 * snapshot. What was read of the snapshot goes into its read set. Thread-safe.
 */
final class TableReads implements TableEdits.Access {
  private final TransactionCore core;
  private final Begun tx;
  private final TableReader reader;
  private final PreparedTable table;

  /** Takes what is read: the transaction's, or the one that keeps nothing. */
  private final ReadSet readSet;

  private final boolean isUntracked;

  TableReads(TransactionCore core, TableReader reader, ReadSet readSet) {
    this(core, reader, readSet, false);
  }

  private TableReads(
      TransactionCore core, TableReader reader, ReadSet readSet, boolean isUntracked) {
    this.isUntracked = isUntracked;
    this.core = core;
    this.tx = core.begun;
    this.reader = reader;
    this.table = reader.table();
    this.readSet = readSet;
  }

  /** Reads of the same table that do not go into the read set. */
  TableReads untracked() {
    return new TableReads(core, reader, ReadSet.UNTRACKED, true);
  }

  /** What a recording calls reads of this kind: those that are not certified by another word. */
  String kind(String tracked) {
    return isUntracked ? tracked + "Untracked" : tracked;
  }

  /** Within an operation of the transaction. What was just written is answered at once. */
  @Override
  public CompletableFuture<List<Result>> read(List<Get> gets) {
    List<Result> answers = new ArrayList<>(gets.size());
    List<Get> asked = new ArrayList<>();
    for (Get get : gets) {
      Result own = tx.writes().answer(table, get);
      answers.add(own);
      if (own == null) {
        asked.add(get);
      }
    }
    if (asked.isEmpty()) {
      return CompletableFuture.completedFuture(answers);
    }
    return ask(asked)
        .thenApply(
            found -> {
              Iterator<Result> next = found.iterator();
              answers.replaceAll(own -> own == null ? next.next() : own);
              return answers;
            });
  }

  private CompletableFuture<List<Result>> ask(List<Get> gets) {
    readSet.add(table, gets);
    List<byte[]> rows = gets.stream().map(Get::getRow).toList();
    return sent(tx.writes().sendBeforeReading(table, rows))
        .thenCompose(done -> tx.timings().of(Step.READ, () -> tx.snapshot().read(reader, gets)))
        .thenCompose(
            results ->
                tx.writes().hasSent(table, rows)
                    ? reader.confirmOpen(tx.start()).thenApply(open -> results)
                    : CompletableFuture.completedFuture(results));
  }

  /** Within an operation, as all below: reads, and what is looked at counts as written. */
  CompletableFuture<Result> forUpdate(Get get) {
    return addWriteConflict(get).thenCompose(done -> read(get));
  }

  /** Reads, and what is looked at must be unchanged at the commit. */
  CompletableFuture<Result> validated(Get get) {
    return addReadConflict(get).thenCompose(done -> read(get));
  }

  CompletableFuture<Void> addWriteConflict(Get of) {
    return Futures.begun(
        () -> {
          tx.writes().add(table, List.of(), of);
          return CompletableFuture.completedFuture(null);
        });
  }

  CompletableFuture<Void> addReadConflict(Get of) {
    return Futures.begun(
        () -> {
          tx.writes().validate(table, of); // the oracle certifies these, too
          return CompletableFuture.completedFuture(null);
        });
  }

  private CompletableFuture<Result> read(Get get) {
    return read(List.of(get)).thenApply(results -> results.get(0));
  }

  @Override
  public CompletableFuture<Void> sendAll() {
    return sent(tx.writes().sendAll());
  }

  /** A failure of a write decides the transaction's fate, whatever waited for it. */
  private CompletableFuture<Void> sent(CompletableFuture<Void> sending) {
    return Futures.explained(
        TraceContext.keep(sending),
        failure -> core.life.writeFailed(Failures.ofStore(failure, tx.start())));
  }

  /** Gives the rows of a checked scan to the consumer. */
  void scan(Scan scan, ScanResultConsumer consumer) {
    Scan copy = copy(scan);
    open(copy, true, new ConsumerSink(core.life, consumer, readSet.scan(table, copy)));
  }

  /** The rows of a checked scan. */
  ResultScanner scanner(Scan scan) {
    Scan copy = copy(scan);
    ScanRange range = readSet.scan(table, copy);
    BlockingScanner scanner = new BlockingScanner(core.life, scan, range);
    open(copy, false, scanner); // may be closed, or left, before the operation ends
    return scanner;
  }

  private static Scan copy(Scan scan) {
    try {
      return new Scan(scan);
    } catch (IOException e) {
      throw notCopied(e);
    }
  }

  private static IllegalArgumentException notCopied(IOException cause) {
    return new IllegalArgumentException(
        "the scan's filter cannot be copied: " + ErrorText.of(cause), cause);
  }

  private void open(Scan scan, boolean isHeld, SnapshotScan.Sink sink) {
    SnapshotScan opened;
    try {
      opened = new SnapshotScan(core.life, scan, sink);
    } catch (IOException e) {
      throw notCopied(e);
    }
    TraceContext place = tx.trace().atCall();
    // The operation ends before rows come: the application may commit when it has seen them all.
    core.run(
            false,
            isHeld,
            () ->
                sent(tx.writes().sendBeforeReading(table, scan))
                    .thenCompose(done -> tx.snapshot().timestamp()))
        .thenAccept(timestamp -> place.run(() -> opened.open(reader, timestamp)))
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                sink.failed(Futures.unwrap(failure));
              }
            });
  }
}
