package io.retso.bench.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** What the plain HBase client does. */
final class PlainOperations {
  private final BenchTables tables;

  PlainOperations(BenchTables tables) {
    this.tables = tables;
  }

  private interface TableWork {
    void on(Table table) throws IOException;
  }

  private Operation operation(TableWork work) throws IOException {
    Table table = tables.connection.getTable(BenchTables.PLAIN);
    return new Operation() {
      @Override
      public boolean run() throws IOException {
        work.on(table);
        return true;
      }

      @Override
      public void close() throws IOException {
        table.close();
      }
    };
  }

  /** A batch of gets. */
  Operation.Maker gets(int count) {
    return rows -> operation(table -> checked(table.get(rows.gets(count))));
  }

  /** Gets one after the other. */
  Operation.Maker singleGets(int count) {
    return rows ->
        operation(
            table -> {
              for (Get get : rows.gets(count)) {
                checked(table.get(get));
              }
            });
  }

  /** A batch of gets by the asynchronous client. */
  Operation.Maker asyncGets(int count) {
    var table = tables.async.getTable(BenchTables.PLAIN);
    return rows ->
        () -> {
          checked(await(table.getAll(rows.gets(count))).toArray(Result[]::new));
          return true;
        };
  }

  /** A batch of puts. */
  Operation.Maker puts(int count) {
    return rows -> operation(table -> table.put(rows.puts(count)));
  }

  /** A batch of puts by the asynchronous client. */
  Operation.Maker asyncPuts(int count) {
    var table = tables.async.getTable(BenchTables.PLAIN);
    return rows ->
        () -> {
          await(table.putAll(rows.puts(count)));
          return true;
        };
  }

  /** Scans of short ranges. */
  Operation.Maker scans(int count) {
    return rows -> operation(table -> scanned(table, rows.scan(count)));
  }

  /** Reads different random rows, and writes them. */
  Operation.Maker readModifyWrites(int count) {
    return rows -> operation(table -> readModifyWrite(table, rows, count));
  }

  /** A mix of operations. */
  Operation.Maker mix(Mix mix) {
    return rows -> operation(table -> run(mix.next(rows), table, rows));
  }

  /** One operation of a mix, in a table that holds transactions or does not. */
  static void run(Mix.Kind kind, Table table, Rows rows) throws IOException {
    switch (kind) {
      case READ -> checked(table.get(new Get(rows.next())));
      case SCAN -> scanned(table, rows.scan(1 + rows.choose(Mix.SCANNED_MAX)));
      case UPDATE -> table.put(rows.put(rows.next()));
      case INSERT -> table.put(rows.put(rows.absent()));
      case READ_MODIFY_WRITE -> readModifyWrite(table, rows, rows.next());
    }
  }

  /** Reads different random rows, and writes them: several in one request each. */
  static void readModifyWrite(Table table, Rows rows, int count) throws IOException {
    if (count == 1) {
      readModifyWrite(table, rows, rows.next());
      return;
    }
    List<byte[]> keys = rows.next(count);
    checked(table.get(keys.stream().map(Get::new).toList()));
    List<Put> puts = new ArrayList<>(count); // that may be changed, as HBase wants it
    keys.forEach(key -> puts.add(rows.put(key)));
    table.put(puts);
  }

  private static void readModifyWrite(Table table, Rows rows, byte[] key) throws IOException {
    checked(table.get(new Get(key)));
    table.put(rows.put(key));
  }

  /** Reads all rows of a scan that finds some. */
  static void scanned(Table table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      Result row = scanner.next();
      if (row == null) {
        throw new IOException("a scan found nothing: every row was loaded");
      }
      while (row != null) {
        row = scanner.next();
      }
    }
  }

  static <T> T await(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new java.io.InterruptedIOException("interrupted");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  /** A benchmark of reads that find nothing would be worth nothing. */
  static void checked(Result... results) throws IOException {
    for (Result result : results) {
      if (result.isEmpty()) {
        throw new IOException("a row is missing: every row was loaded");
      }
    }
  }

  static void checked(List<Result> results) throws IOException {
    checked(results.toArray(Result[]::new));
  }
}
