package io.retso.bench.workload;

import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.report.Mean;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
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

  static List<Verdict> of(List<Run> runs) {
    Set<Case> cases = new LinkedHashSet<>();
    runs.forEach(run -> cases.add(run.of()));
    List<Verdict> all = new ArrayList<>();
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

  private static List<Verdict> throughput(Case of, List<Run> runs) {
    int level = SmallBankText.mainLevel(SmallBankText.clients(runs));
    Mean ratio = ratio(runs, Strategy.SERIALIZABLE, level);
    if (ratio.value() == 0) {
      return List.of();
    }
    List<Verdict> all = new ArrayList<>();
    all.add(judged(of + ", SERIALIZABLE / SI, throughput", ratio, true, THROUGHPUT_MIN, level));
    String what = of + ", SERIALIZABLE / SI, processor time of an attempt";
    all.add(judged(what, work(runs, level), false, WORK_MAX, level));
    List<Map.Entry<Strategy, Mean>> others =
        besideThePaper(runs, level).entrySet().stream()
            .sorted(Comparator.comparingDouble(other -> other.getValue().value()))
            .toList();
    if (others.size() > 1) {
      Map.Entry<Strategy, Mean> second = others.get(1);
      what =
          String.format(
              Locale.ROOT,
              "%s, SERIALIZABLE / %s, the paper's second fastest",
              of,
              second.getKey().label());
      all.add(judged(what, second.getValue(), true, 1, level));
    }
    return all;
  }

  private static Mean work(List<Run> runs, int clients) {
    return ratio(runs, Strategy.SERIALIZABLE, Strategy.SI, clients, run -> run.work().sum());
  }

  /** Throughput of SERIALIZABLE beside those strategies of the paper that were measured. */
  private static Map<Strategy, Mean> besideThePaper(List<Run> runs, int clients) {
    Map<Strategy, Mean> all = new EnumMap<>(Strategy.class);
    for (Strategy strategy : Strategy.values()) {
      Mean ratio = ratio(runs, Strategy.SERIALIZABLE, strategy, clients, Run::perSecond);
      if (strategy.isOfThePaper() && ratio.count() > 0) {
        all.put(strategy, ratio);
      }
    }
    return all;
  }

  /**
   * Strategies of which further rounds may say on which side of its target a comparison is; none if
   * all of them are clear.
   *
   * @param runs of one case
   */
  static Set<Strategy> unclear(List<Run> runs, int clients) {
    Set<Strategy> all = EnumSet.noneOf(Strategy.class);
    Mean ratio = ratio(runs, Strategy.SERIALIZABLE, clients);
    if (ratio.count() == 0) {
      return all;
    }
    if (!ratio.isClear(THROUGHPUT_MIN) || !work(runs, clients).isClear(WORK_MAX)) {
      all.add(Strategy.SI);
    }
    Map<Strategy, Mean> others = besideThePaper(runs, clients);
    Predicate<Mean> isClear = beside -> beside.isClear(1);
    long faster =
        others.values().stream().filter(isClear).filter(beside -> beside.value() < 1).count();
    if (faster < 2) { // two make it clear already
      others.forEach(
          (strategy, beside) -> {
            if (!isClear.test(beside)) {
              all.add(strategy);
            }
          });
    }
    if (!all.isEmpty()) {
      all.add(Strategy.SERIALIZABLE);
    }
    return all;
  }

  private static Verdict judged(
      String what, Mean ratio, boolean atLeast, double target, int clients) {
    String how =
        String.format(
            Locale.ROOT,
            "%d clients; median of %d rounds' ratios, +- %.2f",
            clients,
            ratio.count(),
            ratio.error());
    return new Verdict(what, ratio.value(), atLeast, target, how, ratio.doubt(target));
  }

  private static List<Verdict> needless(Case of, List<Run> runs) {
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
        new Verdict(
            of + ", SERIALIZABLE: refused without a cycle, percent",
            PERCENT * needless / attempts,
            false,
            PERCENT * NEEDLESS_MAX,
            String.format(Locale.ROOT, "%,d of %s attempts", needless, Texts.rate(attempts)),
            Mean.doubt(needless, attempts, NEEDLESS_MAX)));
  }

  /** Throughput of a strategy beside that of snapshot isolation in the same round; 0 if unknown. */
  static Mean ratio(List<Run> runs, Strategy strategy, int clients) {
    return ratio(runs, strategy, Strategy.SI, clients, Run::perSecond);
  }

  private static Mean ratio(
      List<Run> runs,
      Strategy strategy,
      Strategy beside,
      int clients,
      ToDoubleFunction<Run> figure) {
    return Mean.ofRatios(
        runs.stream()
            .filter(run -> run.strategy() == strategy && run.clients() == clients)
            .map(run -> ratio(run, beside, runs, figure))
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .toArray());
  }

  private static Double ratio(
      Run of, Strategy beside, List<Run> runs, ToDoubleFunction<Run> figure) {
    return runs.stream()
        .filter(
            run ->
                run.strategy() == beside
                    && run.clients() == of.clients()
                    && run.round() == of.round()
                    && figure.applyAsDouble(run) > 0
                    && run.of().equals(of.of()))
        .findFirst()
        .map(other -> figure.applyAsDouble(of) / figure.applyAsDouble(other))
        .orElse(null);
  }
}
