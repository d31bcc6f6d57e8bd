package io.retso.verify.history;

/**
 * Walks through one line of EDN. It knows what histories are made of: maps with keyword keys,
 * vectors, keywords, integers, strings, nil; and it can step over any other value.
 *
 * <p>Written by hand because a history is mostly lists of numbers: they go straight into arrays,
 * where an EDN library makes an object of each, and an error names what was expected at which
 * column. See https://github.com/edn-format/edn for the notation.
 */
final class EdnCursor {
  private final String text;
  private int at;

  EdnCursor(String text) {
    this.text = text;
  }

  /** The text is not what was expected. */
  static final class Unexpected extends Exception {
    private static final long serialVersionUID = 1;
    private final boolean cutShort;

    Unexpected(String message, boolean cutShort) {
      super(message);
      this.cutShort = cutShort;
    }

    /** Whether it was the end of the text that was not expected. */
    boolean cutShort() {
      return cutShort;
    }
  }

  Unexpected unexpected(String expected) {
    boolean end = at >= text.length();
    String found = end ? "the line ends" : "there is '" + excerpt() + "'";
    return new Unexpected("column " + (at + 1) + ": expected " + expected + ", but " + found, end);
  }

  private String excerpt() {
    int end = Math.min(text.length(), at + 20);
    return text.substring(at, end) + (end < text.length() ? "..." : "");
  }

  /** Commas are white space; a semicolon begins a comment. */
  private void skipSpace() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ';') {
        at = text.length();
      } else if (c == ',' || Character.isWhitespace(c)) {
        at++;
      } else {
        return;
      }
    }
  }

  boolean atEnd() {
    skipSpace();
    return at >= text.length();
  }

  boolean sees(char c) {
    return !atEnd() && text.charAt(at) == c;
  }

  boolean takes(char c) {
    if (!sees(c)) {
      return false;
    }
    at++;
    return true;
  }

  void take(char c) throws Unexpected {
    if (!takes(c)) {
      throw unexpected("'" + c + "'");
    }
  }

  private static boolean isSymbolPart(char c) {
    return Character.isLetterOrDigit(c) || ".*+!-_?$%&=<>/:#'|".indexOf(c) >= 0;
  }

  private String symbol() {
    int from = at;
    while (at < text.length() && isSymbolPart(text.charAt(at))) {
      at++;
    }
    return text.substring(from, at);
  }

  /** A keyword without its colon. */
  String keyword(String meaning) throws Unexpected {
    if (!sees(':')) {
      throw unexpected(meaning);
    }
    at++;
    return symbol();
  }

  boolean takesNil() {
    if (!sees('n')) {
      return false;
    }
    int from = at;
    if (symbol().equals("nil")) {
      return true;
    }
    at = from;
    return false;
  }

  long integer(String meaning) throws Unexpected {
    skipSpace();
    int from = at;
    int digits = from < text.length() && text.charAt(from) == '-' ? from + 1 : from;
    at = digits;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    boolean ends = at >= text.length() || !isSymbolPart(text.charAt(at));
    if (at > digits && ends) {
      try {
        return Long.parseLong(text, from, at, 10);
      } catch (NumberFormatException e) {
        at = from;
        throw unexpected(meaning + " in 64 bits");
      }
    }
    at = at >= text.length() ? at : from;
    throw unexpected(meaning);
  }

  String string(String meaning) throws Unexpected {
    if (!sees('"')) {
      throw unexpected(meaning);
    }
    at++;
    StringBuilder value = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      value.append(c == '\\' ? escaped() : c);
    }
    if (at >= text.length()) {
      throw unexpected("'\"'");
    }
    at++;
    return value.toString();
  }

  private char escaped() throws Unexpected {
    if (at >= text.length()) {
      throw unexpected("an escaped character");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'n' -> '\n';
      case 'u' -> unicode();
      case '"', '\\' -> c;
      default -> throw unexpected("one of \\t \\r \\n \\\\ \\\" \\u");
    };
  }

  private char unicode() throws Unexpected {
    int end = at + 4;
    if (end > text.length()) {
      at = text.length();
      throw unexpected("four hexadecimal digits");
    }
    try {
      char c = (char) Integer.parseInt(text, at, end, 16);
      at = end;
      return c;
    } catch (NumberFormatException e) {
      throw unexpected("four hexadecimal digits");
    }
  }

  /** Steps over one value of any kind. */
  void skipValue() throws Unexpected {
    int depth = 0;
    boolean tag;
    do {
      if (atEnd()) {
        throw unexpected(depth == 0 ? "a value" : "the end of what was opened");
      }
      char c = text.charAt(at);
      // The value that a tag, or the # of a set, belongs to follows.
      tag = c == '#';
      if (c == '"') {
        string("a string");
      } else if (c == '{' || c == '[' || c == '(') {
        at++;
        depth++;
      } else if (depth > 0 && (c == '}' || c == ']' || c == ')')) {
        at++;
        depth--;
      } else if (symbol().isEmpty()) {
        throw unexpected("a value");
      }
    } while (depth > 0 || tag);
  }
}
