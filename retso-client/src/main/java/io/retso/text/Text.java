package io.retso.text;

import java.util.Locale;

/** Sentences with values in them, the same in each country. Stateless. */
public final class Text {
  private Text() {}

  /** The template, as of {@link String#format}, filled in. */
  public static String of(String template, Object... values) {
    return String.format(Locale.ROOT, template, values);
  }
}
