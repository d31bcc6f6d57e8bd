package io.retso.server.observe;

import java.util.Locale;
import java.util.Map;

/** Writes maps, texts, numbers and truths as JSON. */
public final class Json {
  private static final int CONTROL_END = 0x20;

  private Json() {}

  /**
   * The JSON of a value.
   *
   * @param value a map with keys of text, a text, a number, a boolean or null
   */
  public static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value, "\n");
    return out.append('\n').toString();
  }

  /** A map of texts, numbers and booleans on a line of its own. */
  static String line(Map<String, Object> map) {
    return of(map).replaceAll("\\n *", "") + "\n"; // a text has no line break of its own
  }

  private static void write(StringBuilder out, Object value, String lineBreak) {
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(separator).append(lineBreak).append("  ");
        text(out, entry.getKey().toString());
        out.append(": ");
        write(out, entry.getValue(), lineBreak + "  ");
        separator = ",";
      }
      out.append(map.isEmpty() ? "{" : lineBreak).append('}');
    } else if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number number) {
      number(out, number);
    } else {
      text(out, value.toString());
    }
  }

  private static void number(StringBuilder out, Number number) {
    double value = number.doubleValue();
    if (!Double.isFinite(value)) {
      out.append("null"); // JSON has no name for it
    } else if (number instanceof Double) {
      out.append(Math.rint(value * 1000) / 1000);
    } else {
      out.append(number);
    }
  }

  private static void text(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        default -> {
          if (c < CONTROL_END) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
