package io.retso.verify.lists;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Stack traces as text. */
public final class Traces {
  private Traces() {}

  public static String of(Throwable e) {
    if (e instanceof ListStore.Violation) {
      return e.getMessage();
    }
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text, true));
    return "unexpected " + text.toString().strip();
  }
}
