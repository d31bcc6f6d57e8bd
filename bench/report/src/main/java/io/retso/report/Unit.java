package io.retso.report;

import java.util.Locale;
import java.util.function.DoubleFunction;

/** What a number is, and how it is written for people. */
public enum Unit {
  /** Words, on the left of their column. */
  TEXT(Unit::whole),
  /** A number of things: {@code 12,345}. */
  COUNT(Unit::whole),
  /** How many a second, or another number of which three digits matter: {@code 512k}. */
  RATE(Texts::rate),
  /** A time in milliseconds: {@code 1.23}. */
  MILLIS(Texts::millis),
  /** A share of 1, as a percentage. */
  SHARE(Texts::percent),
  /** A ratio, or another number of which two decimals matter. */
  RATIO(Texts::decimal),
  /** Bytes: {@code 52 KB}. */
  BYTES(Texts::bytes);

  private final DoubleFunction<String> form;

  Unit(DoubleFunction<String> form) {
    this.form = form;
  }

  /**
   * A cell for people.
   *
   * @param cell text, a number, a {@link Mean}, which shows its interval if it has one, or null
   *     where there is none
   */
  public String text(Object cell) {
    if (cell == null) {
      return "-";
    }
    if (cell instanceof Mean mean) {
      String error = form.apply(mean.error());
      return form.apply(mean.value()) + (error.equals(form.apply(0)) ? "" : " +- " + error);
    }
    return cell instanceof Number number ? form.apply(number.doubleValue()) : cell.toString();
  }

  private static String whole(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
