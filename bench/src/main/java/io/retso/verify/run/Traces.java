package io.retso.verify.run;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Stack traces as text. */
final class Traces {
  private Traces() {}

  static String of(Throwable e) {
    if (e instanceof ListStore.Violation) {
      return e.getMessage();
    }
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text, true));
    return "unexpected " + text.toString().strip();
  }
}
