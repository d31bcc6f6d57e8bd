package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BatchHistogramTest {
  @Property(tries = 300)
  void aQuantileLiesInTheBucketOfTheRightValue(
      @ForAll @Size(min = 1, max = 50)
          java.util.List<@LongRange(min = 0, max = 20_000_000_000L) Long> values) {
    BatchHistogram h = BatchHistogram.ofLatencies();
    values.forEach(v -> h.record(v, 1));
    double[] bounds = h.boundsIn(1);
    long median = values.stream().sorted().skip((values.size() - 1) / 2).findFirst().orElseThrow();
    int bucket = 0;
    while (bounds[bucket] < median) {
      bucket++;
    }
    double low = bucket == 0 ? 0 : bounds[bucket - 1];
    double estimate = h.quantile(0.5);
    assertTrue(estimate >= low && estimate <= bounds[bucket], estimate + " for " + median);
    assertEquals(values.stream().mapToLong(v -> v).sum(), h.sum());
    assertEquals(values.size(), h.count());
  }

  @Test
  void aBoundBelongsToTheBucketBelowIt() {
    BatchHistogram h = BatchHistogram.ofSizes();
    h.record(64, 1);
    h.record(65, 1);
    assertEquals(1, h.counts()[0]);
    assertEquals(1, h.counts()[1]);
  }

  @Test
  void manyOfOneSizeAreCountedAtOnce() {
    BatchHistogram h = BatchHistogram.ofLatencies();
    h.record(1_000_000, 999);
    h.record(100_000_000, 1);
    assertEquals(1000, h.count());
    assertTrue(h.quantile(0.99) <= 1_000_000);
    assertTrue(h.quantile(0.9995) > 70_000_000);
    assertEquals(1.099e6, h.mean(), 1);
  }

  @Test
  void aDifferenceForgetsWhatWasBefore() {
    BatchHistogram h = BatchHistogram.ofLatencies();
    h.record(5_000_000_000L, 10);
    BatchHistogram before = BatchHistogram.ofLatencies();
    before.copyFrom(h);
    h.record(15_000, 4);
    BatchHistogram since = h.since(before);
    assertEquals(4, since.count());
    assertEquals(15_000, since.mean());
    assertTrue(since.quantile(0.999) <= 15_000);
  }

  @Test
  void nothingRecordedIsZero() {
    BatchHistogram h = BatchHistogram.ofSizes();
    assertEquals(0, h.quantile(0.5));
    assertEquals(0, h.mean());
  }

  @Test
  void theBoundsAscendAndEndAtInfinity() {
    double[] bounds = BatchHistogram.ofLatencies().boundsIn(1e9);
    assertEquals(1e-5, bounds[0]);
    assertEquals(10.0, bounds[bounds.length - 2]);
    assertEquals(Double.POSITIVE_INFINITY, bounds[bounds.length - 1]);
    for (int i = 1; i < bounds.length; i++) {
      assertTrue(bounds[i] > bounds[i - 1]);
    }
  }
}
