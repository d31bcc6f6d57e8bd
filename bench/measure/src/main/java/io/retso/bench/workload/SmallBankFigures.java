package io.retso.bench.workload;

import io.retso.bench.workload.SmallBankReport.Case;
import io.retso.bench.workload.SmallBankReport.Run;
import io.retso.report.GroupedBars;
import io.retso.report.LineFigure;
import io.retso.report.LineFigure.Line;
import io.retso.report.LineFigure.Panel;
import io.retso.report.Mean;
import io.retso.workload.Reason;
import io.retso.workload.smallbank.Kind;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The paper's Figures 4 to 9 of each store. It drew 7 for a hot spot of 10, the others for 1,000,
 * and 8 and 9 of a commercial platform, where a read row can be locked.
 */
public final class SmallBankFigures {
  private static final int HOT_FEW = 100;
  private static final double PERCENT = 100;
  private static final Map<Strategy, String> COLOURS = new EnumMap<>(Strategy.class);

  static {
    String[] colours = {
      "#9aa5b1", "#1f2933", "#2186eb", "#0f9d8f", "#7b61c9", "#3ebd93", "#de3a11", "#f0883e",
      "#c99a2e", "#8a4b08", "#d6336c", "#0b69a3"
    };
    for (Strategy strategy : Strategy.values()) {
      COLOURS.put(strategy, colours[strategy.ordinal() % colours.length]);
    }
  }

  private enum Drawing {
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

    Drawing(int number, String title, Strategy... strategies) {
      this.number = number;
      this.title = title;
      this.strategies.addAll(List.of(strategies));
    }
  }

  private SmallBankFigures() {}

  /** All pictures that the runs are enough for, by the names of their files. */
  public static Map<String, String> of(SmallBankReport report) {
    Map<String, String> figures = new LinkedHashMap<>();
    for (Case of : SmallBankText.cases(report)) {
      figures.putAll(of(of, SmallBankText.runs(report, of)));
    }
    return figures;
  }

  /** The names of those of runs that were measured together. */
  static Set<String> names(List<Run> runs) {
    return of(runs.get(0).of(), runs).keySet();
  }

  private static Map<String, String> of(Case of, List<Run> runs) {
    Map<String, String> figures = new LinkedHashMap<>();
    String prefix = "smallbank-" + of.store().name().toLowerCase(Locale.ROOT);
    String suffix = "-" + of.balancePercent() + ".svg";
    if (of.hot() <= HOT_FEW) {
      String title = "High contention";
      figures.put(prefix + "-figure7" + suffix, lines(title, of, runs, List.of(Strategy.values())));
      return figures;
    }
    for (Drawing drawing : Drawing.values()) {
      figures.put(
          prefix + "-figure" + drawing.number + suffix,
          lines(drawing.title, of, runs, drawing.strategies));
    }
    figures.put(prefix + "-figure6" + suffix, refusals(of, runs));
    return figures;
  }

  private static String lines(String title, Case of, List<Run> runs, List<Strategy> strategies) {
    List<Integer> clients = List.copyOf(SmallBankText.clients(runs));
    List<Line> rates = new ArrayList<>();
    List<Line> ratios = new ArrayList<>();
    for (Strategy strategy : strategies) {
      if (SmallBankText.strategies(runs).contains(strategy)) {
        rates.add(
            line(
                strategy,
                clients.stream()
                    .map(level -> SmallBankText.mean(runs, strategy, level, Run::perSecond))
                    .toList()));
        ratios.add(
            line(
                strategy,
                clients.stream()
                    .map(level -> SmallBankComparisons.ratio(runs, strategy, level))
                    .toList()));
      }
    }
    return LineFigure.of(
        title,
        of + "; bars: 95 % confidence",
        clients.stream().map(level -> level + (level == 1 ? " client" : "")).toList(),
        List.of(new Panel("committed per second", rates), new Panel("throughput / SI", ratios)));
  }

  private static Line line(Strategy strategy, List<Mean> means) {
    return new Line(
        strategy.label(),
        COLOURS.get(strategy),
        means.stream().mapToDouble(Mean::value).toArray(),
        means.stream().mapToDouble(Mean::error).toArray());
  }

  private static String refusals(Case of, List<Run> all) {
    int clients = SmallBankText.mainLevel(SmallBankText.clients(all));
    List<Run> runs = all.stream().filter(run -> run.clients() == clients).toList();
    List<String> programs = Arrays.stream(Kind.values()).map(Kind::label).toList();
    List<GroupedBars.Series> series = new ArrayList<>();
    for (Strategy strategy : SmallBankText.strategies(runs)) {
      Map<Reason, Map<String, Double>> shares = SmallBankText.shares(runs, strategy);
      double[] values =
          programs.stream()
              .mapToDouble(
                  program ->
                      PERCENT
                          * shares.values().stream()
                              .mapToDouble(byProgram -> byProgram.getOrDefault(program, 0.0))
                              .sum())
              .toArray();
      series.add(new GroupedBars.Series(strategy.label(), COLOURS.get(strategy), values));
    }
    return GroupedBars.of(
        "Refused by program",
        of + "; " + clients + " clients",
        "percent of attempts",
        programs,
        series);
  }
}
