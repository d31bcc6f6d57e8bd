package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AcceptPaceTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void aBurstBeginsAtOnceAndTheNextWait() {
    AcceptPace pace = new AcceptPace(0);
    for (int i = 0; i < AcceptPace.BURST; i++) {
      assertEquals(0, pace.begin(0));
    }
    assertEquals(SECOND / AcceptPace.PER_SECOND, pace.begin(0));
    assertEquals(0, pace.begin(10 * SECOND), "what was not used is not saved up");
    for (int i = 1; i < AcceptPace.BURST; i++) {
      assertEquals(0, pace.begin(10 * SECOND));
    }
    assertTrue(pace.begin(10 * SECOND) > 0);
  }

  /** However they come: so many in any span of time, and a burst. */
  @Property
  void noSpanHasMore(@ForAll @Size(500) List<@LongRange(max = 20_000_000) Long> gaps) {
    AcceptPace pace = new AcceptPace(0);
    long now = 0;
    long begun = 0;
    for (long gap : gaps) {
      now += gap;
      now += pace.begin(now); // the next one comes no sooner
      begun++;
      assertTrue(
          begun <= AcceptPace.BURST + 1 + now * AcceptPace.PER_SECOND / SECOND,
          begun + " after " + now + " ns");
    }
  }
}
