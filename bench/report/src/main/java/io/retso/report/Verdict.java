package io.retso.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * A figure beside its target.
 *
 * @param what is judged
 * @param measured the figure
 * @param atLeast whether the target is a lower bound
 * @param target the bound
 * @param made how the figure came about
 * @param doubt why the figure is not to be judged; empty if it is
 * @param limit the best value that other figures of the same run allow; null if that is not known
 */
public record Verdict(
    String what,
    Mean measured,
    boolean atLeast,
    double target,
    String made,
    String doubt,
    Double limit) {

  /** A figure without an interval. */
  public Verdict(
      String what,
      double value,
      boolean atLeast,
      double target,
      String made,
      String doubt,
      Double limit) {
    this(what, Mean.once(value), atLeast, target, made, doubt, limit);
  }

  /** A figure without a known limit. */
  public Verdict(
      String what, double value, boolean atLeast, double target, String made, String doubt) {
    this(what, value, atLeast, target, made, doubt, null);
  }

  /** A figure that may be judged. */
  public Verdict(String what, double value, boolean atLeast, double target, String made) {
    this(what, value, atLeast, target, made, "");
  }

  /** A ratio of rounds, which is judged unless its interval says otherwise. */
  public static Verdict ofRatio(
      String what, Mean ratio, boolean atLeast, double target, String made) {
    return new Verdict(what, ratio, atLeast, target, made, ratio.doubt(target), null);
  }

  /** The figure. */
  public double value() {
    return measured.value();
  }

  /** Whether the target is met. */
  public boolean met() {
    return atLeast ? value() >= target : value() <= target;
  }

  /** Whether the limit falls short of the target. */
  public boolean outOfReach() {
    return limit != null && (atLeast ? limit < target : limit > target);
  }

  /** What is to be said of it: met, missed, or not judged. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  public String verdict() {
    return doubt.isEmpty() ? met() ? "met" : "missed" : "not judged";
  }

  /** A table with a row for each. */
  public static Table table(List<Verdict> all) {
    Table table =
        Table.of(
            "",
            Table.words("how fast"),
            Table.numbers(Unit.RATIO, "measured"),
            Table.numbers(Unit.RATIO, "target"),
            Table.words(""),
            Table.words(""));
    for (Verdict one : all) {
      boolean isRate = one.target >= 1000;
      String limit =
          one.doubt.isEmpty() && one.outOfReach() ? ", limit " + Texts.decimal(one.limit) : "";
      table.row(
          one.what,
          (isRate ? Unit.RATE : Unit.RATIO).text(one.measured),
          (one.atLeast ? ">= " : "<= ") + (isRate ? Texts.rate(one.target) : one.target),
          one.verdict() + limit,
          one.doubt.isEmpty() ? one.made : one.doubt);
    }
    return table;
  }
}
