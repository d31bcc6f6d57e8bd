package io.retso.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much of this machine's processors was idle since the last look; Linux only. */
public final class IdleShare {
  private static final Path TIMES = Path.of("/proc/stat");
  private static final int IDLE = 4;
  private static final int IO_WAIT = 5;
  private static final int STEAL = 8;

  private long idle;
  private long all;

  /** Begins to look. */
  public IdleShare() throws IOException {
    next();
  }

  /** 0 to 1, of the time since the last call. */
  public double next() throws IOException {
    long idleBefore = idle;
    long allBefore = all;
    String[] words = Files.readAllLines(TIMES).get(0).split(" +"); // cpu user nice system idle ...
    idle = Long.parseLong(words[IDLE]) + Long.parseLong(words[IO_WAIT]);
    all = 0;
    for (int i = 1; i <= STEAL; i++) {
      all += Long.parseLong(words[i]);
    }
    return (double) (idle - idleBefore) / Math.max(1, all - allBefore);
  }
}
