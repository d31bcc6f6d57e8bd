package io.retso.bench.bounds;

import io.retso.bench.bounds.DyingClients.Death;
import io.retso.bench.bounds.LongRun.Observation;
import io.retso.client.OracleClient;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.options.Isolation;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * {@code retso bench bounds}: one row is updated for long while clients die, and nothing may grow:
 * neither the table nor what the oracle remembers nor the latency of reads. The first half of the
 * run is compared with the second one.
 */
public final class BoundsBench {
  /** The time limit of a transaction: dead clients hold the low watermark back for that long. */
  private static final String TIMEOUT = "5s";

  private static final int OBSERVATIONS = 20;
  private static final int FLUSHES = 40;
  private static final double GROWTH_MAX = 1.5;
  private static final TableName TABLE = TableName.valueOf("long-run");

  private final long updates;
  private final long deaths;
  private final Isolation isolation;
  private final Path directory;
  private final PrintWriter out;
  private final List<Observation> seen = new ArrayList<>();

  /**
   * Prepares the run.
   *
   * @param updates of the row by transactions, at least 1000
   * @param deaths of clients meanwhile, at least 1
   * @param isolation of the transactions
   * @param directory for the cluster's data, which is deleted at the end
   */
  public BoundsBench(
      long updates, long deaths, Isolation isolation, Path directory, PrintWriter out) {
    this.updates = updates;
    this.deaths = deaths;
    this.isolation = isolation;
    this.directory = directory;
    this.out = out;
  }

  /** Runs and prints; returns what may not grow beside its bound. */
  public List<Verdict> run() throws BenchException, InterruptedException {
    say(
        "One row is updated %,d times while %,d clients die in their transactions; flush every"
            + " %,d updates, time limit of a transaction %s.",
        updates, deaths, updates / FLUSHES, TIMEOUT);
    Path data = directory.resolve("hbase-cluster");
    Directories.deleteIfPossible(data); // left by a run that was killed or failed
    DeleteAtExit exit = DeleteAtExit.of(data);
    try (exit;
        LocalCluster cluster =
            LocalCluster.in(data)
                .oracleFlags("--transaction-timeout=" + TIMEOUT)
                // Files that were compacted leave the directory then, not within two minutes.
                .set("hbase.hfile.compaction.discharger.interval", "5000")
                .start();
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        OracleClient oracle = OracleClient.builder().address(cluster.oracle()).build();
        TransactionManager manager =
            TransactionManager.builder(connection)
                .isolation(isolation)
                .sweepInterval(Duration.ofSeconds(1))
                .build()) {
      TablePreparation.builder(connection)
          .oracle(cluster.oracle())
          .build()
          .create(
              TableDescriptorBuilder.newBuilder(TABLE)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(LongRun.FAMILY))
                  .build(),
              TablePreparation.Options.DEFAULT);
      try (LongRun run =
          new LongRun(
              connection,
              manager,
              oracle,
              TABLE,
              cluster.oracleHttpPort(),
              cluster.oracleProcess().pid())) {
        drive(run, connection);
        run.awaitQuiet(() -> compact(connection));
        show(run.observe());
      }
    } catch (IOException e) {
      throw new BenchException(
          "the long run failed: " + ErrorText.of(e) + "; its output is in " + data, e);
    }
    Directories.deleteIfPossible(data);
    List<Verdict> comparisons = comparisons();
    return comparisons;
  }

  private void drive(LongRun run, Connection connection) throws IOException, InterruptedException {
    say(
        "  updates  deaths  versions  marks  files KB  memstore MB  remembered  lag timestamps"
            + "  read ms  oracle MB");
    long each = Math.max(1, updates / deaths);
    long done = 0;
    ProgressLine line = new ProgressLine(out);
    ProgressLine.Steps steps = line.steps(FLUSHES);
    for (int step = 1; step <= FLUSHES; step++) {
      steps.begin("  up to flush " + step + " of " + FLUSHES);
      long until = updates * step / FLUSHES;
      while (done < until) {
        long now = Math.min(each, until - done);
        run.update(now);
        done += now;
        run.die(Death.values()[(int) (done / each % Death.values().length)]);
      }
      if (step % (FLUSHES / OBSERVATIONS) == 0) {
        line.clear();
        show(run.observe()); // before the flush, when most is there
      }
      run.flush();
      try (Admin admin = connection.getAdmin()) {
        admin.compact(TABLE); // as HBase does after flushes of its own, but not after this one
      }
    }
  }

  private static void compact(Connection connection) throws IOException, InterruptedException {
    try (Admin admin = connection.getAdmin()) {
      admin.majorCompact(TABLE);
      do {
        Thread.sleep(200); // a request is taken a moment before the compaction begins
      } while (admin.getCompactionState(TABLE) != CompactionState.NONE);
    }
  }

  private void show(Observation o) {
    seen.add(o);
    say(
        "  %7d  %6d  %8d  %5d  %8.0f  %11.1f  %10d  %10d  %7s  %9s",
        o.updates(),
        o.deaths(),
        o.versions(),
        o.marks(),
        o.storeBytes() / 1e3,
        o.memstoreBytes() / 1048576.0,
        o.remembered(),
        o.lagTimestamps(),
        Texts.millis(o.readMillis()),
        Texts.decimal(o.oracleMegabytes()));
  }

  private List<Verdict> comparisons() {
    List<Verdict> all = new ArrayList<>();
    all.add(growth("versions of the row", Observation::versions));
    all.add(growth("marks in the table", Observation::marks));
    all.add(growth("the table's files", Observation::storeBytes));
    all.add(growth("the table's memstore", Observation::memstoreBytes));
    all.add(growth("transactions that the oracle remembers", Observation::remembered));
    all.add(growth("lag of the low watermark", Observation::lagTimestamps));
    all.add(growth("latency of a read", Observation::readMillis));
    all.add(growth("memory of the oracle", Observation::oracleMegabytes));
    Observation last = seen.get(seen.size() - 1);
    String end = "after the last client's time limit, a sweep and a compaction";
    all.add(new Verdict("versions of the row at the end", last.versions(), false, 1, end));
    all.add(new Verdict("marks at the end", last.marks(), false, 0, end));
    all.add(new Verdict("remembered at the end", last.remembered(), false, 1, end));
    return all;
  }

  /** The most of the second half to the most of the first. */
  private Verdict growth(String what, ToDoubleFunction<Observation> figure) {
    int half = OBSERVATIONS / 2;
    double first = seen.subList(0, half).stream().mapToDouble(figure).max().orElseThrow();
    double second =
        seen.subList(half, OBSERVATIONS).stream().mapToDouble(figure).max().orElseThrow();
    return new Verdict(
        what + ", growth",
        first == 0 ? 1 + second : second / first,
        false,
        GROWTH_MAX,
        String.format(Locale.ROOT, "most of the halves: %.1f, %.1f", first, second));
  }

  private void say(String form, Object... values) {
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }
}
