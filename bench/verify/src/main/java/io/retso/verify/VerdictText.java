package io.retso.verify;

import io.retso.verify.check.Anomaly;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import java.util.List;
import java.util.Locale;

/** A verdict for people. */
public final class VerdictText {
  private static final int EXPLAINED_MAX = 10;
  private static final int KEYS_SHOWN_MAX = 5;

  private final StringBuilder text = new StringBuilder();

  private VerdictText() {}

  /**
   * In a few lines.
   *
   * @param isTested whether there is enough to be judged; otherwise it contradicts nothing, at best
   */
  public static String of(Verdict verdict, boolean isTested) {
    VerdictText text = new VerdictText();
    text.counts(verdict);
    text.doubts(verdict);
    text.anomalies(verdict);
    text.conclusion(verdict, isTested);
    return text.text.toString();
  }

  private void line(String format, Object... details) {
    text.append(String.format(Locale.ROOT, format, details)).append(System.lineSeparator());
  }

  private void counts(Verdict verdict) {
    line(
        "%,d transactions: %,d committed, %,d failed, %,d of unknown outcome (%,d of them seen).",
        verdict.ok() + verdict.failed() + verdict.unknown(),
        verdict.ok(),
        verdict.failed(),
        verdict.unknown(),
        verdict.unknownSeen());
    line(
        "%,d keys; dependencies: %,d ww, %,d wr, %,d rw.",
        verdict.keys(), verdict.writeWrite(), verdict.writeRead(), verdict.readWrite());
    line(
        "%,d pairs with write skew; %,d groups that no serial order explains%s.",
        verdict.writeSkews(),
        verdict.unserializable(),
        verdict.model() == Model.STRICT_SERIALIZABILITY ? "" : " (snapshot isolation allows both)");
  }

  private void doubts(Verdict verdict) {
    List<Long> keys = verdict.withoutLastRead();
    if (!keys.isEmpty()) {
      line(
          "Attention: %,d keys were not read after their last acknowledged append (%s%s): there a"
              + " lost append goes unnoticed. End a history by reading every key.",
          keys.size(),
          String.join(", ", keys.stream().limit(KEYS_SHOWN_MAX).map(key -> "k" + key).toList()),
          keys.size() > KEYS_SHOWN_MAX ? ", ..." : "");
    }
  }

  private void anomalies(Verdict verdict) {
    verdict
        .anomalyCounts()
        .forEach((kind, count) -> line("%,8d x %s: %s", count, kind.label(), kind.meaning()));
    List<Anomaly> explained = verdict.anomalies().stream().limit(EXPLAINED_MAX).toList();
    for (Anomaly anomaly : explained) {
      line("");
      line("%s: %s", anomaly.kind().label(), anomaly.explanation());
    }
    int more = verdict.anomalyTotal() - explained.size();
    if (more > 0) {
      line("");
      line("... and %,d more.", more);
    }
    if (!explained.isEmpty()) {
      line("");
    }
  }

  private void conclusion(Verdict verdict, boolean isTested) {
    String model =
        switch (verdict.model()) {
          case STRONG_SNAPSHOT_ISOLATION -> "strong snapshot isolation";
          case AS_PROMISED -> "what was promised, strong snapshot isolation or serializability";
          case STRICT_SERIALIZABILITY -> "strict serializability";
        };
    if (verdict.isConsistent() && !isTested) {
      line("Nothing contradicts %s, and nothing shows it.", model);
    } else if (verdict.isConsistent()) {
      line("CONSISTENT with %s.", model);
    } else {
      line("NOT %s: %,d anomalies.", model, verdict.anomalyTotal());
    }
  }
}
