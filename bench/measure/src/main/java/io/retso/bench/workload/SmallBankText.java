package io.retso.bench.workload;

import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.report.Mean;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.workload.Reason;
import io.retso.workload.smallbank.Strategy;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A report of SmallBank for the terminal. */
public final class SmallBankText {
  private static final int MAIN_LEVEL = 20;
  private static final String END = System.lineSeparator();

  private SmallBankText() {}

  /** The whole report. */
  public static String of(SmallBankReport report) {
    StringBuilder text = new StringBuilder();
    for (Case of : cases(report)) {
      List<Run> runs = runs(report, of);
      text.append(END).append("  ").append(of).append(END).append(END);
      text.append(throughput(runs)).append(END).append(refusals(runs));
    }
    text.append(END);
    text.append("  +-: half of the 95 % confidence interval of the mean of all rounds.");
    text.append(" of SI: median of the rounds' ratios.").append(END);
    text.append(
            "  ms: mean time of a program, refused ones included. CPU us: processor time of all")
        .append(END)
        .append("  processes for each of them.")
        .append(END);
    text.append(
        "  anomalies: groups of transactions that no serial order explains, of all rounds;");
    text.append(" needless: refused at").append(END);
    text.append("  the commit for what they read, though no cycle was known by then.").append(END);
    text.append(examples(report)).append(StorePlan.text(report.stores())).append(END);
    text.append(Verdict.table(report.comparisons()));
    report.failures().forEach(failure -> text.append("  WRONG: ").append(failure).append(END));
    return text.toString();
  }

  static Set<Case> cases(SmallBankReport report) {
    return report.runs().stream().map(Run::of).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  static List<Run> runs(SmallBankReport report, Case of) {
    return report.runs().stream().filter(run -> run.of().equals(of)).toList();
  }

  static Set<Strategy> strategies(List<Run> runs) {
    return runs.stream().map(Run::strategy).collect(Collectors.toCollection(TreeSet::new));
  }

  static Set<Integer> clients(List<Run> runs) {
    return runs.stream().map(Run::clients).collect(Collectors.toCollection(TreeSet::new));
  }

  static Mean mean(List<Run> runs, Strategy strategy, int clients, ToDoubleFunction<Run> figure) {
    return Mean.of(
        runs.stream()
            .filter(run -> run.strategy() == strategy && run.clients() == clients)
            .mapToDouble(figure)
            .toArray());
  }

  static TextTable throughput(List<Run> runs) {
    TextTable table =
        new TextTable(
            "rlrrrrrrrrr",
            "clients",
            "strategy",
            "per s",
            "+-",
            "of SI",
            "ms",
            "CPU us",
            "refused",
            "rolled back",
            "anomalies",
            "needless");
    for (int clients : clients(runs)) {
      for (Strategy strategy : strategies(runs)) {
        Mean rate = mean(runs, strategy, clients, Run::perSecond);
        table.row(
            Integer.toString(clients),
            strategy.label(),
            Texts.rate(rate.value()),
            Texts.rate(rate.error()),
            Texts.decimal(SmallBankComparisons.ratio(runs, strategy, clients).value()),
            Texts.millis(mean(runs, strategy, clients, Run::millis).value()),
            Texts.rate(mean(runs, strategy, clients, run -> run.work().sum()).value()),
            Texts.percent(mean(runs, strategy, clients, Run::refusedShare).value()),
            Texts.percent(mean(runs, strategy, clients, SmallBankText::rolledBackShare).value()),
            sum(runs, strategy, clients, run -> run.check().groups()),
            sum(runs, strategy, clients, run -> run.check().needless()));
      }
    }
    return table;
  }

  private static double rolledBackShare(Run run) {
    long attempts = run.attempts().values().stream().mapToLong(Long::longValue).sum();
    return attempts == 0 ? 0 : (double) run.rolledBack() / attempts;
  }

  private static String sum(
      List<Run> runs, Strategy strategy, int clients, ToDoubleFunction<Run> figure) {
    double sum =
        runs.stream()
            .filter(run -> run.strategy() == strategy && run.clients() == clients)
            .mapToDouble(figure)
            .sum();
    return String.format(Locale.ROOT, "%,.0f", sum);
  }

  /** By program and reason, at the main level. */
  static TextTable refusals(List<Run> all) {
    int clients = mainLevel(clients(all));
    List<Run> runs = all.stream().filter(run -> run.clients() == clients).toList();
    List<String> programs =
        runs.stream().flatMap(run -> run.attempts().keySet().stream()).distinct().sorted().toList();
    String[] head = new String[2 + programs.size()];
    head[0] = "refused at " + clients;
    head[1] = "reason";
    for (int i = 0; i < programs.size(); i++) {
      head[2 + i] = programs.get(i);
    }
    TextTable table = new TextTable("ll" + "r".repeat(programs.size()), head);
    for (Strategy strategy : strategies(runs)) {
      Map<Reason, Map<String, Double>> shares = shares(runs, strategy);
      shares.forEach(
          (reason, byProgram) -> {
            String[] row = new String[head.length];
            row[0] = strategy.label();
            row[1] = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            for (int i = 0; i < programs.size(); i++) {
              row[2 + i] = Texts.percent(byProgram.getOrDefault(programs.get(i), 0.0));
            }
            table.row(row);
          });
    }
    return table;
  }

  /** That of the paper's Figure 6, or the one that was measured next to it. */
  static int mainLevel(Set<Integer> levels) {
    int main = 0;
    for (int clients : new TreeSet<>(levels)) {
      main = clients <= MAIN_LEVEL || main == 0 ? clients : main;
    }
    return main;
  }

  /** Shares of the attempts of each program that were refused, by reason. */
  static Map<Reason, Map<String, Double>> shares(List<Run> runs, Strategy strategy) {
    Map<String, Long> attempts = new TreeMap<>();
    Map<Reason, Map<String, Double>> shares = new EnumMap<>(Reason.class);
    for (Run run : runs) {
      if (run.strategy() == strategy) {
        run.attempts().forEach((program, count) -> attempts.merge(program, count, Long::sum));
        run.refused()
            .forEach(
                (program, reasons) ->
                    reasons.forEach(
                        (reason, count) ->
                            shares
                                .computeIfAbsent(reason, key -> new TreeMap<>())
                                .merge(program, (double) count, Double::sum)));
      }
    }
    shares.values().forEach(of -> of.replaceAll((program, count) -> count / attempts.get(program)));
    return shares;
  }

  /** One anomaly of each strategy that has some. */
  private static String examples(SmallBankReport report) {
    Map<Strategy, String> examples = new EnumMap<>(Strategy.class);
    for (Run run : report.runs()) {
      if (!run.check().example().isEmpty()) {
        examples.putIfAbsent(run.strategy(), run.check().example());
      }
    }
    StringBuilder text = new StringBuilder();
    examples.forEach(
        (strategy, example) ->
            text.append("  an anomaly under ")
                .append(strategy.label())
                .append(": ")
                .append(example)
                .append(END));
    return text.toString();
  }
}
