package io.retso.bench.hbase;

import io.retso.bench.report.Texts;
import io.retso.bench.suite.ProgressLine;
import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * The whole work of a region server for rows that are written: processor time of its process until
 * they are written, cleaned up and flushed, less what it takes when nobody asks it anything. It is
 * the measure that other load on the machine disturbs least.
 */
final class ServerWork {
  private static final int BATCH = 10;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ChildProcess hbase;
  private final BenchTables tables;
  private final TablesSettings settings;
  private final ProgressLine line;
  private long nextSeed;

  ServerWork(LocalCluster cluster, BenchTables tables, TablesSettings settings, ProgressLine line) {
    this.hbase = cluster.hbaseProcesses().get(0); // master and region server in one
    this.tables = tables;
    this.settings = settings;
    this.line = line;
    this.nextSeed = settings.seed();
  }

  List<TablesReport.Work> measure() throws IOException {
    double idle = idleShare();
    List<TablesReport.Work> works = new ArrayList<>();
    Operation.Maker plain = new PlainOperations(tables).puts(BATCH);
    Operation.Maker transactions = new TransactionOperations(tables).puts(BATCH);
    for (int round = 0; round < settings.rounds(); round++) {
      works.add(work(Contest.PLAIN, BenchTables.PLAIN, plain, round, idle));
      works.add(work(Contest.TRANSACTIONS, BenchTables.TRANSACTIONAL, transactions, round, idle));
    }
    return works;
  }

  private double idleShare() {
    line.show("work      of an idle region server");
    long before = hbase.cpuTime().toNanos();
    long from = System.nanoTime();
    while (System.nanoTime() - from < IDLE_NANOS) {
      LockSupport.parkNanos(IDLE_NANOS - (System.nanoTime() - from));
    }
    return (double) (hbase.cpuTime().toNanos() - before) / (System.nanoTime() - from);
  }

  private TablesReport.Work work(
      String variant, TableName table, Operation.Maker maker, int round, double idle)
      throws IOException {
    line.show("work      " + variant);
    Rows rows = new Rows(settings.rows(), settings.valueBytes(), nextSeed++, false);
    long before = hbase.cpuTime().toNanos();
    long from = System.nanoTime();
    long written = 0;
    try (Operation operation = maker.make(rows);
        Admin admin = tables.connection.getAdmin()) {
      while (written < settings.workRows()) {
        written += operation.run() ? BATCH : 0;
      }
      tables.awaitCleanup();
      admin.flush(table);
    }
    double nanos = hbase.cpuTime().toNanos() - before - idle * (System.nanoTime() - from);
    TablesReport.Work work = new TablesReport.Work(variant, round, written, nanos / 1e3 / written);
    line.done(
        "work      " + variant + "  " + Texts.decimal(work.microsPerRow()) + " us a row written");
    return work;
  }
}
