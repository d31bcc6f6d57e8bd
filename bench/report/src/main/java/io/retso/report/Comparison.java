package io.retso.report;

/**
 * A figure beside its target.
 *
 * @param what is compared
 * @param value what was measured
 * @param atLeast whether the target is a lower bound
 * @param target the bound
 * @param made how the value came about
 * @param doubt why the figure is not to be judged; empty if it is
 * @param limit the best value that other figures of the same run allow; null if that is not known
 */
public record Comparison(
    String what,
    double value,
    boolean atLeast,
    double target,
    String made,
    String doubt,
    Double limit) {

  /** A figure without a known limit. */
  public Comparison(
      String what, double value, boolean atLeast, double target, String made, String doubt) {
    this(what, value, atLeast, target, made, doubt, null);
  }

  /** A figure that may be judged. */
  public Comparison(String what, double value, boolean atLeast, double target, String made) {
    this(what, value, atLeast, target, made, "");
  }

  /** Whether the target is met. */
  public boolean met() {
    return atLeast ? value >= target : value <= target;
  }

  /** Whether the limit falls short of the target. */
  public boolean outOfReach() {
    return limit != null && (atLeast ? limit < target : limit > target);
  }

  /** What is to be said of it. */
  public String verdict() {
    return doubt.isEmpty() ? met() ? "met" : "missed" : "not judged";
  }
}
