package io.retso;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes of tests, which are short: with this JVM and the compiler that is quickly done. */
public final class ChildJvm {
  /** JVM options that save processor time in the first minute of a process. */
  public static final List<String> OPTIONS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private ChildJvm() {}

  /**
   * A process that is not yet started.
   *
   * @param arguments of {@code java}, behind {@link #OPTIONS}
   */
  public static ProcessBuilder builder(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }
}
