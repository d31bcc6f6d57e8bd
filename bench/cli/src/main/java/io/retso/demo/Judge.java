package io.retso.demo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Compares the answers that tellers got with the journal. Stateless. */
final class Judge {
  private static final int IDS_SHOWN_MAX = 3;

  private Judge() {}

  /** Everything that is not as it must be. */
  static List<String> wrongs(TellerReport tellers, Set<String> journal) {
    List<String> wrongs = new ArrayList<>();
    report(
        wrongs,
        "acknowledged transfers are not in the journal",
        difference(tellers.done(), journal));
    report(
        wrongs,
        "transfers that were refused after a conflict are in the journal",
        common(tellers.conflicts(), journal));
    report(
        wrongs,
        "transfers that failed before they were committed are in the journal",
        common(tellers.failed(), journal));
    report(wrongs, "transfers that were never made", difference(journal, tellers.begun()));
    if (tellers.broken() > 0) {
      wrongs.add(
          tellers.broken()
              + " transfers ended in what no correct program sees; the last one: "
              + tellers.lastBroken());
    }
    return wrongs;
  }

  private static void report(List<String> wrongs, String what, Set<String> ids) {
    if (!ids.isEmpty()) {
      List<String> some = ids.stream().sorted().limit(IDS_SHOWN_MAX).toList();
      wrongs.add(ids.size() + " " + what + ": " + String.join(", ", some));
    }
  }

  private static Set<String> difference(Set<String> these, Set<String> those) {
    Set<String> rest = new HashSet<>(these);
    rest.removeAll(those);
    return rest;
  }

  private static Set<String> common(Set<String> these, Set<String> those) {
    Set<String> both = new HashSet<>(these);
    both.retainAll(those);
    return both;
  }
}
