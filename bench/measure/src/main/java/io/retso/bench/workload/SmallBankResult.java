package io.retso.bench.workload;

import io.retso.bench.workload.SmallBankRun.Case;
import io.retso.bench.workload.SmallBankRun.Subject;
import io.retso.report.Plot;
import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.workload.Reason;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What runs of SmallBank are, for people: tables of each case, and the paper's Figures 4 to 9 of
 * each store. It drew 7 for a hot spot of 10, the others for 1,000, and 8 and 9 of a commercial
 * platform, where a read row can be locked.
 */
final class SmallBankResult {
  private static final int MAIN_LEVEL = 20;
  private static final int HOT_FEW = 100;
  private static final double PERCENT = 100;

  /** By the order of strategies. */
  private static final List<String> COLOURS =
      List.of(
          "#9aa5b1", "#1f2933", "#2186eb", "#0f9d8f", "#7b61c9", "#3ebd93", "#de3a11", "#f0883e",
          "#c99a2e", "#8a4b08", "#d6336c", "#0b69a3");

  private enum Figure {
    ALL(4, "Eliminating all vulnerable edges", Strategy.PROMOTE_ALL, Strategy.MATERIALIZE_ALL),
    EDGES(
        5,
        "Eliminating the edges WT and BW",
        Strategy.MATERIALIZE_WT,
        Strategy.PROMOTE_WT_UPD,
        Strategy.MATERIALIZE_BW,
        Strategy.PROMOTE_BW_UPD),
    LOCKS_WT(
        8,
        "Eliminating the edge WT, by locks too",
        Strategy.MATERIALIZE_WT,
        Strategy.PROMOTE_WT_UPD,
        Strategy.PROMOTE_WT_SFU),
    LOCKS_BW(
        9,
        "Eliminating the edge BW, by locks too",
        Strategy.MATERIALIZE_BW,
        Strategy.PROMOTE_BW_UPD,
        Strategy.PROMOTE_BW_SFU),
    OURS(
        10,
        "Levels and validated reads",
        Strategy.READ_COMMITTED,
        Strategy.SERIALIZABLE,
        Strategy.VALIDATE_WT,
        Strategy.PROMOTE_WT_UPD);

    private final int number;
    private final String title;
    private final List<Strategy> strategies = new ArrayList<>(List.of(Strategy.SI));

    Figure(int number, String title, Strategy... strategies) {
      this.number = number;
      this.title = title;
      this.strategies.addAll(List.of(strategies));
    }
  }

  private SmallBankResult() {}

  /** Describes runs. */
  static void describe(Result.Builder to, List<SmallBankRun> runs) {
    for (Case of : SmallBankRun.cases(runs)) {
      Rounds<Subject, SmallBankRun> here = SmallBankRun.rounds(of, runs);
      to.table(throughput(of, here)).table(refusals(here));
      plots(of, here).forEach(to::plot);
    }
    to.note(
        """
        +-: half of the 95 % confidence interval, of the mean of all rounds; of SI: of the median \
        of the rounds' ratios.
        advise: what `retso advise` says that the repair costs; more is slower.
        ms: mean time of a program, refused ones included. CPU us: processor time of all \
        processes for each of them.
        anomalies: groups of transactions that no serial order explains, of all rounds; needless: \
        refused at the commit for what they read, though no cycle was known by then.
        """);
    Map<Strategy, String> examples = new EnumMap<>(Strategy.class);
    runs.stream()
        .filter(run -> !run.check().example().isEmpty())
        .forEach(run -> examples.putIfAbsent(run.strategy(), run.check().example()));
    examples.forEach(
        (strategy, example) -> to.note("an anomaly under " + strategy.label() + ": " + example));
    to.verdicts(SmallBankVerdicts.of(runs)).runs(runs);
  }

  private static List<Subject> subjects(Rounds<Subject, SmallBankRun> runs) {
    return runs.cases().stream().sorted(Subject.ORDER).toList();
  }

  static List<Integer> clients(Rounds<Subject, SmallBankRun> runs) {
    return runs.cases().stream().map(Subject::clients).distinct().sorted().toList();
  }

  /** That of the paper's Figure 6, or the one that was measured next to it. */
  static int mainLevel(List<Integer> levels) {
    int main = 0;
    for (int clients : levels.stream().sorted().toList()) {
      main = clients <= MAIN_LEVEL || main == 0 ? clients : main;
    }
    return main;
  }

  private static Table throughput(Case of, Rounds<Subject, SmallBankRun> runs) {
    Map<Strategy, Double> costs = PredictedCosts.of(of.balancePercent());
    return Table.of(of.toString(), subjects(runs))
        .column(Unit.COUNT, "clients", Subject::clients)
        .words("strategy", subject -> subject.strategy().label())
        .column(Unit.RATE, "per s", s -> runs.mean(s, SmallBankRun::perSecond))
        .column(
            Unit.RATIO, "of SI", s -> runs.ratio(s, s.with(Strategy.SI), SmallBankRun::perSecond))
        .column(Unit.RATIO, "advise", s -> costs.get(s.strategy()))
        .column(Unit.MILLIS, "ms", s -> runs.mean(s, SmallBankRun::millis).value())
        .column(Unit.RATE, "CPU us", s -> runs.mean(s, run -> run.work().sum()).value())
        .column(Unit.SHARE, "refused", s -> runs.mean(s, SmallBankRun::refusedShare).value())
        .column(Unit.SHARE, "rolled back", s -> runs.mean(s, SmallBankRun::rolledBackShare).value())
        .column(Unit.COUNT, "anomalies", s -> runs.sum(s, run -> run.check().groups()))
        .column(Unit.COUNT, "needless", s -> runs.sum(s, run -> run.check().needless()))
        .end();
  }

  /** By program and reason, at the main level. */
  private static Table refusals(Rounds<Subject, SmallBankRun> all) {
    int clients = mainLevel(clients(all));
    Rounds<Subject, SmallBankRun> runs = all.of(subject -> subject.clients() == clients);
    List<String> programs =
        runs.runs().stream()
            .flatMap(run -> run.result().attempts().keySet().stream())
            .distinct()
            .sorted()
            .toList();
    List<Table.Column> columns = new ArrayList<>();
    columns.add(Table.words("refused at " + clients));
    columns.add(Table.words("reason"));
    programs.forEach(program -> columns.add(Table.numbers(Unit.SHARE, program)));
    Table table = Table.of("", columns.toArray(Table.Column[]::new));
    for (Subject subject : subjects(runs)) {
      shares(runs.results(subject))
          .forEach(
              (reason, byProgram) -> {
                List<Object> row = new ArrayList<>();
                row.add(subject.strategy().label());
                row.add(reason.name().toLowerCase(Locale.ROOT).replace('_', ' '));
                programs.forEach(program -> row.add(byProgram.getOrDefault(program, 0.0)));
                table.row(row.toArray());
              });
    }
    return table;
  }

  /** Shares of the attempts of each program that were refused, by reason. */
  private static Map<Reason, Map<String, Double>> shares(List<SmallBankRun> runs) {
    Map<String, Long> attempts = new TreeMap<>();
    Map<Reason, Map<String, Double>> shares = new EnumMap<>(Reason.class);
    for (SmallBankRun run : runs) {
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
    shares.values().forEach(of -> of.replaceAll((program, count) -> count / attempts.get(program)));
    return shares;
  }

  /** A line needs more than a point, so of one level there are no lines. */
  private static List<Plot> plots(Case of, Rounds<Subject, SmallBankRun> runs) {
    List<Plot> plots = new ArrayList<>();
    String file = "smallbank-" + of.store().name().toLowerCase(Locale.ROOT) + "-figure";
    if (clients(runs).size() < 2) {
      return plots;
    }
    if (of.hot() <= HOT_FEW) {
      plots.add(lines(file + 7, "High contention", of, runs, Arrays.asList(Strategy.values())));
      return plots;
    }
    for (Figure figure : Figure.values()) {
      plots.add(lines(file + figure.number, figure.title, of, runs, figure.strategies));
    }
    plots.add(refusals(file + 6, of, runs));
    return plots;
  }

  private static Plot lines(
      String file,
      String title,
      Case of,
      Rounds<Subject, SmallBankRun> runs,
      List<Strategy> strategies) {
    List<Integer> clients = clients(runs);
    List<Series> rates = new ArrayList<>();
    List<Series> ratios = new ArrayList<>();
    for (Strategy strategy : strategies) {
      String colour = COLOURS.get(strategy.ordinal() % COLOURS.size());
      rates.add(
          Series.ofMeans(
              strategy.label(),
              colour,
              clients,
              level -> runs.mean(new Subject(level, strategy), SmallBankRun::perSecond)));
      ratios.add(
          Series.ofMeans(
              strategy.label(),
              colour,
              clients,
              level ->
                  runs.ratio(
                      new Subject(level, strategy),
                      new Subject(level, Strategy.SI),
                      SmallBankRun::perSecond)));
    }
    return Plot.of(
            file + "-" + of.balancePercent(),
            title,
            of + "; bars: 95 % confidence",
            Axis.of("clients", clients))
        .panel(Kind.LINES, Axis.linear("committed per second"), rates)
        .panel(Kind.LINES, Axis.linear("throughput / SI"), ratios);
  }

  private static Plot refusals(String file, Case of, Rounds<Subject, SmallBankRun> all) {
    int clients = mainLevel(clients(all));
    List<String> programs =
        Mix.kinds().stream().map(io.retso.workload.smallbank.Kind::label).toList();
    List<Series> series = new ArrayList<>();
    for (Subject subject : subjects(all.of(one -> one.clients() == clients))) {
      Map<Reason, Map<String, Double>> shares = shares(all.results(subject));
      series.add(
          Series.ofValues(
              subject.strategy().label(),
              COLOURS.get(subject.strategy().ordinal() % COLOURS.size()),
              programs,
              program ->
                  PERCENT
                      * shares.values().stream()
                          .mapToDouble(byProgram -> byProgram.getOrDefault(program, 0.0))
                          .sum()));
    }
    return Plot.of(
            file + "-" + of.balancePercent(),
            "Refused by program",
            of + "; " + clients + " clients",
            Axis.of("", programs))
        .panel(Kind.BARS, Axis.linear("percent of attempts"), series);
  }
}
