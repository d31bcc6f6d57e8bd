package io.retso.bench.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@code retso server} as a child process, with the JVM, the JVM's options and the class path of
 * this one. It ends when this object is closed, and when this process ends, in whatever way.
 */
public final class ServerProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 90;
  private static final long STOP_SECONDS_MAX = 15;
  private static final int LOG_LINES_SHOWN = 15;

  private final Process process;
  private final Path directory;
  private final Path output;
  private InetSocketAddress address;
  private int httpPort;

  private ServerProcess(Process process, Path directory, Path output) {
    this.process = process;
    this.directory = directory;
    this.output = output;
  }

  /**
   * Starts a server, and returns without waiting until it is ready.
   *
   * @param log {@code memory} or {@code bookkeeper}
   * @param directory for its data; its output goes to a file beside it
   */
  static ServerProcess start(String log, Path directory, SuiteSettings settings)
      throws BenchException {
    Path output = directory.resolveSibling("server-" + log + ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-agent") && !option.startsWith("-javaagent"))
        .forEach(command::add);
    command.addAll(settings.serverOptions());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(settings.serverMain());
    command.addAll(List.of("server", "--log", log, "--rows", Long.toString(settings.mapRows())));
    command.addAll(List.of("--listen-port", "0", "--http-port", "0"));
    command.addAll(List.of("--data-dir", directory.toString()));
    command.addAll(List.of("--ready-file", directory.resolve("ready.json").toString()));
    try {
      Files.createDirectories(directory);
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      return new ServerProcess(process, directory, output);
    } catch (IOException e) {
      throw new BenchException(
          "cannot start a server in "
              + directory
              + ": "
              + e.getMessage()
              + "; choose a writable directory with --out",
          e);
    }
  }

  /** Waits until the server serves. */
  public void awaitReady() throws BenchException, InterruptedException {
    File ready = directory.resolve("ready.json").toFile();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (!ready.exists()) {
      if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
        throw new BenchException(
            "the server ended with exit code " + process.exitValue() + ". It said:" + lastLines());
      }
      if (System.nanoTime() > deadline) {
        throw new BenchException(
            "the server was not ready within " + START_SECONDS_MAX + " s. It said:" + lastLines());
      }
    }
    try {
      JsonNode facts = new ObjectMapper().readTree(ready);
      address = new InetSocketAddress(InetAddress.getLoopbackAddress(), facts.get("port").asInt());
      httpPort = facts.get("httpPort").asInt();
    } catch (IOException e) {
      throw new BenchException("the server's " + ready + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** The last lines of its output, indented. */
  String lastLines() {
    try {
      List<String> lines = Files.readAllLines(output);
      StringBuilder text = new StringBuilder();
      lines
          .subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size())
          .forEach(line -> text.append(System.lineSeparator()).append("  | ").append(line));
      return text + System.lineSeparator() + "All of it is in " + output;
    } catch (IOException e) {
      return " (" + output + " cannot be read: " + e.getMessage() + ")";
    }
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return address;
  }

  /** The port of its metrics. */
  public int httpPort() {
    return httpPort;
  }

  /** Where its data is. */
  public Path directory() {
    return directory;
  }

  /** CPU time used so far. */
  public Duration cpuTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Stops the server: cleanly if it does so in time, at any rate. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroy();
    }
    boolean interrupted = false;
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      process.destroyForcibly();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
