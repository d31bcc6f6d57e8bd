package io.retso.report;

import java.io.PrintWriter;

/**
 * One line that shows what is going on and how long it still takes: rewritten in place on a
 * terminal, one line per finished run elsewhere. For one thread.
 */
public final class ProgressLine {
  private static final int WIDTH = 100;

  private final PrintWriter out;
  private final boolean terminal;

  /** Writes to {@code out}, which is the console if there is one. */
  public ProgressLine(PrintWriter out) {
    this(out, System.console() != null);
  }

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

  /** Begins something of so many steps, which take about the same time each. */
  public Steps steps(long count) {
    return new Steps(count);
  }

  /** Steps under way, with the time that is left as the steps behind them suggest. */
  public final class Steps {
    private long count;
    private final long start = System.nanoTime();
    private long begun;

    private Steps(long count) {
      this.count = count;
    }

    /** So many more are to come. */
    public void more(long further) {
      count += further;
    }

    /** Shows a step that begins. */
    public void begin(String what) {
      show(what + next());
    }

    /** Begins a step that shows itself; returns the time that is left, or nothing. */
    public String next() {
      return left(begun++, count, System.nanoTime() - start);
    }
  }

  /** What is left of some steps, for people; empty as long as no step has ended. */
  static String left(long done, long count, long nanos) {
    if (done <= 0 || done >= count) {
      return "";
    }
    return "  (" + time(nanos / done * (count - done)) + " left)";
  }

  /** A time that is estimated: {@code 45 s}, {@code 12 min}, {@code 1 h 5 min}. */
  static String time(long nanos) {
    long seconds = Math.round(nanos / 1e9);
    if (seconds < 100) {
      return seconds + " s";
    }
    long minutes = Math.round(seconds / 60.0);
    return minutes < 60 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
  }
}
