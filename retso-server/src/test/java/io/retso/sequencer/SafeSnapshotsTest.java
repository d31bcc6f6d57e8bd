package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SafeSnapshotsTest {
  private static final long PERIOD = SafeSnapshots.PERIOD_NANOS;

  private final StatusOracle oracle = new StatusOracle(100, 1 << 16, 100, Changes.NONE);
  private final SafeSnapshots snapshots = new SafeSnapshots(oracle);

  /** Writers have the same few snapshots to stay above, whether one reader asks or a hundred. */
  @Test
  void allWhoAskInAPeriodShareOne() {
    long now = 0;
    for (int readers : new int[] {1, 100}) {
      long before = oracle.counters().safeSnapshots;
      Set<Long> handedOut = new HashSet<>();
      long end = now + 100 * PERIOD;
      while (now < end) {
        for (int i = 0; i < readers; i++) {
          handedOut.add(snapshots.current(now + i));
        }
        oracle.begin(1);
        now += PERIOD / 10;
      }
      assertTrue(handedOut.size() <= 100, readers + " readers: " + handedOut.size());
      assertEquals(handedOut.size(), oracle.counters().safeSnapshots - before);
      now += PERIOD;
    }
  }

  @Test
  void eachIsHeldForItsTimeWhateverElseIsIssued() {
    oracle.cleaned(oracle.begin(1));
    long now = Long.MAX_VALUE - 5 * PERIOD; // a clock of nanoseconds may wrap
    long first = snapshots.current(now);
    long second = 0;
    for (int i = 1; i <= 6000; i++) {
      long next = snapshots.current(now + i * PERIOD - 1);
      second = second == 0 && next != first ? next : second;
      if (i * PERIOD <= SafeSnapshots.HELD_NANOS) {
        assertEquals(first, oracle.lowWatermark(), "after " + i + " periods");
      }
    }
    snapshots.release(now + SafeSnapshots.HELD_NANOS);
    assertEquals(second, oracle.lowWatermark());
    snapshots.release(now + 3 * SafeSnapshots.HELD_NANOS);
    assertEquals(oracle.nextTimestamp(), oracle.lowWatermark());
  }
}
