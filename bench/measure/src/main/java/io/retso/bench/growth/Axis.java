package io.retso.bench.growth;

/** What grows. */
public enum Axis {
  CONNECTIONS("connections", 1.5, 1, 16, 256, 4_000),
  MAP("rows that the oracle remembers", 0, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000),
  OPEN("open transactions", 1.25, 0, 1_000, 100_000, 1_000_000),
  UNCLEANED("commits not cleaned up", 1.25, 0, 1_000, 100_000, 1_000_000);

  private final String label;
  private final double ratioMax;
  private final long[] steps;

  Axis(String label, double ratioMax, long... steps) {
    this.label = label;
    this.ratioMax = ratioMax;
    this.steps = steps;
  }

  /** The most that the last value may cost of what the first one does; 0 if there is no target. */
  double ratioMax() {
    return ratioMax;
  }

  /** Steps, ascending. */
  long[] steps() {
    return steps.clone();
  }

  @Override
  public String toString() {
    return label;
  }
}
