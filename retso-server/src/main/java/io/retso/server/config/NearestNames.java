package io.retso.server.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Finds the names that a mistyped one may have been meant to be. */
final class NearestNames {
  private NearestNames() {}

  /**
   * The names at the smallest edit distance from {@code typed}, if that is at most a third of it;
   * otherwise the names of which it is a whole part, as {@code port} is of {@code listen.port}.
   */
  static List<String> of(String typed, Collection<String> names) {
    String wanted = typed.toLowerCase(Locale.ROOT).replace('-', '.').replace('_', '.');
    int best = Math.max(1, wanted.length() / 3);
    List<String> nearest = new ArrayList<>();
    for (String name : names) {
      int distance = distance(wanted, name);
      if (distance < best) {
        nearest.clear();
        best = distance;
      }
      if (distance == best) {
        nearest.add(name);
      }
    }
    if (nearest.isEmpty() && !wanted.isEmpty()) {
      names.stream()
          .filter(name -> ("." + name + ".").contains("." + wanted + "."))
          .forEach(nearest::add);
    }
    return nearest;
  }

  /**
   * Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
   */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          d[i][j] = Math.min(d[i][j], 1 + d[i - 2][j - 2]);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
