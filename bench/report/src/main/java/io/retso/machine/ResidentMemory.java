package io.retso.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The memory that a process of this machine has, heap and all else. */
public final class ResidentMemory {
  private ResidentMemory() {}

  /** Returns megabytes; NaN if the process has ended, or the system does not tell. */
  public static double megabytes(long pid) {
    return megabytes(pid, "VmRSS:");
  }

  /** Returns megabytes without what the process shares with others; otherwise the same. */
  public static double ownMegabytes(long pid) {
    double shared = megabytes(pid, "RssShmem:"); // which some systems do not tell
    return megabytes(pid) - (Double.isNaN(shared) ? 0 : shared);
  }

  private static double megabytes(long pid, String what) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith(what))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
