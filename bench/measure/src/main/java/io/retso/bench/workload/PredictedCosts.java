package io.retso.bench.workload;

import io.retso.advise.Advise;
import io.retso.advise.model.Program;
import io.retso.advise.model.Repair;
import io.retso.bench.workload.SmallBankRun.Subject;
import io.retso.report.Mean;
import io.retso.report.Rounds;
import io.retso.report.Verdict;
import io.retso.workload.smallbank.Kind;
import io.retso.workload.smallbank.Strategy;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code retso advise} says that the strategies of SmallBank cost, beside what they were
 * measured to cost. Its costs rank repairs, and are no times: a cost above another's is to mean a
 * lower throughput, or one that cannot be told from it.
 *
 * <p>Strategies that change more than is needed are none of its repairs, and have no cost.
 */
final class PredictedCosts {
  /** Repairs that are asked for: all that are strategies are among them. */
  private static final int REPAIRS = 60;

  private static final String ROW = " writes a row of its own for ";

  private PredictedCosts() {}

  /** Costs by strategy, for a mix with so much of Balance. */
  static Map<Strategy, Double> of(int balancePercent) {
    Map<String, Double> costs = new TreeMap<>();
    for (Repair repair : Advise.programs(programs(balancePercent)).repairs(REPAIRS)) {
      costs.put(String.join("; ", repair.steps()), repair.cost());
    }
    Map<Strategy, Double> all = new EnumMap<>(Strategy.class);
    for (Strategy strategy : Strategy.values()) {
      List<String> steps = steps(strategy);
      costs.forEach(
          (repair, cost) -> {
            String[] of = repair.split("; ");
            boolean isIt = of.length == steps.size() && !steps.isEmpty();
            for (int i = 0; isIt && i < of.length; i++) {
              isIt = of[i].startsWith(steps.get(i));
            }
            if (isIt) {
              all.put(strategy, cost);
            }
          });
    }
    return all;
  }

  /** How the steps of a repair that is the strategy begin, in their order. */
  private static List<String> steps(Strategy strategy) {
    return switch (strategy) {
      case VALIDATE_WT -> List.of("WriteCheck validates its read of saving[");
      case PROMOTE_WT_SFU -> List.of("WriteCheck locks saving[");
      case PROMOTE_WT_UPD -> List.of("WriteCheck writes what it has read of saving[");
      case PROMOTE_BW_SFU -> List.of("Balance locks checking[");
      case PROMOTE_BW_UPD -> List.of("Balance writes what it has read of checking[");
      case MATERIALIZE_WT -> List.of("TransactSaving" + ROW + "saving[", "WriteCheck" + ROW);
      case MATERIALIZE_BW -> List.of("Balance" + ROW + "checking[", "WriteCheck" + ROW);
      case SERIALIZABLE ->
          List.of(
              "Balance runs serializable",
              "TransactSaving runs serializable",
              "WriteCheck runs serializable");
      default -> List.of();
    };
  }

  private static Program[] programs(int balancePercent) {
    double others = (100.0 - balancePercent) / (Kind.values().length - 1);
    Program[] all = {
      Program.named("Balance", "n")
          .read("saving", "n", "b")
          .read("checking", "n", "b")
          .rate(balancePercent),
      Program.named("DepositChecking", "n")
          .read("checking", "n", "b")
          .write("checking", "n", "b")
          .rate(others),
      Program.named("TransactSaving", "n")
          .read("saving", "n", "b")
          .write("saving", "n", "b")
          .rate(others),
      Program.named("Amalgamate", "n1", "n2")
          .distinct("n1", "n2")
          .read("saving", "n1", "b")
          .read("checking", "n1", "b")
          .write("saving", "n1", "b")
          .write("checking", "n1", "b")
          .read("checking", "n2", "b")
          .write("checking", "n2", "b")
          .rate(others),
      Program.named("WriteCheck", "n")
          .read("saving", "n", "b")
          .read("checking", "n", "b")
          .write("checking", "n", "b")
          .rate(others),
    };
    return all;
  }

  /**
   * How many pairs of strategies were measured in the other order, clearly.
   *
   * @param what is measured
   * @param runs of one case, of which those of so many clients count
   */
  static List<Verdict> judged(
      String what, int balancePercent, Rounds<Subject, SmallBankRun> runs, int clients) {
    Map<Strategy, Double> costs = of(balancePercent);
    int pairs = 0;
    int wrong = 0;
    StringBuilder which = new StringBuilder();
    for (Strategy cheap : costs.keySet()) {
      for (Strategy dear : costs.keySet()) {
        if (costs.get(cheap) >= costs.get(dear)) {
          continue;
        }
        Subject subject = new Subject(clients, cheap);
        Mean ratio = runs.ratio(subject, subject.with(dear), SmallBankRun::perSecond);
        if (ratio.count() > 1) {
          pairs++;
          if (ratio.isClear(1) && ratio.value() < 1) {
            wrong++;
            which.append("; ").append(cheap.label()).append(" / ").append(dear.label());
          }
        }
      }
    }
    return pairs == 0
        ? List.of()
        : List.of(
            new Verdict(
                what + ", pairs of strategies in another order than retso advise says",
                wrong,
                false,
                0,
                "of " + pairs + which));
  }
}
