package io.retso.server.observe;

import java.util.Arrays;

/**
 * Counts values by size, for what happens once per batch. Recording is an increment of a plain
 * field: one thread records, and others are given copies by that thread.
 *
 * <p>Memory is allocated once. Not thread-safe.
 */
public final class BatchHistogram {
  private static final int[] STEPS_TENTHS = {10, 15, 20, 30, 50, 70};
  private static final long NANOS_MIN = 10_000;
  private static final int DECADES = 6;
  private static final int SIZE_BITS_MIN = 6;
  private static final int SIZE_BITS_MAX = 22;

  /** Nanoseconds, from 10 us to 10 s, six buckets a decade. */
  private static final long[] LATENCY_NANOS = latencyBounds();

  /** Bytes, from 64 to 4 MiB, by powers of two. */
  private static final long[] SIZE_BYTES = sizeBounds();

  /** Invariant: ascending; bucket i counts what is above bound i - 1 and not above bound i. */
  private final long[] bounds;

  /** One more than bounds: the last bucket has no upper bound. */
  private final long[] counts;

  private long sum;
  private long max;

  private BatchHistogram(long[] bounds) {
    this.bounds = bounds;
    this.counts = new long[bounds.length + 1];
  }

  /** A histogram of nanoseconds. */
  public static BatchHistogram ofLatencies() {
    return new BatchHistogram(LATENCY_NANOS);
  }

  /** A histogram of bytes. */
  static BatchHistogram ofSizes() {
    return new BatchHistogram(SIZE_BYTES);
  }

  private static long[] latencyBounds() {
    long[] bounds = new long[DECADES * STEPS_TENTHS.length + 1];
    long decade = NANOS_MIN;
    int i = 0;
    for (int d = 0; d < DECADES; d++, decade *= 10) {
      for (int step : STEPS_TENTHS) {
        bounds[i++] = decade * step / 10;
      }
    }
    bounds[i] = decade;
    return bounds;
  }

  private static long[] sizeBounds() {
    long[] bounds = new long[SIZE_BITS_MAX - SIZE_BITS_MIN + 1];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = 1L << SIZE_BITS_MIN + i;
    }
    return bounds;
  }

  /** Counts {@code times} values of the same size. */
  public void record(long value, long times) {
    int found = Arrays.binarySearch(bounds, value);
    counts[found >= 0 ? found : -found - 1] += times;
    sum += value * times;
    max = Math.max(max, value);
  }

  /** Makes this one equal to another of the same kind. */
  public void copyFrom(BatchHistogram other) {
    System.arraycopy(other.counts, 0, counts, 0, counts.length);
    sum = other.sum;
    max = other.max;
  }

  /** What was recorded here and was not yet in {@code earlier}; its maximum is an upper bound. */
  BatchHistogram since(BatchHistogram earlier) {
    BatchHistogram difference = new BatchHistogram(bounds);
    for (int i = 0; i < counts.length; i++) {
      difference.counts[i] = counts[i] - earlier.counts[i];
    }
    difference.sum = sum - earlier.sum;
    difference.max = max;
    return difference;
  }

  long count() {
    long count = 0;
    for (long c : counts) {
      count += c;
    }
    return count;
  }

  long sum() {
    return sum;
  }

  /** The mean, 0 if nothing was recorded. */
  double mean() {
    long count = count();
    return count == 0 ? 0 : (double) sum / count;
  }

  /**
   * The value below which a share of the values lies, interpolated within its bucket; 0 if nothing
   * was recorded.
   *
   * @param share 0.5 for the median
   */
  double quantile(double share) {
    double rank = share * count();
    if (rank == 0) {
      return 0;
    }
    double below = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0 && below + counts[i] >= rank) {
        long low = i == 0 ? 0 : bounds[i - 1];
        long high = i == bounds.length ? max : Math.min(bounds[i], Math.max(max, low));
        return low + (high - low) * (rank - below) / counts[i];
      }
      below += counts[i];
    }
    return max;
  }

  /** Upper bounds of the buckets in another unit, the last one infinite. */
  double[] boundsIn(double unit) {
    double[] upper = new double[counts.length];
    for (int i = 0; i < bounds.length; i++) {
      upper[i] = bounds[i] / unit;
    }
    upper[bounds.length] = Double.POSITIVE_INFINITY;
    return upper;
  }

  /** The counts of the buckets. */
  long[] counts() {
    return counts.clone();
  }
}
