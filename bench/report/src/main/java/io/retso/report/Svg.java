package io.retso.report;

import java.util.Locale;

/** A drawing of fixed size under way, in the style of all figures. */
final class Svg {
  static final String INK = "#1f2933";
  static final String SOFT = "#616e7c";
  static final String GRID = "#e4e7eb";

  private final StringBuilder svg = new StringBuilder();

  /** Begins a drawing with its title, what it is of, and a key to its signs. */
  Svg(int width, int height, int left, int right, String title, String subtitle, String key) {
    put(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d'"
            + " font-family='Helvetica, Arial, sans-serif' font-size='13'>",
        width, height, width, height);
    put("<rect width='%d' height='%d' fill='#ffffff'/>", width, height);
    text(left, 32, "start", INK, "font-size='19' font-weight='bold'", title);
    text(left, 54, "start", SOFT, "", subtitle);
    text(width - right, 32, "end", SOFT, "font-size='12'", key);
  }

  void put(String form, Object... values) {
    svg.append(String.format(Locale.ROOT, form, values)).append('\n');
  }

  void text(double x, double y, String anchor, String colour, String attributes, String text) {
    put(
        "<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s' stroke='#ffffff' stroke-width='3'"
            + " stroke-linejoin='round' paint-order='stroke' %s>%s</text>",
        x, y, anchor, colour, attributes, escaped(text));
  }

  void line(double x1, double y1, double x2, double y2, String colour) {
    put("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>", x1, y1, x2, y2, colour);
  }

  /** The drawing, complete. */
  String end() {
    put("</svg>");
    return svg.toString();
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** A number without needless digits. */
  static String trimmed(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  /** A count or rate: 4k, 1.5M. */
  static String count(double value) {
    return value >= 1e6
        ? trimmed(value / 1e6) + "M"
        : value >= 1e3 ? trimmed(value / 1e3) + "k" : trimmed(value);
  }

  /** The next number of 1, 2 or 5 times a power of ten, above or below. */
  static double nice125(double value, boolean above) {
    double decade = Math.pow(10, Math.floor(Math.log10(value)));
    double[] steps = {1, 2, 5, 10};
    for (int i = 0; i < steps.length; i++) {
      if (steps[i] * decade >= value * 0.9999) {
        return above || steps[i] * decade <= value * 1.0001
            ? steps[i] * decade
            : steps[i - 1] * decade;
      }
    }
    return 10 * decade;
  }
}
