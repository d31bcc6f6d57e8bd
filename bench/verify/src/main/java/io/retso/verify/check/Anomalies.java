package io.retso.verify.check;

import io.retso.verify.history.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Collects anomalies: counts all, keeps the first of each kind. */
final class Anomalies {
  /** How many of a kind are kept with their explanations. */
  static final int KEPT_MAX = 100;

  private final Map<AnomalyKind, Integer> counts = new EnumMap<>(AnomalyKind.class);
  private final Map<AnomalyKind, List<Anomaly>> kept = new EnumMap<>(AnomalyKind.class);

  /** Adds one; the explanation is made only if it is kept, and ends with the transactions. */
  void add(AnomalyKind kind, Supplier<String> explanation, Transaction... transactions) {
    counts.merge(kind, 1, Integer::sum);
    List<Anomaly> some = kept.computeIfAbsent(kind, any -> new ArrayList<>());
    if (some.size() < KEPT_MAX) {
      StringBuilder text = new StringBuilder(explanation.get());
      List<Integer> ids = new ArrayList<>();
      for (Transaction transaction : transactions) {
        text.append("\n  ").append(transaction);
        ids.add(transaction.id());
      }
      some.add(new Anomaly(kind, text.toString(), List.copyOf(ids)));
    }
  }

  Map<AnomalyKind, Integer> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /** Those that are kept, by kind. */
  List<Anomaly> kept() {
    return kept.values().stream().flatMap(List::stream).toList();
  }
}
