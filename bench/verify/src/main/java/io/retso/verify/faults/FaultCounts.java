package io.retso.verify.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which of the chosen faults happened in the rounds of a run. Not thread-safe. */
public final class FaultCounts {
  private final Map<String, Integer> happened = new TreeMap<>();

  /** Why some did not happen in any round; a refusal says more than lack of time. */
  private final Map<String, String> never = new TreeMap<>();

  /**
   * Adds those of a round.
   *
   * @param counts of those that happened
   * @param others those that did not, with the reason
   */
  public void add(Map<String, Integer> counts, Map<String, String> others) {
    counts.forEach((fault, count) -> happened.merge(fault, count, Integer::sum));
    others.forEach(
        (fault, why) -> never.merge(fault, why, (a, b) -> a.equals(Nemesis.NO_TURN) ? b : a));
    never.keySet().removeAll(happened.keySet());
  }

  /** Those that were not even tried. */
  public List<String> waiting() {
    return never.entrySet().stream()
        .filter(fault -> fault.getValue().equals(Nemesis.NO_TURN))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** All of it, for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("Faults that happened: " + text(happened) + ".");
    never.forEach((fault, why) -> lines.add(fault + " was chosen and never happened: " + why));
    return lines;
  }

  /** Counts in one line. */
  public static String text(Map<String, Integer> counts) {
    return counts.isEmpty() ? "none" : new TreeMap<>(counts).toString().replaceAll("[{}]", "");
  }
}
