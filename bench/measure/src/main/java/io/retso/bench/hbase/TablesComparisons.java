package io.retso.bench.hbase;

import io.retso.bench.hbase.TablesFigures.Run;
import io.retso.report.Mean;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What was measured beside its targets. A ratio is taken within each round, and the median counts.
 */
final class TablesComparisons {
  private static final double READ_LATENCY_MAX = 1.25;
  private static final double READ_THROUGHPUT_MIN = 0.8;
  private static final double WRITE_LATENCY_MAX = 1.1;
  private static final double LARGE_WRITE_LATENCY_MAX = 1.3;
  private static final double WRITE_THROUGHPUT_MIN = 0.6;
  private static final double LARGE_WRITE_THROUGHPUT_MIN = 0.8;
  private static final double CHANGE_THROUGHPUT_MIN = 0.5;
  private static final double CPU_MAX = 1.8;
  private static final double WORK_MAX = 1.4;
  private static final double LOG_BYTES_MAX = 1.4;
  private static final double CELLS_MAX = 1.0;
  private static final int LARGE_BATCH = 100;
  private static final ToDoubleFunction<Run> P50 = run -> run.latency().p50();
  private static final ToDoubleFunction<Run> MEAN = run -> run.latency().mean();

  private final Rounds<Subject, Run> runs;
  private final List<Verdict> found = new ArrayList<>();

  /** What did something in turn with others. */
  private record Subject(String contest, int load, String variant) {}

  private TablesComparisons(List<Run> runs) {
    this.runs =
        Rounds.of(runs, run -> new Subject(run.contest(), run.load(), run.variant()), Run::round);
  }

  static List<Verdict> of(
      List<Run> runs,
      List<TablesFigures.Work> works,
      List<TablesFigures.Requests> requests,
      List<TablesFigures.Written> written) {
    TablesComparisons all = new TablesComparisons(runs);
    for (int count : Contest.BATCHES) {
      all.readLatency(Contest.gets(count));
    }
    all.readLatency(Contest.singleGets());
    all.readLatency(Contest.SCANS);
    for (int threads : Contest.THREADS) {
      for (int count : Contest.THROUGHPUT_BATCHES) {
        all.throughput(Contest.gets(count), threads, READ_THROUGHPUT_MIN);
      }
    }
    for (int count : Contest.BATCHES) {
      all.writeLatency(
          Contest.puts(count), count < LARGE_BATCH ? WRITE_LATENCY_MAX : LARGE_WRITE_LATENCY_MAX);
    }
    for (int threads : Contest.THREADS) {
      for (int count : Contest.WRITTEN_BATCHES) {
        boolean large = count >= LARGE_BATCH;
        all.throughput(
            Contest.puts(count),
            threads,
            large ? LARGE_WRITE_THROUGHPUT_MIN : WRITE_THROUGHPUT_MIN);
      }
      for (int rows : Contest.CHANGED) {
        all.throughput(Contest.changes(rows), threads, CHANGE_THROUGHPUT_MIN);
      }
      all.cpu(Contest.changes(1), threads);
    }
    for (Mix mix : Contest.JUDGED_MIXES) {
      all.throughput(mix.title, Contest.MIX_THREADS, CHANGE_THROUGHPUT_MIN);
    }
    all.beside(Contest.PEER);
    for (int batch : ServerWork.BATCHES) {
      all.work(works.stream().filter(work -> work.batch() == batch).toList(), batch);
    }
    for (String operation : WrittenCounts.operations()) {
      all.written(
          written.stream().filter(one -> one.operation().equals(operation)).toList(), operation);
    }
    for (TablesFigures.Requests one : requests) {
      if (one.operation().contains("gets")) {
        all.found.add(
            new Verdict(
                "requests to the region server: " + one.operation(),
                one.hbase(),
                false,
                1,
                "counted by HBase's client"));
      }
    }
    return all.found;
  }

  private void readLatency(String contest) {
    String plain = best(contest, 1, P50, false);
    add(
        contest + ", " + Contest.TRANSACTIONS + " / plain, latency",
        ratio(contest, 1, Contest.TRANSACTIONS, plain, P50),
        false,
        READ_LATENCY_MAX,
        "p50; of means "
            + Texts.decimal(ratio(contest, 1, Contest.TRANSACTIONS, plain, MEAN).value())
            + ", by "
            + plain,
        youth(contest, 1));
  }

  private void throughput(String contest, int threads, double target) {
    String plain = best(contest, threads, Run::perSecond, true);
    Mean limit = limit(contest, threads, plain);
    String made = "by " + plain;
    if (limit.count() > 0) {
      made +=
          String.format(
              Locale.ROOT,
              "; processor time allows %s (plain %s us, oracle alone %s)",
              Texts.decimal(limit.value()),
              Texts.rate(median(values(contest, threads, plain, TablesComparisons::needed))),
              Texts.rate(
                  median(values(contest, threads, Contest.ORACLE, TablesComparisons::needed))));
    }
    add(
        contest + ", " + Contest.TRANSACTIONS + ", " + threads + " threads / plain, throughput",
        ratio(contest, threads, Contest.TRANSACTIONS, plain, Run::perSecond),
        true,
        target,
        made,
        youth(contest, threads),
        limit.count() == 0 ? null : limit.value());
  }

  /**
   * The most that processor time allows of plain's throughput, round by round: P / (P + O), where a
   * plain operation takes P and one of the oracle alone takes O. A transaction does at least both:
   * it reads and writes the same rows in HBase, and asks the oracle the same. So processors that do
   * 1 / P plain operations in a second of their time do at most 1 / (P + O) transactions.
   *
   * <p>This holds as far as processor time is what bounds them: if plain operations wait for
   * something else, transactions may use what these leave idle. It also assumes that neither half
   * costs less beside the other. More is likely: alone, all threads ask for the same, so that the
   * most requests share a frame, an entry of the log and a thread's wake-up. It says what the
   * processor times of one run allow, and rises with an oracle that takes less.
   *
   * @return of no measurements if the oracle alone was not measured
   */
  private Mean limit(String contest, int threads, String plain) {
    return values(contest, threads, Contest.ORACLE, TablesComparisons::needed).length == 0
        ? Mean.ofRatios()
        : besideOracle(contest, threads, plain, plain, TablesComparisons::needed);
  }

  /**
   * Processor time that an operation needs, microseconds: without that of the JVMs' compilers,
   * which come to rest, and without what HBase's process does by itself while the oracle is alone.
   */
  private static double needed(Run run) {
    TablesFigures.Cpu cpu = run.cpu();
    double all = run.variant().equals(Contest.ORACLE) ? cpu.client() + cpu.oracle() : cpu.sum();
    return all * (1 - cpu.compilerShare());
  }

  /**
   * The rate beside another system's, of all that both have done: the least target is to be ahead.
   */
  private void beside(String peer) {
    for (Subject run : runs.cases()) {
      if (run.variant().equals(peer)) {
        add(
            run.contest() + ", " + run.load() + " under way, rate / " + peer + "'s",
            ratio(run.contest(), run.load(), Contest.TRANSACTIONS, peer, Run::perSecond),
            true,
            1,
            "",
            youth(run.contest(), run.load()));
      }
    }
  }

  private void cpu(String contest, int threads) {
    ToDoubleFunction<Run> sum = run -> run.cpu().sum();
    add(
        contest + ", " + threads + " threads / plain, processor time of all processes",
        ratio(contest, threads, Contest.TRANSACTIONS, Contest.PLAIN, sum),
        false,
        CPU_MAX,
        String.format(
            Locale.ROOT,
            "%s / %s us",
            Texts.rate(median(values(contest, threads, Contest.TRANSACTIONS, sum))),
            Texts.rate(median(values(contest, threads, Contest.PLAIN, sum)))),
        youth(contest, threads));
  }

  /**
   * Why runs are not to be judged, if the compilers of the JVMs took too much; or empty. Those of
   * the oracle alone say little of it, as HBase is idle meanwhile.
   */
  private String youth(String contest, int load) {
    double share =
        median(
            runs.runs().stream()
                .filter(run -> run.of().contest().equals(contest) && run.of().load() == load)
                .filter(run -> !run.of().variant().equals(Contest.ORACLE))
                .mapToDouble(run -> run.result().cpu().compilerShare())
                .toArray());
    return share > ClusterTimes.COMPILERS_MAX
        ? "compilers took " + Texts.percent(share) + " of the processor time"
        : "";
  }

  private void writeLatency(String contest, double target) {
    String plain = best(contest, 1, P50, false);
    add(
        contest + ", " + Contest.TRANSACTIONS + " / (plain + oracle), latency",
        besideOracle(contest, 1, Contest.TRANSACTIONS, plain, P50),
        false,
        target,
        "p50; of means "
            + Texts.decimal(besideOracle(contest, 1, Contest.TRANSACTIONS, plain, MEAN).value())
            + ", "
            + plain,
        youth(contest, 1));
  }

  /** A variant's figures / those of plain and the oracle alone together. */
  private Mean besideOracle(
      String contest, int load, String variant, String plain, ToDoubleFunction<Run> figure) {
    double[] values = values(contest, load, variant, figure);
    double[] stores = values(contest, load, plain, figure);
    double[] oracle = values(contest, load, Contest.ORACLE, figure);
    for (int i = 0; i < values.length; i++) {
      values[i] /= stores[i] + oracle[i];
    }
    return Mean.ofRatios(values);
  }

  private void work(List<TablesFigures.Work> works, int batch) {
    double[] plain = works(works, Contest.PLAIN);
    double[] transactions = works(works, Contest.TRANSACTIONS);
    double[] ratios = new double[plain.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = transactions[i] / plain[i];
    }
    add(
        "region server's work for a written row, " + Contest.puts(batch) + " / plain",
        Mean.ofRatios(ratios),
        false,
        WORK_MAX,
        String.format(
            Locale.ROOT,
            "processor time, %s / %s us",
            Texts.decimal(median(transactions)),
            Texts.decimal(median(plain))),
        "");
  }

  private void written(List<TablesFigures.Written> both, String operation) {
    written(both, operation, "bytes of the log", LOG_BYTES_MAX, TablesFigures.Written::logBytes);
    written(both, operation, "cells in memory", CELLS_MAX, TablesFigures.Written::cells);
  }

  private void written(
      List<TablesFigures.Written> both,
      String operation,
      String what,
      double target,
      ToDoubleFunction<TablesFigures.Written> figure) {
    Map<String, Double> figures = new HashMap<>();
    both.forEach(one -> figures.put(one.variant(), figure.applyAsDouble(one)));
    if (!figures.isEmpty()) { // it may have been left out
      double transactions = figures.get(Contest.TRANSACTIONS);
      double plain = figures.get(Contest.PLAIN);
      found.add(
          new Verdict(
              what + ", " + operation + " / plain",
              transactions / plain,
              false,
              target,
              Texts.decimal(transactions) + " / " + Texts.decimal(plain)));
    }
  }

  private static double[] works(List<TablesFigures.Work> works, String variant) {
    return works.stream()
        .filter(work -> work.variant().equals(variant))
        .mapToDouble(TablesFigures.Work::microsPerRow)
        .toArray();
  }

  private void add(
      String what, Mean ratio, boolean atLeast, double target, String made, String doubt) {
    add(what, ratio, atLeast, target, made, doubt, null);
  }

  private void add(
      String what,
      Mean ratio,
      boolean atLeast,
      double target,
      String made,
      String doubt,
      Double limit) {
    if (ratio.count() > 0) { // it may have been left out
      found.add(new Verdict(what, ratio, atLeast, target, made, doubt, limit));
    }
  }

  /** The better one of the plain clients. */
  private String best(String contest, int load, ToDoubleFunction<Run> figure, boolean more) {
    double[] async = values(contest, load, Contest.PLAIN_ASYNC, figure);
    if (async.length == 0) {
      return Contest.PLAIN;
    }
    double blocking = median(values(contest, load, Contest.PLAIN, figure));
    return median(async) > blocking == more ? Contest.PLAIN_ASYNC : Contest.PLAIN;
  }

  private Mean ratio(
      String contest, int load, String variant, String plain, ToDoubleFunction<Run> figure) {
    return runs.ratio(
        new Subject(contest, load, variant), new Subject(contest, load, plain), figure);
  }

  /** In the order of the rounds. */
  private double[] values(String contest, int load, String variant, ToDoubleFunction<Run> figure) {
    return runs.results(new Subject(contest, load, variant)).stream().mapToDouble(figure).toArray();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }
}
