package io.retso.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, which a test can kill. */
final class ServerProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 120;
  private static final Pattern PORT = Pattern.compile("\"port\"\\s*:\\s*(\\d+)");
  private static final Pattern HTTP_PORT = Pattern.compile("\"httpPort\"\\s*:\\s*(\\d+)");

  private final Process process;
  private final Path output;
  private final int port;
  private final int httpPort;

  private ServerProcess(Process process, Path output, String ready) {
    this.process = process;
    this.output = output;
    this.port = number(PORT, ready);
    this.httpPort = number(HTTP_PORT, ready);
  }

  private static int number(Pattern pattern, String ready) {
    Matcher matcher = pattern.matcher(ready);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern + " in " + ready);
    }
    return Integer.parseInt(matcher.group(1));
  }

  /**
   * Starts a server and waits until it serves.
   *
   * @param port 0 for one that is free
   */
  static ServerProcess start(Path directory, int port, String... flags)
      throws IOException, InterruptedException {
    return start(directory, System.getProperty("java.class.path"), List.of(), port, flags);
  }

  /**
   * Starts a server and waits until it serves.
   *
   * @param options of its JVM
   */
  static ServerProcess start(Path directory, List<String> options, String... flags)
      throws IOException, InterruptedException {
    return start(directory, System.getProperty("java.class.path"), options, 0, flags);
  }

  /**
   * Starts a server of another build and waits until it serves.
   *
   * @param edited a directory with classes that take the place of those of this build
   */
  static ServerProcess ofEdited(Path edited, Path directory, String... flags)
      throws IOException, InterruptedException {
    return ofEdited(edited, directory, List.of(), flags);
  }

  /**
   * The same.
   *
   * @param options of its JVM
   */
  static ServerProcess ofEdited(Path edited, Path directory, List<String> options, String... flags)
      throws IOException, InterruptedException {
    String classPath = edited + File.pathSeparator + System.getProperty("java.class.path");
    return start(directory, classPath, options, 0, flags);
  }

  private static ServerProcess start(
      Path directory, String classPath, List<String> options, int port, String... flags)
      throws IOException, InterruptedException {
    Path ready = directory.resolve("ready.json");
    Path output = directory.resolve("server.log");
    Files.deleteIfExists(ready);
    List<String> command = command(classPath, options);
    command.addAll(
        List.of(
            "--listen-port=" + port,
            "--http-port=0",
            "--data-dir=" + directory.resolve("data"),
            "--ready-file=" + ready));
    command.addAll(List.of(flags));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start();
    try (WatchService watch = FileSystems.getDefault().newWatchService()) {
      directory.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
      while (!Files.exists(ready)) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          process.destroyForcibly();
          throw new IllegalStateException("the server did not start:\n" + Files.readString(output));
        }
        var key = watch.poll(1, TimeUnit.SECONDS);
        if (key != null) {
          key.pollEvents();
          key.reset();
        }
      }
    }
    return new ServerProcess(process, output, Files.readString(ready));
  }

  private static List<String> command(String classPath, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.io=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, "io.retso.server.ServerCommand"));
    return command;
  }

  /** What a process that did not serve ended with, and all that it said. */
  record Ended(int code, String output) {
    /** What it said for people; the rest are lines of the log. */
    List<String> said() {
      return output.lines().filter(line -> line.startsWith("retso ")).toList();
    }
  }

  /**
   * Runs a server that ends by itself.
   *
   * @param output what it said
   * @param classPath in front of that of this build; empty for none
   */
  static Ended run(Path output, String classPath, List<String> options, String... flags)
      throws IOException, InterruptedException {
    String all = System.getProperty("java.class.path");
    List<String> command =
        command(classPath.isEmpty() ? all : classPath + File.pathSeparator + all, options);
    command.addAll(List.of(flags));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(START_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IllegalStateException("it does not end:\n" + Files.readString(output));
      }
      return new Ended(process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }

  int port() {
    return port;
  }

  int httpPort() {
    return httpPort;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until the process ends by itself; returns its exit code. */
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(START_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException("it does not end:\n" + outputText());
    }
    return process.exitValue();
  }

  /** Kills the process as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  String outputText() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
