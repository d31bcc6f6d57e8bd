package io.retso.net;

/** Names that come from clients, as they may stand in a line of the log. */
final class PrintableName {
  /** Characters, at most. */
  static final int LENGTH_MAX = 64;

  private PrintableName() {}

  /**
   * The name without what could forge a line or confuse a terminal: control characters, separators
   * of lines, and characters that change the direction of writing become question marks; what is
   * too long is cut.
   */
  static String of(String name) {
    StringBuilder text = new StringBuilder();
    name.codePoints()
        .limit(LENGTH_MAX)
        .forEach(character -> text.appendCodePoint(isHarmless(character) ? character : '?'));
    if (name.codePointCount(0, name.length()) > LENGTH_MAX) {
      text.append("...");
    }
    return text.toString();
  }

  private static boolean isHarmless(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
