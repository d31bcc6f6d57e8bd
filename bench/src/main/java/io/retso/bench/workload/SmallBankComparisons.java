package io.retso.bench.workload;

import io.retso.bench.report.Comparison;
import io.retso.bench.report.Texts;
import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** What serializable transactions are hoped to cost, beside what they do. */
final class SmallBankComparisons {
  private static final double THROUGHPUT_MIN = 0.95;
  private static final double WORK_MAX = 1.05;
  private static final double NEEDLESS_MAX = 0.001;
  private static final double PERCENT = 100;

  /** Customers of a hot spot that is not one of high contention. */
  static final int MANY = 100;

  private SmallBankComparisons() {}

  static List<Comparison> of(List<Run> runs) {
    Set<Case> cases = new LinkedHashSet<>();
    runs.forEach(run -> cases.add(run.of()));
    List<Comparison> all = new ArrayList<>();
    for (Case of : cases) {
      List<Run> here = runs.stream().filter(run -> run.of().equals(of)).toList();
      if (of.store() == StoreKind.HBASE && of.hot() >= MANY) {
        all.addAll(throughput(of, here));
      } else if (of.store() == StoreKind.ORACLE && of.hot() < MANY) {
        all.addAll(needless(of, here));
      }
    }
    return all;
  }

  private static List<Comparison> throughput(Case of, List<Run> runs) {
    int level = SmallBankText.mainLevel(SmallBankText.clients(runs));
    Mean ratio = ratio(runs, Strategy.SERIALIZABLE, level);
    double[] others =
        Arrays.stream(Strategy.values())
            .filter(Strategy::isOfThePaper)
            .mapToDouble(strategy -> ratio(runs, strategy, level).value())
            .sorted()
            .toArray();
    double second = others[others.length - 2];
    List<Comparison> all = new ArrayList<>();
    if (ratio.value() > 0) {
      all.add(judged(of + ", SERIALIZABLE / SI, throughput", ratio, true, THROUGHPUT_MIN, level));
      Mean work = ratio(runs, Strategy.SERIALIZABLE, level, run -> run.work().sum());
      String what = of + ", SERIALIZABLE / SI, processor time of an attempt";
      all.add(judged(what, work, false, WORK_MAX, level));
    }
    if (ratio.value() > 0 && second > 0) {
      Mean beside = new Mean(ratio.value() / second, ratio.error(), ratio.count());
      String what = of + ", SERIALIZABLE / the second of the paper's strategies";
      all.add(judged(what, beside, true, 1, level));
    }
    return all;
  }

  private static Comparison judged(
      String what, Mean ratio, boolean atLeast, double target, int clients) {
    String how =
        String.format(
            Locale.ROOT,
            "%d clients; median of %d rounds' ratios, +- %.2f",
            clients,
            ratio.count(),
            ratio.error());
    return new Comparison(what, ratio.value(), atLeast, target, how, ratio.doubt(target));
  }

  private static List<Comparison> needless(Case of, List<Run> runs) {
    long needless = 0;
    long attempts = 0;
    for (Run run : runs) {
      if (run.strategy() == Strategy.SERIALIZABLE) {
        needless += run.check().needless();
        attempts += run.attempts().values().stream().mapToLong(Long::longValue).sum();
      }
    }
    if (attempts == 0) {
      return List.of();
    }
    return List.of(
        new Comparison(
            of + ", SERIALIZABLE: refused without a cycle, percent",
            PERCENT * needless / attempts,
            false,
            PERCENT * NEEDLESS_MAX,
            String.format(Locale.ROOT, "%,d of %s attempts", needless, Texts.rate(attempts))));
  }

  /** Throughput of a strategy beside that of snapshot isolation in the same round; 0 if unknown. */
  static Mean ratio(List<Run> runs, Strategy strategy, int clients) {
    return ratio(runs, strategy, clients, Run::perSecond);
  }

  private static Mean ratio(
      List<Run> runs, Strategy strategy, int clients, ToDoubleFunction<Run> figure) {
    return Mean.ofRatios(
        runs.stream()
            .filter(run -> run.strategy() == strategy && run.clients() == clients)
            .map(run -> ratio(run, runs, figure))
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .toArray());
  }

  private static Double ratio(Run of, List<Run> runs, ToDoubleFunction<Run> figure) {
    return runs.stream()
        .filter(
            run ->
                run.strategy() == Strategy.SI
                    && run.clients() == of.clients()
                    && run.round() == of.round()
                    && figure.applyAsDouble(run) > 0
                    && run.of().equals(of.of()))
        .findFirst()
        .map(si -> figure.applyAsDouble(of) / figure.applyAsDouble(si))
        .orElse(null);
  }
}
