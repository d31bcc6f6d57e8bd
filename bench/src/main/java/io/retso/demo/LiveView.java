package io.retso.demo;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Shows how the bank does: one line rewritten in place on a terminal, a line every few seconds
 * elsewhere. Not thread-safe.
 */
final class LiveView implements Demo.Watcher {
  private static final int WIDTH = 110;
  private static final double SECONDS_BETWEEN_LINES = 5;

  private final PrintWriter out;
  private final boolean terminal;
  private Demo.View last = new Demo.View(0, 0, 0, 0, 0, 0, 0, 0);

  LiveView(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  @Override
  public void see(Demo.View view) {
    if (view.killed() > last.killed()) {
      keep(
          String.format(
              Locale.ROOT,
              "%5.1f s  kill -9: a process of tellers dies in mid-work (%d so far)",
              view.seconds(),
              view.killed()));
    }
    boolean due = view.seconds() - last.seconds() >= (terminal ? 1 : SECONDS_BETWEEN_LINES);
    if (due || terminal) {
      show(view);
    }
    if (due || view.killed() > last.killed()) {
      last = due ? view : withKills(last, view.killed());
    }
  }

  private static Demo.View withKills(Demo.View view, int killed) {
    return new Demo.View(
        view.seconds(),
        view.transfers(),
        view.conflicts(),
        view.audits(),
        view.total(),
        killed,
        view.medianMillis(),
        view.p99Millis());
  }

  private void show(Demo.View view) {
    double seconds = Math.max(0.001, view.seconds() - last.seconds());
    String line =
        String.format(
            Locale.ROOT,
            "%5.1f s  %,8d transfers (%,.0f/s, p50 %.1f ms)  %,d conflicts  %,d audits, the last"
                + " found %,d",
            view.seconds(),
            view.transfers(),
            (view.transfers() - last.transfers()) / seconds,
            view.medianMillis(),
            view.conflicts(),
            view.audits(),
            view.total());
    if (terminal) {
      out.print("\r" + fit(line));
    } else {
      out.println(line);
    }
    out.flush();
  }

  /** A line that stays. */
  private void keep(String line) {
    out.println((terminal ? "\r" : "") + (terminal ? fit(line) : line));
    out.flush();
  }

  private static String fit(String line) {
    return line.length() > WIDTH
        ? line.substring(0, WIDTH)
        : line + " ".repeat(WIDTH - line.length());
  }
}
