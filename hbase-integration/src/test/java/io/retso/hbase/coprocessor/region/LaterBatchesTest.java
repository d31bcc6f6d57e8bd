package io.retso.hbase.coprocessor.region;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LaterBatchesTest {
  private final LaterBatches batches = new LaterBatches();

  @Test
  void remembersTheHighestOfThoseThatHaveSentTwo() {
    batches.begin(16, 1);
    assertEquals(0, batches.highest(16));
    batches.begin(16, 2);
    batches.begin(16, 5);
    assertEquals(5, batches.highest(16));
    assertEquals(0, batches.highest(32));
  }

  @Test
  void forgetsTheOldestWhenThereAreTooMany() {
    for (long key = 1; key <= LaterBatches.MAX + 1; key++) {
      batches.begin(key, 2);
      batches.begin(key, 3);
    }
    assertEquals(0, batches.highest(1));
    assertEquals(3, batches.highest(2));
    assertEquals(3, batches.highest(LaterBatches.MAX + 1));
  }
}
