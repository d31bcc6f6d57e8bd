package io.retso.workload;

/**
 * Numbers within keys of rows, in a form that keeps their order. Zeros to fill all of them up would
 * do so, too, but ReTSO has a granule for each byte of a key.
 */
public final class Keys {
  /** The first character behind all digits. */
  private static final char BEHIND = '9' + 1;

  private Keys() {}

  /** A number with zeros before it; it has no more than so many digits. */
  public static String digits(long number, int digits) {
    String shown = Long.toString(number);
    return "0".repeat(digits - shown.length()) + shown;
  }

  /** A number that may be large, up to 999,999,999: how many digits it has comes first. */
  public static String counted(long number) {
    String digits = Long.toString(number);
    return digits.length() + digits;
  }

  /** The number that {@link #counted} has put into a key from some character on to its end. */
  public static int countedIn(String key, int from) {
    return Integer.parseInt(key.substring(from + 1));
  }

  /**
   * The rows whose keys are a prefix and a number, from one on. Unlike {@link Range#prefix} it ends
   * with a key that begins with the prefix, so no more than these rows share a granule with it.
   */
  public static Range from(String table, String prefix, long number) {
    return new Range(table, prefix + counted(number), prefix + BEHIND);
  }
}
