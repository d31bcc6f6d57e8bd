package io.retso.bench.workload;

import io.retso.bench.workload.TpccFindings.Deferred;
import io.retso.report.Comparison;
import io.retso.report.LineFigure;
import io.retso.report.LineFigure.Line;
import io.retso.report.LineFigure.Panel;
import io.retso.report.Percentiles;
import io.retso.report.ReportText;
import io.retso.report.TextTable;
import io.retso.report.Texts;
import io.retso.workload.Isolation;
import io.retso.workload.tpcc.Mix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** What TPC-C has found, for the terminal, and its figure. */
public final class TpccText {
  /** What the paper has for the standard mix, in memory. */
  private static final double RATIO_MIN = 0.95;

  /** The paper's bound of refusals. */
  private static final double REFUSED_MAX = 0.0025;

  private static final String[] COLOURS = {"#2186eb", "#de3a11", "#616e7c", "#0f9d8f"};

  private TpccText() {}

  /** All of it as text. */
  public static String of(TpccFindings findings) {
    String end = System.lineSeparator();
    StringBuilder text = new StringBuilder(end).append(table(findings.runs()));
    text.append(end).append(deferred(findings)).append(StorePlan.text(findings.stores()));
    text.append(end).append(ReportText.comparisons(comparisons(findings.runs())));
    findings.failures().forEach(failure -> text.append("  WRONG: ").append(failure).append(end));
    return text.toString();
  }

  private static TextTable table(List<TpccRun> runs) {
    TextTable table =
        new TextTable(
            "lrlrrrrrr",
            "store",
            "read-only",
            "isolation",
            "per s",
            "+-",
            "of SNAPSHOT",
            "ms",
            "refused",
            "for reads");
    for (StoreKind kind : stores(runs)) {
      for (int share : shares(runs)) {
        for (Isolation level : TpccBench.LEVELS) {
          Mean rate = mean(runs, kind, share, level, TpccRun::perSecond);
          Mean ratio = ratio(runs, kind, share);
          table.row(
              kind.toString(),
              share + " %",
              level.toString(),
              Texts.rate(rate.value()),
              Texts.rate(rate.error()),
              level == Isolation.SERIALIZABLE
                  ? Texts.decimal(ratio.value()) + " +- " + Texts.decimal(ratio.error())
                  : "",
              Texts.millis(mean(runs, kind, share, level, TpccRun::millis).value()),
              Texts.percent(mean(runs, kind, share, level, TpccRun::refusedShare).value()),
              Texts.percent(mean(runs, kind, share, level, TpccRun::certifiedShare).value()));
        }
      }
    }
    return table;
  }

  private static TextTable deferred(TpccFindings findings) {
    TextTable table =
        new TextTable(
            "llrrrr", "deferred readers beside", "at", "count", "median ms", "p90", "max");
    for (Deferred readers : findings.deferred()) {
      Percentiles waits = readers.waits();
      table.row(
          readers.store().toString(),
          readers.isolation().toString(),
          Long.toString(waits.count()),
          Texts.millis(waits.p50()),
          Texts.millis(waits.p90()),
          Texts.millis(waits.max()));
    }
    return table;
  }

  static List<Comparison> comparisons(List<TpccRun> runs) {
    List<Comparison> all = new ArrayList<>();
    int standard = Mix.STANDARD.readOnlyPercent();
    for (StoreKind kind : stores(runs)) {
      Mean ratio = ratio(runs, kind, standard);
      if (ratio.count() > 0) {
        String how =
            String.format(
                Locale.ROOT, "median of %d rounds' ratios, +- %.2f", ratio.count(), ratio.error());
        all.add(
            new Comparison(
                kind + ", 8 % read-only, SERIALIZABLE / SNAPSHOT, throughput",
                ratio.value(),
                true,
                RATIO_MIN,
                how,
                ratio.doubt(RATIO_MIN)));
        all.add(refusals(runs, kind, standard));
      }
    }
    return all;
  }

  private static Comparison refusals(List<TpccRun> runs, StoreKind kind, int share) {
    List<TpccRun> of = of(runs, kind, share, Isolation.SERIALIZABLE);
    long attempts = of.stream().mapToLong(TpccRun::attempts).sum();
    long refused =
        Math.round(of.stream().mapToDouble(r -> r.certifiedShare() * r.attempts()).sum());
    return new Comparison(
        kind + ", 8 % read-only, refused for what was read, percent",
        attempts == 0 ? 0 : 100.0 * refused / attempts,
        false,
        100 * REFUSED_MAX,
        String.format(Locale.ROOT, "%,d of %,d attempts", refused, attempts),
        Mean.doubt(refused, attempts, REFUSED_MAX));
  }

  private static List<StoreKind> stores(List<TpccRun> runs) {
    return runs.stream().map(TpccRun::store).distinct().toList();
  }

  private static List<Integer> shares(List<TpccRun> runs) {
    return runs.stream().map(TpccRun::share).distinct().sorted().toList();
  }

  /** In the order of the rounds. */
  private static List<TpccRun> of(List<TpccRun> runs, StoreKind kind, int share, Isolation level) {
    return runs.stream()
        .filter(run -> run.store() == kind && run.share() == share && run.isolation() == level)
        .toList();
  }

  private static Mean mean(
      List<TpccRun> runs,
      StoreKind kind,
      int share,
      Isolation level,
      ToDoubleFunction<TpccRun> figure) {
    return Mean.of(of(runs, kind, share, level).stream().mapToDouble(figure).toArray());
  }

  /** Throughput of serializable programs beside that of the others in the same round. */
  private static Mean ratio(List<TpccRun> runs, StoreKind kind, int share) {
    List<TpccRun> snapshot = of(runs, kind, share, Isolation.SNAPSHOT);
    List<TpccRun> serializable = of(runs, kind, share, Isolation.SERIALIZABLE);
    return Mean.ofRatios(
        IntStream.range(0, serializable.size())
            .filter(i -> snapshot.get(i).perSecond() > 0)
            .mapToDouble(i -> serializable.get(i).perSecond() / snapshot.get(i).perSecond())
            .toArray());
  }

  /** Throughput as a ratio, and refusals, over the share of programs that only read. */
  public static String figure(TpccFindings findings) {
    List<TpccRun> runs = findings.runs();
    List<Line> ratios = new ArrayList<>();
    List<Line> refusals = new ArrayList<>();
    for (StoreKind kind : stores(runs)) {
      List<Mean> means = shares(runs).stream().map(share -> ratio(runs, kind, share)).toList();
      ratios.add(
          new Line(
              kind.toString(),
              COLOURS[kind.ordinal()],
              means.stream().mapToDouble(Mean::value).toArray(),
              means.stream().mapToDouble(Mean::error).toArray()));
      refusals.add(
          new Line(
              kind.toString(),
              COLOURS[kind.ordinal()],
              shares(runs).stream()
                  .map(share -> of(runs, kind, share, Isolation.SERIALIZABLE))
                  .mapToDouble(
                      of ->
                          100 * of.stream().mapToDouble(TpccRun::refusedShare).average().orElse(0))
                  .toArray()));
    }
    return LineFigure.of(
        "TPC-C with Credit Check: throughput of SERIALIZABLE / SNAPSHOT",
        "by the share of programs that only read; bars: 95 % confidence",
        shares(runs).stream().map(share -> share + " %").toList(),
        List.of(new Panel("ratio", ratios), new Panel("refused, % of attempts", refusals)));
  }
}
