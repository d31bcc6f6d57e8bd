package io.retso.bench.report;

/**
 * A figure beside its target.
 *
 * @param what is compared
 * @param value what was measured
 * @param atLeast whether the target is a lower bound
 * @param target the bound
 * @param made how the value came about
 */
public record Comparison(String what, double value, boolean atLeast, double target, String made) {
  /** Whether the target is met. */
  public boolean met() {
    return atLeast ? value >= target : value <= target;
  }
}
