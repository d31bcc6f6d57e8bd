package io.retso.text;

import java.util.Locale;

/** Foreign text in a message: a character that cannot be seen is shown as its code. Stateless. */
public final class Visible {
  private Visible() {}

  /** The text, with what is no letter, digit, sign or ordinary blank as {@code \}{@code uXXXX}. */
  public static String of(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (c == ' ' || isSeen(c)) {
                out.appendCodePoint(c);
              } else {
                out.append(String.format(Locale.ROOT, c > 0xffff ? "\\u{%x}" : "\\u%04x", c));
              }
            });
    return out.toString();
  }

  private static boolean isSeen(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
