package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.retso.protocol.Timestamps;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** All memory is allocated at the start: requests in steady state allocate nothing. */
class AllocationTest {
  private static final int ROUNDS = 20_000;
  private static final int BATCH = 16;

  private final StatusOracle oracle = new StatusOracle(10_000, 1 << 12, 1 << 12, Changes.NONE);
  private final CommitBatch batch = new CommitBatch(16);
  private long row = 1;
  private long committed;
  private int rounds;

  private void round() {
    long first = oracle.begin(BATCH);
    for (int i = 0; i < BATCH; i++) {
      int at = batch.add(first + (long) i * Timestamps.GAP, false, 10);
      for (int j = 0; j < 10; j++) {
        row = row * 0x5851F42D4C957F2DL + 1;
        batch.rows()[at + j] = (row >>> 33) % 20_000;
      }
    }
    oracle.commit(batch);
    for (int i = 0; i < BATCH; i++) {
      long start = first + (long) i * Timestamps.GAP;
      committed += batch.outcome(i) > 0 ? 1 : 0;
      oracle.status(start, first);
      if (i == 3) {
        oracle.abort(start);
      }
      if (i % 5 != 0) {
        oracle.cleaned(start);
      }
    }
    oracle.lowWatermark();
    if (++rounds % 10 == 0) { // late enough that commits have left the window for the table
      oracle.swept(first);
      oracle.expire(first);
    }
    oracle.timestamp();
    batch.clear();
  }

  @Test
  void requestsAllocateNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < ROUNDS; i++) {
      round();
    }
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < ROUNDS; i++) {
      round();
    }
    long allocated = threads.getThreadAllocatedBytes(thread) - before;
    assertTrue(committed > ROUNDS, "the test measures nothing but aborts");
    // The two calls that measure may allocate a little themselves.
    assertTrue(allocated < 4096, () -> allocated + " bytes for " + ROUNDS * BATCH + " commits");
  }
}
