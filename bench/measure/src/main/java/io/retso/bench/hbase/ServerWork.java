package io.retso.bench.hbase;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import io.retso.machine.ProcessTimes;
import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * The whole work of a region server for rows that are written: processor time of its process until
 * they are written, cleaned up and flushed, less what it takes when it is not asked anything, and
 * less what the JVM's compilers take, which go on for minutes and have more to do where there is
 * more code. It is the measure that other load on the machine disturbs least.
 */
final class ServerWork {
  /** Rows of a transaction, and of a plain batch. */
  static final List<Integer> BATCHES = List.of(1, 10, 100);

  /** Smaller batches write fewer rows in all, as they take longer for each. */
  private static final int BATCH_OF_ALL_ROWS = 10;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int IDLE_WINDOWS = 5;

  /** One measurement, with what the server does anyway. */
  private record Load(int batch, String variant, int round, long rows, long cpuNanos, long nanos) {
    TablesFigures.Work without(double idle) {
      return new TablesFigures.Work(
          batch, variant, round, rows, (cpuNanos - idle * nanos) / 1e3 / rows);
    }
  }

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

  /** Whether a contest runs what is measured here, so that it is compiled by then. */
  static boolean isPrepared(Contest contest) {
    return contest.load() == 1
        && BATCHES.stream().map(Contest::puts).anyMatch(contest.name()::equals);
  }

  List<TablesFigures.Work> measure() throws IOException {
    tables.flush(); // what others wrote is not this one's work
    List<Load> loads = new ArrayList<>();
    PlainOperations plain = new PlainOperations(tables);
    TransactionOperations transactions = new TransactionOperations(tables);
    for (int batch : BATCHES) {
      for (int round = 0; round < settings.rounds(); round++) {
        loads.add(load(batch, Contest.PLAIN, BenchTables.PLAIN, plain.puts(batch), round));
        loads.add(
            load(
                batch,
                Contest.TRANSACTIONS,
                BenchTables.TRANSACTIONAL,
                transactions.puts(batch),
                round));
      }
    }
    double idle = idleShare();
    List<TablesFigures.Work> works = loads.stream().map(load -> load.without(idle)).toList();
    for (TablesFigures.Work work : works) {
      line.done(
          String.format(
              Locale.ROOT,
              "%-48s  %s us a row written",
              name(work.batch(), work.variant()),
              Texts.decimal(work.microsPerRow())));
    }
    return works;
  }

  /** The least of some windows: in others the JVM may still compile what it has just run. */
  private double idleShare() {
    line.show("work      of an idle region server");
    double least = Double.MAX_VALUE;
    for (int i = 0; i < IDLE_WINDOWS; i++) {
      ProcessTimes before = ProcessTimes.of(hbase.pid());
      long from = System.nanoTime();
      while (System.nanoTime() - from < IDLE_NANOS) {
        LockSupport.parkNanos(IDLE_NANOS - (System.nanoTime() - from));
      }
      ProcessTimes after = ProcessTimes.of(hbase.pid());
      double busy = after.cpuNanos(before) - after.compilerNanos(before);
      least = Math.min(least, Math.max(0, busy) / (System.nanoTime() - from));
    }
    return least;
  }

  private static String name(int batch, String variant) {
    return "work      " + Contest.puts(batch) + "  " + variant;
  }

  private Load load(int batch, String variant, TableName table, Operation.Maker maker, int round)
      throws IOException {
    line.show(name(batch, variant) + "  round " + (round + 1) + " of " + settings.rounds());
    Rows rows = new Rows(settings.rows(), settings.valueBytes(), nextSeed++, Rows.Draw.UNIFORM);
    ProcessTimes before = ProcessTimes.of(hbase.pid());
    long from = System.nanoTime();
    long planned =
        (long) settings.workRows() * Math.min(batch, BATCH_OF_ALL_ROWS) / BATCH_OF_ALL_ROWS;
    long written = 0;
    try (Operation operation = maker.make(rows);
        Admin admin = tables.connection.getAdmin()) {
      while (written < planned) {
        written += operation.run() ? batch : 0;
      }
      tables.awaitCleanup();
      admin.flush(table);
    }
    long nanos = System.nanoTime() - from;
    ProcessTimes after = ProcessTimes.of(hbase.pid());
    long worked = after.cpuNanos(before) - after.compilerNanos(before);
    return new Load(batch, variant, round, written, worked, nanos);
  }
}
