package io.retso.verify.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultCountsTest {
  private final FaultCounts counts = new FaultCounts();

  @Test
  void whatHappenedInAnyRoundHappened() {
    counts.add(Map.of("flush", 2), Map.of("move", "no server", "split", Nemesis.NO_TURN));
    assertEquals(List.of("split"), counts.waiting());
    counts.add(Map.of("flush", 1, "split", 1), Map.of("move", Nemesis.NO_TURN));
    assertEquals(List.of(), counts.waiting(), "a refused one had its turn");
    assertEquals(
        List.of(
            "Faults that happened: flush=3, split=1.",
            "move was chosen and never happened: no server"),
        counts.lines());
  }

  @Test
  void noFaultAtAll() {
    counts.add(Map.of(), Map.of());
    assertEquals(List.of("Faults that happened: none."), counts.lines());
  }
}
