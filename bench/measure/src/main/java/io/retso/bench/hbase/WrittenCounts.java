package io.retso.bench.hbase;

import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * How many bytes one operation adds to the write-ahead log, and how many cells to the memory of the
 * regions, its cleanup included: by the length of the log's files, and by the regions' own count.
 * One thread, so plain batches share nothing; cleanups collect as they always do. A few operations
 * go ahead, uncounted: the first mark in a region after a flush, once in many megabytes, is a cell.
 */
final class WrittenCounts {
  private static final int OPERATIONS = 100;
  private static final int AHEAD = 20;

  /**
   * How names of logs end that are of HBase's own table, and of its master, once it needs them no
   * more.
   */
  private static final List<String> OWN_LOGS = List.of(".meta", "$masterlocalwal$");

  private final BenchTables tables;

  /** Where HBase writes its logs, and where it moves them once it needs them no more. */
  private final List<Path> logs;

  private final TablesSettings settings;
  private final ProgressLine line;

  /**
   * Prepares it.
   *
   * @param data the cluster's directory
   */
  WrittenCounts(BenchTables tables, Path data, TablesSettings settings, ProgressLine line) {
    this.tables = tables;
    Path root = data.resolve("data").resolve("hbase");
    this.logs = List.of(root.resolve("WALs"), root.resolve("oldWALs"));
    this.settings = settings;
    this.line = line;
  }

  /** Names of what is counted. */
  static List<String> operations() {
    List<String> names = new ArrayList<>();
    ServerWork.BATCHES.forEach(batch -> names.add(Contest.puts(batch)));
    Contest.CHANGED.forEach(rows -> names.add(Contest.changes(rows)));
    return names;
  }

  List<TablesFigures.Written> measure() throws IOException {
    line.show("bytes and cells");
    PlainOperations plain = new PlainOperations(tables);
    TransactionOperations transactions = new TransactionOperations(tables);
    List<TablesFigures.Written> all = new ArrayList<>();
    askable(BenchTables.PLAIN);
    askable(BenchTables.TRANSACTIONAL);
    for (int batch : ServerWork.BATCHES) {
      String name = Contest.puts(batch);
      all.add(count(name, Contest.PLAIN, BenchTables.PLAIN, plain.puts(batch)));
      all.add(
          count(name, Contest.TRANSACTIONS, BenchTables.TRANSACTIONAL, transactions.puts(batch)));
    }
    for (int rows : Contest.CHANGED) {
      String name = Contest.changes(rows);
      all.add(count(name, Contest.PLAIN, BenchTables.PLAIN, plain.readModifyWrites(rows)));
      all.add(
          count(
              name,
              Contest.TRANSACTIONS,
              BenchTables.TRANSACTIONAL,
              transactions.readModifyWrites(rows)));
    }
    return all;
  }

  /** Lets the regions of a table tell; they are opened anew for that, with nothing in memory. */
  private void askable(TableName name) throws IOException {
    try (Admin admin = tables.connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setCoprocessor(MemoryCells.class.getName())
              .build());
    }
  }

  private TablesFigures.Written count(
      String what, String variant, TableName table, Operation.Maker maker) throws IOException {
    tables.flush();
    Rows rows =
        new Rows(settings.rows(), settings.valueBytes(), settings.seed(), Rows.Draw.UNIFORM);
    try (Operation operation = maker.make(rows)) {
      for (int i = 0; i < AHEAD; i++) {
        operation.run();
      }
      tables.awaitCleanup();
      Map<String, Long> before = logSizes();
      long cells = cells(table);
      for (int i = 0; i < OPERATIONS; i++) {
        operation.run();
      }
      tables.awaitCleanup();
      TablesFigures.Written written =
          new TablesFigures.Written(
              what,
              variant,
              (double) grown(before, logSizes()) / OPERATIONS,
              (double) (cells(table) - cells) / OPERATIONS);
      line.done(
          String.format(
              Locale.ROOT,
              "written   %-38s  %s bytes, %s cells",
              what + "  " + variant,
              Texts.decimal(written.logBytes()),
              Texts.decimal(written.cells())));
      return written;
    }
  }

  private long cells(TableName name) throws IOException {
    long cells = 0;
    try (RegionLocator regions = tables.connection.getRegionLocator(name);
        Table table = tables.connection.getTable(name)) {
      for (HRegionLocation location : regions.getAllRegionLocations()) {
        byte[] first = location.getRegion().getStartKey();
        byte[] row = first.length == 0 ? new byte[1] : first; // a row has a name
        cells += MemoryCells.answer(table.get(MemoryCells.question(row)));
      }
    }
    return cells;
  }

  /**
   * By how much logs have grown. HBase may begin a new one at any time, and move or delete old
   * ones; one that is gone was moved before, and grew no more.
   *
   * @param before their sizes by name, and so {@code after}
   */
  static long grown(Map<String, Long> before, Map<String, Long> after) {
    return after.entrySet().stream()
        .mapToLong(log -> log.getValue() - before.getOrDefault(log.getKey(), 0L))
        .sum();
  }

  /** Sizes of all logs, HBase's own aside, by name; what is acknowledged is in them. */
  private Map<String, Long> logSizes() {
    Map<String, Long> sizes = new HashMap<>();
    logs.forEach(directory -> add(directory.toFile(), sizes));
    return sizes;
  }

  /** A log that is moved meanwhile may have no length here, and is met where it is moved to. */
  private static void add(File file, Map<String, Long> sizes) {
    File[] within = file.listFiles();
    if (within != null) {
      Arrays.stream(within).forEach(each -> add(each, sizes));
    } else if (OWN_LOGS.stream().noneMatch(file.getName()::endsWith)) {
      sizes.put(file.getName(), file.length());
    }
  }
}
