package io.retso.bench.hbase;

import io.retso.admin.RootCause;
import io.retso.cluster.ClusterException;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Texts;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code retso bench --hbase}: everything about transactional tables, beside the plain client. */
public final class TablesBench {
  private static final String REQUESTS = "requests";
  private static final String WORK = "work";
  private static final String CELLS = "bytes and cells";

  private final TablesSettings settings;
  private final ProgressLine line;
  private final List<TablesFigures.Run> runs = new ArrayList<>();
  private long nextSeed;

  /**
   * Prepares a benchmark.
   *
   * @param terminal whether {@code out} is one
   */
  public TablesBench(TablesSettings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
    this.nextSeed = settings.seed();
  }

  /** Names of all measurements, to choose from. */
  public static List<String> names() {
    List<String> names = new ArrayList<>(Contest.names());
    names.addAll(List.of(REQUESTS, WORK, CELLS));
    return names;
  }

  /**
   * Measures everything. The cluster's data is deleted at the end, however the run ends, unless
   * something fails: then it stays with what the processes said, until the next run.
   *
   * @param version of ReTSO, for the report
   * @param flags as given, for the report
   */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Path data = settings.directory().resolve("hbase-cluster");
    Directories.deleteIfPossible(data); // left by a run that was killed or failed
    DeleteAtExit exit = DeleteAtExit.of(data);
    try (exit) {
      Result result = measure(data, version, flags);
      Directories.deleteIfPossible(data);
      return result;
    }
  }

  private Result measure(Path data, String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("hbase", version, flags, Machine.facts());
    line.show("starting HBase and the oracle: some fifteen seconds ...");
    try (LocalCluster cluster =
            settings.forcedLogs().in(LocalCluster.in(data).hbaseHeapMb(2048)).start();
        BenchTables tables = new BenchTables(cluster, settings.isolation())) {
      line.show("writing " + settings.rows() + " rows to both tables ...");
      tables.load(cluster, settings);
      List<Contest> all = Contest.all(() -> tables);
      List<Contest> contests =
          all.stream().filter(contest -> isAskedFor(contest.toString())).toList();
      warm(cluster, all.stream().filter(this::isWarmedUp).toList());
      List<TablesFigures.Requests> requests =
          isAskedFor(REQUESTS) ? new RequestCounts(cluster, settings).measure() : List.of();
      ProgressLine.Steps steps =
          line.steps(
              (long) settings.rounds()
                  * contests.stream().mapToInt(contest -> contest.variants().size()).sum());
      for (Contest contest : contests) {
        measure(cluster, tables, contest, steps);
      }
      // Last, since each of its flushes leaves a file for reads to look into.
      List<TablesFigures.Work> works =
          isAskedFor(WORK) ? new ServerWork(cluster, tables, settings, line).measure() : List.of();
      List<TablesFigures.Written> written =
          isAskedFor(CELLS) ? new WrittenCounts(tables, data, settings, line).measure() : List.of();
      line.clear();
      TablesResult.describe(result, new TablesFigures(runs, works, requests, written), settings);
      return result.end();
    } catch (ClusterException e) {
      throw new BenchException(e.getMessage(), e);
    } catch (IOException e) {
      throw new BenchException(
          "the benchmark of tables failed: " + RootCause.of(e) + "; its output is in " + data, e);
    }
  }

  private boolean isAskedFor(String name) {
    return settings.names().matcher(name).find();
  }

  private boolean isWarmedUp(Contest contest) {
    return isAskedFor(contest.toString()) || isAskedFor(WORK) && ServerWork.isPrepared(contest);
  }

  private Rows rows(Rows.Draw draw) {
    return new Rows(settings.rows(), settings.valueBytes(), nextSeed++, draw);
  }

  /**
   * Runs everything, several times, until the compilers of the JVMs have done. Code that was
   * compiled for one of the tables must not meet the other one interpreted.
   */
  private void warm(LocalCluster cluster, List<Contest> contests)
      throws IOException, InterruptedException {
    long measurements = contests.stream().mapToLong(contest -> contest.variants().size()).sum();
    long deadline = System.nanoTime() + settings.compilersMax().toNanos();
    double compilers = measurements == 0 ? 0 : 1;
    while (compilers > ClusterTimes.COMPILERS_MAX && System.nanoTime() < deadline) {
      ClusterTimes before = ClusterTimes.of(cluster);
      for (Contest contest : contests) {
        line.show("warm-up   " + contest + "  compilers " + Texts.percent(compilers));
        for (Contest.Measure measure : contest.variants().values()) {
          measure.run(this::rows, 0, settings.warmPass().toNanos() / measurements);
        }
      }
      compilers = ClusterTimes.of(cluster).since(before).compilerShare();
    }
    line.done("warm-up   compilers take " + Texts.percent(compilers) + " of the processor time");
  }

  private void measure(
      LocalCluster cluster, BenchTables tables, Contest contest, ProgressLine.Steps steps)
      throws IOException, InterruptedException {
    for (int round = 0; round < settings.rounds(); round++) {
      for (Map.Entry<String, Contest.Measure> variant : contest.variants().entrySet()) {
        String name = contest + "  " + variant.getKey();
        steps.begin(name + "  round " + (round + 1) + " of " + settings.rounds());
        ClusterTimes before = ClusterTimes.of(cluster);
        ThreadedLoad.Result result =
            variant
                .getValue()
                .run(this::rows, settings.warmUp().toNanos(), settings.measured().toNanos());
        tables.awaitCleanup(); // or the next one would pay for it
        ClusterTimes.Spent spent = ClusterTimes.of(cluster).since(before);
        double perMicro = 1e3 * result.operations();
        runs.add(
            new TablesFigures.Run(
                contest.name(),
                contest.load(),
                variant.getKey(),
                round,
                result.perSecond(),
                result.abortShare(),
                result.latency(),
                new TablesFigures.Cpu(
                    spent.client() / perMicro,
                    spent.hbase() / perMicro,
                    spent.oracle() / perMicro,
                    spent.compilerShare())));
        line.done(
            String.format(
                Locale.ROOT,
                "%-48s  %9s/s  p50 %s  p99 %s ms",
                name,
                Texts.rate(result.perSecond()),
                Texts.millis(result.latency().p50()),
                Texts.millis(result.latency().p99())));
      }
    }
  }
}
