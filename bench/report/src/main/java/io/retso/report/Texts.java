package io.retso.report;

import java.util.Locale;

/** Numbers for people. */
public final class Texts {
  private Texts() {}

  /** A rate: {@code 1.24M}, {@code 512k}, {@code 9,876}. */
  public static String rate(double perSecond) {
    if (perSecond >= 999_500) {
      return String.format(Locale.ROOT, "%.2fM", perSecond / 1e6);
    }
    if (perSecond >= 9_995) {
      return String.format(Locale.ROOT, "%.0fk", perSecond / 1e3);
    }
    return String.format(Locale.ROOT, "%,.0f", perSecond);
  }

  /** Milliseconds with three digits that matter. */
  public static String millis(double millis) {
    String form = millis >= 100 ? "%.0f" : millis >= 10 ? "%.1f" : millis >= 1 ? "%.2f" : "%.3f";
    return String.format(Locale.ROOT, form, millis);
  }

  /** A share of 1 as a percentage. */
  public static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f%%", 100 * share);
  }

  /** A number with two decimals. */
  public static String decimal(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** Bytes in B, KB or MB. */
  public static String bytes(double bytes) {
    if (bytes < 1_000) {
      return String.format(Locale.ROOT, "%.0f B", bytes);
    }
    return bytes < 1e6
        ? String.format(Locale.ROOT, "%.0f KB", bytes / 1e3)
        : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
  }
}
