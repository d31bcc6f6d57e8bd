package io.retso.chaos.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Take-overs during a fault, as the servers logged them. Times are milliseconds since the fault
 * began, negative if there was none.
 *
 * @param begun when a standby began to take over: its leader was noticed to be gone by then
 * @param led when one led
 * @param attempts how often a server began to take over
 * @param leaders how often one led
 * @param steps of the first that came to its end: their names, in order, and how long after its
 *     begin each was done; empty if none did
 */
public record TakeOvers(
    double begun, double led, int attempts, int leaders, Map<String, Double> steps) {
  /** None. */
  public static final TakeOvers NONE = new TakeOvers(-1, -1, 0, 0, Map.of());

  /** Those of a report that was written before there were steps have none. */
  public TakeOvers {
    steps = steps == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(steps));
  }

  /** When a step was done; not a number if it was not. */
  public double whenDone(String step) {
    return steps.containsKey(step) ? begun + steps.get(step) : Double.NaN;
  }
}
