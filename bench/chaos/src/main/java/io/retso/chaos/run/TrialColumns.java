package io.retso.chaos.run;

import io.retso.report.Table;
import io.retso.report.Unit;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The columns of tables that sum up what clients noticed of some trials. */
public final class TrialColumns {
  private TrialColumns() {}

  /**
   * Adds these columns.
   *
   * @param trials of a row, at least one
   * @param isJudged whether what was lost and wrong was looked for
   */
  public static <T> Table.Rows<T> add(
      Table.Rows<T> rows, Function<T, List<Trial>> trials, Predicate<T> isJudged) {
    return rows.column(Unit.COUNT, "trials", of -> trials.apply(of).size())
        .column(
            Unit.MILLIS, "no begin, ms: median", of -> median(trials.apply(of), Trial::beginGap))
        .column(Unit.MILLIS, "worst", of -> worst(trials.apply(of), Trial::beginGap))
        .column(Unit.MILLIS, "one client", of -> worst(trials.apply(of), Trial::worstBeginGap))
        .column(
            Unit.MILLIS, "no commit, ms: median", of -> median(trials.apply(of), Trial::commitGap))
        .column(Unit.MILLIS, "worst", of -> worst(trials.apply(of), Trial::commitGap))
        .column(Unit.MILLIS, "one client", of -> worst(trials.apply(of), Trial::worstCommitGap))
        .column(
            Unit.COUNT, "lost", of -> isJudged.test(of) ? sum(trials.apply(of), Trial::lost) : null)
        .column(
            Unit.COUNT,
            "wrong",
            of -> isJudged.test(of) ? sum(trials.apply(of), Trial::wrong) : null)
        .column(Unit.COUNT, "needless", of -> sum(trials.apply(of), Trial::needless));
  }

  private static double median(List<Trial> trials, ToDoubleFunction<Trial> of) {
    double[] sorted = trials.stream().mapToDouble(of).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  private static double worst(List<Trial> trials, ToDoubleFunction<Trial> of) {
    return trials.stream().mapToDouble(of).max().orElseThrow();
  }

  private static Double sum(List<Trial> trials, ToDoubleFunction<Trial> of) {
    return trials.stream().mapToDouble(of).sum();
  }
}
