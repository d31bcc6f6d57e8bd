package io.retso.chaos.run;

import io.retso.report.TextTable;
import io.retso.report.Texts;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The columns of tables that sum up what clients noticed of some trials. */
public final class TrialColumns {
  private static final List<String> HEAD =
      List.of(
          "trials",
          "no begin, ms: median",
          "worst",
          "one client",
          "no commit, ms: median",
          "worst",
          "one client",
          "lost",
          "wrong",
          "needless");

  private TrialColumns() {}

  /** A table without rows, which has these columns behind some of words. */
  public static TextTable behind(String... words) {
    return new TextTable(
        "l".repeat(words.length) + "r".repeat(HEAD.size()), joined(words, HEAD.stream()));
  }

  /**
   * Adds a row.
   *
   * @param trials at least one
   * @param isJudged whether what was lost and wrong was looked for
   */
  public static void row(TextTable table, List<Trial> trials, boolean isJudged, String... words) {
    table.row(
        joined(
            words,
            Stream.of(
                Integer.toString(trials.size()),
                median(trials, Trial::beginGap),
                worst(trials, Trial::beginGap),
                worst(trials, Trial::worstBeginGap),
                median(trials, Trial::commitGap),
                worst(trials, Trial::commitGap),
                worst(trials, Trial::worstCommitGap),
                isJudged ? Long.toString(trials.stream().mapToLong(Trial::lost).sum()) : "-",
                isJudged ? Long.toString(trials.stream().mapToLong(Trial::wrong).sum()) : "-",
                Integer.toString(trials.stream().mapToInt(Trial::needless).sum()))));
  }

  private static String[] joined(String[] words, Stream<String> others) {
    return Stream.concat(Arrays.stream(words), others).toArray(String[]::new);
  }

  private static String median(List<Trial> trials, ToDoubleFunction<Trial> of) {
    double[] sorted = trials.stream().mapToDouble(of).sorted().toArray();
    int half = sorted.length / 2;
    return Texts.millis(
        sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
  }

  private static String worst(List<Trial> trials, ToDoubleFunction<Trial> of) {
    return Texts.millis(trials.stream().mapToDouble(of).max().orElseThrow());
  }
}
