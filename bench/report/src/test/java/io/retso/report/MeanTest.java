package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class MeanTest {
  @Test
  void ofFewRatiosTheIntervalIsThatOfTheMean() {
    Mean mean = Mean.ofRatios(0.9, 1.1, 1.2);
    assertEquals(1.1, mean.value(), 1e-9);
    assertEquals(Mean.of(0.9, 1.1, 1.2).error(), mean.error(), 1e-9);
    assertFalse(mean.isClear(5), "three are too few to stop");
  }

  /**
   * The interval of six is between the lowest and the highest, of twelve between the third of each
   * end.
   */
  @Test
  void aStallHardlyWidensTheIntervalOfMany() {
    Mean six = Mean.ofRatios(1.3, 1.0, 1.1, 0.9, 1.1, 1.0);
    assertEquals(1.05, six.value(), 1e-9);
    assertEquals(0.25, six.error(), 1e-9);
    Mean twelve =
        Mean.ofRatios(1.04, 1.03, 1.02, 1.01, 1.00, 0.99, 0.98, 0.97, 0.96, 0.95, 9.0, 8.0);
    assertEquals(1.005, twelve.value(), 1e-9);
    assertEquals(0.035, twelve.error(), 1e-9);
    assertTrue(twelve.isClear(0.95));
    assertFalse(twelve.isClear(1));
    assertEquals("", twelve.doubt(1), "narrow, so it is judged");
  }

  @Test
  void nineteenOfTwentyIntervalsHoldTheMedian() {
    Random random = new Random(1);
    for (int count : new int[] {6, 9, 12, 30, 100}) {
      int outside = 0;
      for (int i = 0; i < 2000; i++) {
        double[] ratios = random.doubles(count).map(ratio -> Math.exp(4 * ratio * ratio)).toArray();
        Mean mean = Mean.ofRatios(ratios);
        outside += Math.abs(mean.value() - Math.exp(1)) > mean.error() ? 1 : 0;
      }
      assertTrue(outside <= 100, outside + " of 2,000 with " + count);
    }
  }
}
