package io.retso.admin;

import io.retso.hbase.backup.BackupOptions.Progress;
import io.retso.text.Text;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;

/** Prints how far a backup or restore is, now and then and at its end. For one thread at a time. */
final class ProgressLines {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int SECONDS_MAX = 120;

  private final PrintWriter out;
  private final String part;
  private final long begun = System.nanoTime();
  private long printed = begun;

  /** Parts that were done when it was called first; -1 until then. */
  private int before = -1;

  /**
   * Nothing is done yet.
   *
   * @param part what a part is, in plural
   */
  ProgressLines(PrintWriter out, String part) {
    this.out = out;
    this.part = part;
  }

  void print(Progress progress) {
    if (before < 0) {
      before = progress.parts();
    }
    long now = System.nanoTime();
    boolean isDone = progress.parts() == progress.of();
    if (isDone || now - printed >= PERIOD_NANOS) {
      printed = now;
      out.println(
          Text.of(
              "%d of %d %s, %d cells, %s%s",
              progress.parts(),
              progress.of(),
              part,
              progress.cells(),
              BackupCommand.size(progress.bytes()),
              isDone ? "" : left(progress, now - begun)));
      out.flush();
    }
  }

  private String left(Progress progress, long nanos) {
    int done = progress.parts() - before;
    if (done <= 0) {
      return "";
    }
    long seconds =
        TimeUnit.NANOSECONDS.toSeconds(nanos / done * (progress.of() - progress.parts()));
    return seconds < SECONDS_MAX
        ? Text.of(", about %d s left", seconds)
        : Text.of(", about %d min left", TimeUnit.SECONDS.toMinutes(seconds));
  }
}
