package io.retso.report;

import java.io.PrintWriter;

/**
 * One line that shows what is going on: rewritten in place on a terminal, one line per finished run
 * elsewhere.
 */
public final class ProgressLine {
  private static final int WIDTH = 100;

  private final PrintWriter out;
  private final boolean terminal;

  /** Writes to {@code out}, which may be a terminal. */
  public ProgressLine(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows what is going on. */
  public void show(String text) {
    if (terminal) {
      String line = text.length() > WIDTH ? text.substring(0, WIDTH) : text;
      out.print("\r" + line + " ".repeat(WIDTH - line.length()));
      out.flush();
    }
  }

  /** Shows a run under way. */
  public void show(String run, String phase, double perSecond, double millis) {
    String latency = millis > 0 ? "  " + Texts.millis(millis) + " ms" : "";
    show(run + "  " + phase + "  " + Texts.rate(perSecond) + "/s" + latency);
  }

  /** Ends a line, which stays. */
  public void done(String text) {
    if (terminal) {
      show(text);
      out.println();
    } else {
      out.println(text);
    }
    out.flush();
  }

  /** Wipes what is shown. */
  public void clear() {
    if (terminal) {
      show("");
      out.print("\r");
      out.flush();
    }
  }
}
