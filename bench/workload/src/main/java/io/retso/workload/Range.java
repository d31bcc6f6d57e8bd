package io.retso.workload;

/**
 * Rows of a table whose keys are next to each other, in the order of characters.
 *
 * @param from the first key that may be in it; empty for the beginning of the table
 * @param to the first key behind it; empty for the end of the table
 */
public record Range(String table, String from, String to) {
  /** Keys have only characters above this one. */
  private static final char LOWEST = 1;

  /** All rows of a table. */
  public static Range all(String table) {
    return new Range(table, "", "");
  }

  /** The rows whose keys begin like this. */
  public static Range prefix(String table, String prefix) {
    int last = prefix.length() - 1;
    return new Range(table, prefix, prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
  }

  /** What is left of it behind a key. */
  public Range after(String key) {
    return new Range(table, key + LOWEST, to);
  }

  /** The part of it that ends with a key. */
  public Range upTo(String key) {
    return new Range(table, from, key + LOWEST);
  }
}
