package io.retso.verify.lists;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Stack traces as text. */
public final class StackTraces {
  private StackTraces() {}

  public static String of(Throwable e) {
    if (e instanceof ListStore.Violation violation) {
      return violation.getMessage();
    }
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text, true));
    return "unexpected " + text.toString().strip();
  }
}
