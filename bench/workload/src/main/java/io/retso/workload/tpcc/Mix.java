package io.retso.workload.tpcc;

import java.util.SplittableRandom;

/**
 * How often each program runs.
 *
 * @param readOnlyPercent share of those that only read; among them, and among the others, the
 *     proportions are those of the standard mix
 */
public record Mix(int readOnlyPercent) {
  private static final int PERCENT = 100;

  /** TPC-C's, with Credit Check. */
  public static final Mix STANDARD = new Mix(8);

  /** Checks what is asked for. */
  public Mix {
    if (readOnlyPercent < 0 || readOnlyPercent > PERCENT) {
      throw new IllegalArgumentException("a share is 0 to 100 %, not " + readOnlyPercent);
    }
  }

  Kind kind(SplittableRandom random) {
    boolean readOnly = random.nextInt(PERCENT) < readOnlyPercent;
    int left = random.nextInt(sum(readOnly));
    for (Kind kind : Kind.values()) {
      left -= kind.isReadOnly() == readOnly ? kind.percent() : 0;
      if (left < 0) {
        return kind;
      }
    }
    throw new AssertionError("shares add up to less than their sum");
  }

  private static int sum(boolean readOnly) {
    int sum = 0;
    for (Kind kind : Kind.values()) {
      sum += kind.isReadOnly() == readOnly ? kind.percent() : 0;
    }
    return sum;
  }

  @Override
  public String toString() {
    return readOnlyPercent + " % read-only";
  }
}
