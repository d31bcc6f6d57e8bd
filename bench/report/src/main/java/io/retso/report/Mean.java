package io.retso.report;

import java.util.Arrays;
import java.util.Locale;

/**
 * The mean, or the median, of repeated measurements.
 *
 * @param value of all
 * @param error how far the 95 % confidence interval reaches to either side at the most; 0 if there
 *     was one measurement only. Of a mean by Student's distribution
 * @param count of measurements
 */
public record Mean(double value, double error, int count) {
  /** A mean of which the interval is wider says little. */
  private static final double ERROR_MAX = 0.1;

  /** The 97.5 % quantiles for 1 degree of freedom and more; 1.96 for many. */
  private static final double[] STUDENT = {
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228
  };

  private static final double NORMAL = 1.96;
  private static final double TAIL = 0.025;

  /** The mean of measurements; of none it is 0. */
  public static Mean of(double... values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    double mean = values.length == 0 ? 0 : sum / values.length;
    if (values.length < 2) {
      return new Mean(mean, 0, values.length);
    }
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    int freedom = values.length - 1;
    double quantile = freedom <= STUDENT.length ? STUDENT[freedom - 1] : NORMAL;
    return new Mean(mean, quantile * Math.sqrt(squares / freedom / values.length), values.length);
  }

  /** A number that was measured once, or counted. */
  public static Mean once(double value) {
    return new Mean(value, 0, 1);
  }

  /**
   * What stands for ratios: the median, as a stall in one round makes its ratio anything; and for
   * that reason with the interval between two of them, which holds for all distributions. For five
   * and less, which have none, by Student's distribution.
   */
  public static Mean ofRatios(double... ratios) {
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    int count = sorted.length;
    double median = count == 0 ? 0 : (sorted[count / 2] + sorted[(count - 1) / 2]) / 2;
    int outside = outside(count);
    return new Mean(
        median,
        outside == 0
            ? of(ratios).error
            : Math.max(median - sorted[outside - 1], sorted[count - outside] - median),
        count);
  }

  /**
   * Which of so many measurements, in their order, is the lower end of the interval; 0 if none is.
   * Each one is below the median with probability 1/2.
   */
  private static int outside(int count) {
    double probability = Math.pow(0.5, count); // that none is
    double atMost = probability;
    int outside = 0;
    while (atMost <= TAIL) {
      outside++;
      probability *= (double) (count - outside + 1) / outside;
      atMost += probability;
    }
    return outside;
  }

  /**
   * Why a share of attempts is not to be judged; empty if it is: at the target the count would
   * differ by more than two standard deviations.
   */
  public static String doubt(long count, long attempts, double target) {
    double expected = target * attempts;
    return Math.abs(count - expected) > 2 * Math.sqrt(expected)
        ? ""
        : String.format(Locale.ROOT, "%,d of %,d attempts say little", count, attempts);
  }

  /** Whether more rounds would hardly change on which side of a target it is. */
  public boolean isClear(double target) {
    return outside(count) > 0 && Math.abs(value - target) > error;
  }

  /**
   * Why a ratio is not to be judged; empty if it is: its interval is narrow, or the target is not
   * within it.
   */
  public String doubt(double target) {
    if (count < 2) {
      return "one round says little";
    }
    return error <= ERROR_MAX || Math.abs(value - target) > error
        ? ""
        : String.format(Locale.ROOT, "+- %.2f: more rounds, or a quieter machine", error);
  }
}
