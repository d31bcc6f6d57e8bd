package io.retso.workload.smallbank;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * What is done with which customers: part of the transactions deals with those of the hot spot.
 *
 * @param customers all of them
 * @param hot the first ones, with which nine of ten transactions deal
 * @param balancePercent share of Bal; the other four programs share the rest alike
 */
public record Mix(int customers, int hot, int balancePercent) {
  private static final int HOT_PERCENT = 90;
  private static final int PERCENT = 100;
  private static final List<Kind> OTHERS = List.of(Kind.DC, Kind.TS, Kind.AMG, Kind.WC);

  /** What the paper has. */
  public static final int CUSTOMERS = 18_000;

  /** Checks what is asked for. */
  public Mix {
    if (hot < 2 || customers < hot + 2 || balancePercent < 0 || balancePercent > PERCENT) {
      throw new IllegalArgumentException(
          "a hot spot has at least 2 customers, and 2 more are outside: " + hot + ", " + customers);
    }
  }

  /** The programs of the mix. */
  public static List<Kind> kinds() {
    return Stream.concat(Stream.of(Kind.BAL), OTHERS.stream()).toList();
  }

  Kind kind(SplittableRandom random) {
    if (random.nextInt(PERCENT) < balancePercent) {
      return Kind.BAL;
    }
    return OTHERS.get(random.nextInt(OTHERS.size()));
  }

  boolean isHot(SplittableRandom random) {
    return random.nextInt(PERCENT) < HOT_PERCENT;
  }

  int customer(boolean isHot, SplittableRandom random) {
    return isHot ? random.nextInt(hot) : hot + random.nextInt(customers - hot);
  }

  @Override
  public String toString() {
    return "hot spot of " + hot + ", " + balancePercent + " % Bal";
  }
}
