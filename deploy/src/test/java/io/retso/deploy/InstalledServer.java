package io.retso.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code bin/retso} of an unpacked distribution, in processes of its own. For one thread. */
final class InstalledServer implements AutoCloseable {
  private static final long SECONDS_MAX = 300; // beside much other work

  private final Process process;
  private final Path output;
  private final String facts;

  private InstalledServer(Process process, Path output, String facts) {
    this.process = process;
    this.output = output;
    this.facts = facts;
  }

  /**
   * A small server on free ports, with its data in a directory; waits until it serves.
   *
   * @param options of its JVM
   */
  static InstalledServer start(Path home, Path conf, Path directory, String... options)
      throws IOException, InterruptedException {
    Path ready = directory.resolve("ready.json");
    Path output = directory.resolve("server.txt");
    ProcessBuilder builder =
        command(
            home,
            conf,
            output,
            "server",
            "--listen-port=0",
            "--http-port=0",
            "--rows=100k",
            "--window-timestamps=2^12",
            "--uncleaned-max=1k",
            "--data-dir=" + directory.resolve("data"),
            "--ready-file=" + ready);
    String compiler = "-XX:TieredStopAtLevel=1 "; // which is quickly done
    builder.environment().put("RETSO_OPTS", compiler + String.join(" ", options));
    Process process = builder.start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (!Files.exists(ready)) {
      if (process.waitFor(50, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        process.destroyForcibly();
        throw new IllegalStateException("it did not start:\n" + Files.readString(output));
      }
    }
    return new InstalledServer(process, output, Files.readString(ready));
  }

  /** What {@code bin/retso} does. */
  static ProcessBuilder command(Path home, Path conf, Path output, String... arguments) {
    List<String> command = new ArrayList<>(List.of(home.resolve("bin/retso").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("RETSO_CONF_DIR", conf.toString());
    builder.environment().remove("RETSO_OPTS");
    return builder;
  }

  /** Runs a command to its end; returns its exit code. */
  static int run(ProcessBuilder command) throws IOException, InterruptedException {
    Process process = command.start();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(command.command() + " hangs");
    }
    return process.exitValue();
  }

  int port() {
    return number("port");
  }

  int httpPort() {
    return number("httpPort");
  }

  private int number(String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\"\\s*:\\s*(\\d+)").matcher(facts);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + name + " in " + facts);
    }
    return Integer.parseInt(matcher.group(1));
  }

  /** The most memory that it has had so far, by the system's count. */
  long residentMebibytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      String line = lines.filter(l -> l.startsWith("VmHWM:")).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** Ends it as systemd does; returns its exit code. */
  int terminate() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException("it does not end");
    }
    return process.exitValue();
  }

  /** Ends it like {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
