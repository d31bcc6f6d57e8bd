package io.retso.bench.workload;

import java.util.Arrays;
import java.util.Locale;

/**
 * The mean, or the median, of repeated measurements.
 *
 * @param value of all
 * @param error half of the 95 % confidence interval of their mean, by Student's distribution; 0 if
 *     there was one measurement only
 * @param count of measurements
 */
record Mean(double value, double error, int count) {
  /** A mean of which the interval is wider says little. */
  private static final double ERROR_MAX = 0.1;

  /** The 97.5 % quantiles for 1 degree of freedom and more; 1.96 for many. */
  private static final double[] STUDENT = {
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228
  };

  private static final double NORMAL = 1.96;

  static Mean of(double... values) {
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

  /** Of ratios: the median, as a stall in one round makes its ratio anything. */
  static Mean ofRatios(double... ratios) {
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median =
        sorted.length == 0
            ? 0
            : sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Mean(median, of(ratios).error, ratios.length);
  }

  /**
   * Why a ratio is not to be judged; empty if it is: its interval is narrow, or the target is not
   * within it.
   */
  String doubt(double target) {
    if (count < 2) {
      return "one round says little";
    }
    return error <= ERROR_MAX || Math.abs(value - target) > error
        ? ""
        : String.format(Locale.ROOT, "+- %.2f: more --rounds, or a quieter machine", error);
  }
}
