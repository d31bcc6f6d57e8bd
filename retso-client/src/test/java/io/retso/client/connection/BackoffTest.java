package io.retso.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Property
  void pausesAreInTheUpperHalfOfADoublingRange(
      @ForAll @LongRange(min = 1, max = 1L << 40) long min,
      @ForAll @LongRange(min = 0, max = 1L << 42) long more,
      @ForAll long seed) {
    Backoff backoff = new Backoff(min, min + more, new SplittableRandom(seed));
    long ceiling = min;
    for (int i = 0; i < 100; i++) {
      long pause = backoff.nextNanos();
      assertTrue(pause >= ceiling - ceiling / 2 && pause <= ceiling, () -> "pause " + pause);
      ceiling = Math.min(min + more, 2 * ceiling);
    }
    assertEquals(100, backoff.failures());
    backoff.reset();
    assertTrue(backoff.nextNanos() <= min);
  }

  @Property
  void theSeedDecides(@ForAll long seed) {
    Backoff one = new Backoff(10, 1000, new SplittableRandom(seed));
    Backoff other = new Backoff(10, 1000, new SplittableRandom(seed));
    for (int i = 0; i < 20; i++) {
      assertEquals(one.nextNanos(), other.nextNanos());
    }
  }

  @Test
  void senselessRangesAreRefused() {
    SplittableRandom random = new SplittableRandom(1);
    assertThrows(IllegalArgumentException.class, () -> new Backoff(0, 1, random));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(2, 1, random));
  }
}
