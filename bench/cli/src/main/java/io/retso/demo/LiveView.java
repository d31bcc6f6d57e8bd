package io.retso.demo;

import java.util.Locale;

/**
 * Shows how the bank does: one line rewritten in place on a terminal, a line every few seconds
 * elsewhere. Not thread-safe.
 */
final class LiveView implements Demo.Watcher {
  private static final double SECONDS_BETWEEN_LINES = 5;

  private final Screen screen;
  private final boolean terminal;

  /** One less than the terminal has: many wrap a line that fills the last column. */
  private final int width;

  private final double secondsBetween;

  /** Where the present rate is measured from. */
  private Demo.View from;

  private int killed;

  /** Empty until it was measured over a while. */
  private String rate = "";

  /**
   * A view.
   *
   * @param columns of the terminal; nothing is cut elsewhere
   */
  LiveView(Screen screen, boolean terminal, int columns) {
    this.screen = screen;
    this.terminal = terminal;
    this.width = columns - 1;
    this.secondsBetween = terminal ? 1 : SECONDS_BETWEEN_LINES;
  }

  @Override
  public void see(Demo.View view) {
    if (view.killed() > killed) {
      int now = view.killed() - killed;
      killed = view.killed();
      screen.replaceLive(fit(killLine(view.seconds(), now)));
    }
    if (from == null) { // before it, transfers were made that took a cold start
      from = view;
    }
    boolean due = view.seconds() - from.seconds() >= secondsBetween;
    if (due) {
      rate =
          String.format(
              Locale.ROOT,
              ", %,.0f/s, p50 %.0f ms",
              (view.transfers() - from.transfers()) / (view.seconds() - from.seconds()),
              view.medianMillis());
      from = view;
    }
    if (terminal) {
      screen.live(fit(progress(view)));
    } else if (due) {
      screen.line(progress(view));
    }
  }

  private String killLine(double seconds, int now) {
    return String.format(
        Locale.ROOT,
        now == 1
            ? "%4.0f s  kill -9: a process of tellers dies in mid-work (%3$d so far)"
            : "%4.0f s  kill -9: %d processes of tellers die in mid-work (%d so far)",
        seconds,
        now,
        killed);
  }

  /** What matters most comes first: a narrow terminal cuts the end off. */
  private String progress(Demo.View view) {
    return String.format(
        Locale.ROOT,
        "%4.0f s  %,d transfers%s; %,d audits%s; %,d conflicts",
        view.seconds(),
        view.transfers(),
        rate,
        view.audits(),
        view.audits() == 0 ? "" : String.format(Locale.ROOT, ": %,d", view.total()),
        view.conflicts());
  }

  /** On a terminal: fills the line, so that nothing is left of the one before it. */
  private String fit(String line) {
    if (!terminal) {
      return line;
    }
    return line.length() > width
        ? line.substring(0, width)
        : line + " ".repeat(width - line.length());
  }
}
