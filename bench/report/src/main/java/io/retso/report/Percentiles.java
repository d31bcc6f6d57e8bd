package io.retso.report;

import org.HdrHistogram.Histogram;

/** A distribution of latencies in milliseconds. */
public record Percentiles(
    long count, double mean, double p50, double p90, double p99, double p999, double max) {

  /** Sums up a histogram of nanoseconds. */
  public static Percentiles of(Histogram nanos) {
    return new Percentiles(
        nanos.getTotalCount(),
        nanos.getMean() / 1e6,
        at(nanos, 50),
        at(nanos, 90),
        at(nanos, 99),
        at(nanos, 99.9),
        nanos.getMaxValue() / 1e6);
  }

  private static double at(Histogram nanos, double percentile) {
    return nanos.getValueAtPercentile(percentile) / 1e6;
  }
}
