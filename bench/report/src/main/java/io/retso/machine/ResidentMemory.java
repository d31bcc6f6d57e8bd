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
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
