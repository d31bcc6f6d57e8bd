package io.retso.chaos.run;

/**
 * Take-overs during a fault, as the servers logged them. Times are milliseconds since the fault
 * began, negative if there was none.
 *
 * @param begun when a standby began to take over: its leader was noticed to be gone by then
 * @param led when one led
 * @param attempts how often a server began to take over
 * @param leaders how often one led
 */
public record TakeOvers(double begun, double led, int attempts, int leaders) {
  /** None. */
  public static final TakeOvers NONE = new TakeOvers(-1, -1, 0, 0);
}
