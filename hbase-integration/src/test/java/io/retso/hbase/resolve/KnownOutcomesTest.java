package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.Outcome;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Outcomes of the writers of a row, which its region may forget between two looks. */
class KnownOutcomesTest {
  private final Map<Long, Long> region = new HashMap<>();
  private final KnownOutcomes known = new KnownOutcomes(new long[] {16, 32, 48});

  private boolean look() {
    return known.look(start -> region.getOrDefault(start, 0L));
  }

  @Test
  void whatIsKnownStaysKnownThoughTheRegionForgetsIt() {
    region.put(16L, 160L);
    region.put(48L, Outcome.ABORTED);
    assertFalse(look());
    region.clear();
    region.put(32L, 320L);
    assertTrue(look());
    assertEquals(160, known.of(16));
    assertEquals(320, known.of(32));
    assertEquals(Outcome.ABORTED, known.of(48));
  }

  @Test
  void whatWasNotAskedIsNotKnown() {
    region.put(64L, 640L);
    assertFalse(look());
    assertFalse(known.isAsked(64));
    assertEquals(0, known.of(64));
    assertTrue(known.isAsked(48));
  }
}
