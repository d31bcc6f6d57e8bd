package io.retso.jobs;

import io.retso.text.Text;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measures two rates in turn. Stateless. */
final class Pairs {
  private static final int WARM_UP = 3;
  private static final int ROUNDS = 21;

  private Pairs() {}

  /** Does it once. */
  interface Rate {
    /** How much a second. */
    double measure() throws Exception;
  }

  /** Prints the quartiles of both, and of the ratios of pairs. */
  static void print(String what, String plainName, Rate plain, String otherName, Rate other)
      throws Exception {
    List<Double> plainRates = new ArrayList<>();
    List<Double> otherRates = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      boolean plainFirst = round % 2 == 0;
      double first = (plainFirst ? plain : other).measure();
      double second = (plainFirst ? other : plain).measure();
      if (round >= 0) {
        plainRates.add(plainFirst ? first : second);
        otherRates.add(plainFirst ? second : first);
        ratios.add(plainFirst ? second / first : first / second);
      }
    }
    System.out.println(
        Text.of(
            "%s a second, quartiles of %d rounds: %s %s, %s %s, ratio %s",
            what,
            ROUNDS,
            plainName,
            quartiles(plainRates, "%.0f"),
            otherName,
            quartiles(otherRates, "%.0f"),
            quartiles(ratios, "%.3f")));
  }

  private static String quartiles(List<Double> all, String form) {
    Collections.sort(all);
    return Text.of(
        form + " " + form + " " + form,
        all.get(ROUNDS / 4),
        all.get(ROUNDS / 2),
        all.get(ROUNDS * 3 / 4));
  }
}
