package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.workload.SmallBankRun.Case;
import io.retso.bench.workload.SmallBankRun.Subject;
import io.retso.report.Mean;
import io.retso.report.Rounds;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What serializable transactions are hoped to cost, beside what they do. */
final class SmallBankVerdicts {
  private static final double THROUGHPUT_MIN = 0.95;
  private static final double WORK_MAX = 1.05;
  private static final double NEEDLESS_MAX = 0.001;
  private static final double PERCENT = 100;

  /** Customers of a hot spot that is not one of high contention. */
  static final int MANY = 100;

  private SmallBankVerdicts() {}

  static List<Verdict> of(List<SmallBankRun> runs) {
    List<Verdict> all = new ArrayList<>();
    for (Case of : SmallBankRun.cases(runs)) {
      Rounds<Subject, SmallBankRun> here = SmallBankRun.rounds(of, runs);
      if (of.store() == StoreKind.HBASE && of.hot() >= MANY) {
        all.addAll(throughput(of, here));
        int clients = SmallBankResult.mainLevel(SmallBankResult.clients(here));
        all.addAll(PredictedCosts.judged(of.toString(), of.balancePercent(), here, clients));
      } else if (of.store() == StoreKind.ORACLE && of.hot() < MANY) {
        all.addAll(needless(of, here));
      }
    }
    return all;
  }

  private static List<Verdict> throughput(Case of, Rounds<Subject, SmallBankRun> runs) {
    int level = SmallBankResult.mainLevel(SmallBankResult.clients(runs));
    Mean ratio = beside(runs, Strategy.SI, level, SmallBankRun::perSecond);
    if (ratio.count() == 0) {
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
      what = of + ", SERIALIZABLE / " + second.getKey().label() + ", the paper's second fastest";
      all.add(judged(what, second.getValue(), true, 1, level));
    }
    return all;
  }

  /** A figure of SERIALIZABLE beside that of another strategy in the same round. */
  private static Mean beside(
      Rounds<Subject, SmallBankRun> runs,
      Strategy other,
      int clients,
      ToDoubleFunction<SmallBankRun> figure) {
    Subject of = new Subject(clients, Strategy.SERIALIZABLE);
    return runs.ratio(of, of.with(other), figure);
  }

  private static Mean work(Rounds<Subject, SmallBankRun> runs, int clients) {
    return beside(runs, Strategy.SI, clients, run -> run.work().sum());
  }

  /** Throughput of SERIALIZABLE beside those strategies of the paper that were measured. */
  private static Map<Strategy, Mean> besideThePaper(
      Rounds<Subject, SmallBankRun> runs, int clients) {
    Map<Strategy, Mean> all = new EnumMap<>(Strategy.class);
    for (Strategy strategy : Strategy.values()) {
      Mean ratio = beside(runs, strategy, clients, SmallBankRun::perSecond);
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
  static Set<Strategy> unclear(Rounds<Subject, SmallBankRun> runs, int clients) {
    Set<Strategy> all = EnumSet.noneOf(Strategy.class);
    Mean ratio = beside(runs, Strategy.SI, clients, SmallBankRun::perSecond);
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
    String how = clients + " clients; median of " + ratio.count() + " rounds' ratios";
    return Verdict.ofRatio(what, ratio, atLeast, target, how);
  }

  private static List<Verdict> needless(Case of, Rounds<Subject, SmallBankRun> runs) {
    long needless = 0;
    long attempts = 0;
    for (Rounds.Run<Subject, SmallBankRun> run : runs.runs()) {
      if (run.of().strategy() == Strategy.SERIALIZABLE) {
        needless += run.result().check().needless();
        attempts += run.result().allAttempts();
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
}
