package io.retso.bench.workload;

import io.retso.bench.workload.SibenchReport.Run;
import io.retso.report.LineFigure;
import io.retso.report.LineFigure.Line;
import io.retso.report.LineFigure.Panel;
import io.retso.report.Mean;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** A report of SIBENCH for the terminal, and its figure. */
public final class SibenchText {
  private static final String[] COLOURS = {"#2186eb", "#de3a11", "#616e7c", "#0f9d8f"};

  private SibenchText() {}

  /** The report as text. */
  public static String of(SibenchReport report) {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder(end).append(table(report));
    text.append(StorePlan.text(report.stores())).append(end);
    text.append(Verdict.table(report.comparisons()));
    report.failures().forEach(failure -> text.append("  WRONG: ").append(failure).append(end));
    return text.toString();
  }

  static TextTable table(SibenchReport report) {
    TextTable table =
        new TextTable(
            "lrlrrrrrr",
            "store",
            "rows",
            "isolation",
            "per s",
            "+-",
            "of SNAPSHOT",
            "ms",
            "CPU us",
            "refused");
    for (StoreKind kind : stores(report)) {
      for (int rows : sizes(report)) {
        for (Isolation isolation : Isolation.values()) {
          Mean rate = mean(report.runs(), kind, rows, isolation, Run::perSecond);
          if (rate.value() > 0) {
            table.row(
                kind.toString(),
                String.format(Locale.ROOT, "%,d", rows),
                isolation.toString(),
                Texts.rate(rate.value()),
                Texts.rate(rate.error()),
                isolation == Isolation.SERIALIZABLE
                    ? Texts.decimal(ratio(report.runs(), kind, rows, Run::perSecond).value())
                    : "",
                Texts.millis(mean(report.runs(), kind, rows, isolation, Run::millis).value()),
                Texts.rate(
                    mean(report.runs(), kind, rows, isolation, run -> run.work().sum()).value()),
                Texts.percent(
                    mean(report.runs(), kind, rows, isolation, Run::refusedShare).value()));
          }
        }
      }
    }
    return table;
  }

  private static List<StoreKind> stores(SibenchReport report) {
    return report.runs().stream().map(Run::store).distinct().toList();
  }

  private static List<Integer> sizes(SibenchReport report) {
    return report.runs().stream().map(Run::rows).distinct().sorted().toList();
  }

  private static Mean mean(
      List<Run> runs, StoreKind kind, int rows, Isolation isolation, ToDoubleFunction<Run> figure) {
    return Mean.of(of(runs, kind, rows, isolation).stream().mapToDouble(figure).toArray());
  }

  /** In the order of the rounds. */
  private static List<Run> of(List<Run> runs, StoreKind kind, int rows, Isolation isolation) {
    return runs.stream()
        .filter(run -> run.store() == kind && run.rows() == rows && run.isolation() == isolation)
        .toList();
  }

  /** A figure of serializable transactions beside the others of the same round; 0 if unknown. */
  static Mean ratio(List<Run> runs, StoreKind kind, int rows, ToDoubleFunction<Run> figure) {
    List<Run> snapshot = of(runs, kind, rows, Isolation.SNAPSHOT);
    List<Run> serializable = of(runs, kind, rows, Isolation.SERIALIZABLE);
    return Mean.ofRatios(
        IntStream.range(0, serializable.size())
            .filter(i -> figure.applyAsDouble(snapshot.get(i)) > 0)
            .mapToDouble(
                i ->
                    figure.applyAsDouble(serializable.get(i))
                        / figure.applyAsDouble(snapshot.get(i)))
            .toArray());
  }

  /** Throughput of serializable transactions beside snapshot isolation, by the table's size. */
  public static String figure(SibenchReport report) {
    List<Line> lines = new ArrayList<>();
    for (StoreKind kind : stores(report)) {
      List<Mean> means =
          sizes(report).stream()
              .map(rows -> ratio(report.runs(), kind, rows, Run::perSecond))
              .toList();
      if (means.stream().anyMatch(mean -> mean.value() > 0)) {
        lines.add(
            new Line(
                kind.toString(),
                COLOURS[kind.ordinal()],
                means.stream().mapToDouble(Mean::value).toArray(),
                means.stream().mapToDouble(Mean::error).toArray()));
      }
    }
    return LineFigure.of(
        "SIBENCH: throughput of SERIALIZABLE / SNAPSHOT",
        "half of the transactions update a row, half look at all; bars: 95 % confidence",
        sizes(report).stream().map(rows -> String.format(Locale.ROOT, "%,d rows", rows)).toList(),
        List.of(new Panel("ratio", lines)));
  }
}
