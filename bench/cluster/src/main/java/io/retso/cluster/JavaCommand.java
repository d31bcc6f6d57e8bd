package io.retso.cluster;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a Java process like this one is started. Stateless. */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * A command with the JVM, the JVM's options and the class path of this process.
   *
   * @param options JVM options behind those of this process
   */
  public static List<String> of(List<String> options, String mainClass, List<String> arguments) {
    return of(System.getProperty("java.class.path"), options, mainClass, arguments);
  }

  /**
   * A command with the JVM and the JVM's options of this process, and any class path.
   *
   * @param options JVM options behind those of this process
   */
  public static List<String> of(
      String classPath, List<String> options, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-agent") && !option.startsWith("-javaagent"))
        .forEach(command::add);
    command.addAll(options);
    command.addAll(List.of("-cp", classPath));
    command.add(mainClass);
    command.addAll(arguments);
    return command;
  }
}
