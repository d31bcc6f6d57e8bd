package io.retso.cluster;

import io.retso.text.ErrorText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A Java process with the JVM, the JVM's options and the class path of this one. It ends when this
 * object is closed, and when this process ends, in whatever way: its main class watches its
 * standard input.
 *
 * <p>Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
  private static final long START_SECONDS_MAX = 300;
  private static final Duration STOP_MAX = Duration.ofSeconds(20);
  private static final int LOG_LINES_SHOWN = 15;

  /**
   * Ctrl-C at a terminal goes to all processes there. A child would stop at once then, while the
   * others need it to end cleanly. Java lets a signal be ignored that was ignored at its start.
   */
  private static final List<String> WITHOUT_INTERRUPTS =
      List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh");

  private final String name;
  private final Process process;
  private final Path output;

  /** Null if it talks. */
  private final Path ready;

  /** What it says; null if it does not talk. */
  private final BufferedReader said;

  private ChildProcess(String name, Process process, Path output, Path ready) {
    this.name = name;
    this.process = process;
    this.output = output;
    this.ready = ready;
    this.said = ready == null ? process.inputReader(StandardCharsets.UTF_8) : null;
  }

  /**
   * Starts a process, and returns without waiting until it is ready.
   *
   * @param name for messages
   * @param output receives what it prints, behind what is there already
   * @param ready the file that the process writes once it is ready
   * @param options JVM options behind those of this process
   * @param mainClass ends with its standard input
   * @throws ClusterException if it cannot be started
   */
  public static ChildProcess start(
      String name,
      Path output,
      Path ready,
      List<String> options,
      String mainClass,
      List<String> arguments)
      throws ClusterException {
    try {
      Files.createDirectories(output.toAbsolutePath().getParent());
      Files.createDirectories(ready.toAbsolutePath().getParent());
      Files.deleteIfExists(ready); // left by a process that was killed
      List<String> command = new ArrayList<>(WITHOUT_INTERRUPTS);
      command.addAll(JavaCommand.of(options, mainClass, arguments));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
              .start();
      return new ChildProcess(name, process, output, ready);
    } catch (IOException e) {
      throw cannotStart(name, e);
    }
  }

  private static ClusterException cannotStart(String name, IOException e) {
    return new ClusterException(
        "cannot start " + name + ": " + ErrorText.of(e) + "; choose a writable directory", e);
  }

  /**
   * Starts a process that talks: it answers each line of its standard input by a line of its
   * standard output.
   *
   * @param name for messages
   * @param output receives its standard error, behind what is there already
   * @param command what is run
   * @throws ClusterException if it cannot be started
   */
  public static ChildProcess startTalking(String name, Path output, List<String> command)
      throws ClusterException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.appendTo(output.toFile()))
              .start();
      return new ChildProcess(name, process, output, null);
    } catch (IOException e) {
      throw cannotStart(name, e);
    }
  }

  /**
   * Sends a line; {@link #answer} has its answer, which is to be taken before the next one.
   *
   * @throws ClusterException if the process has ended
   */
  public void send(String line) throws ClusterException {
    OutputStream input = process.getOutputStream();
    try {
      input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      input.flush();
    } catch (IOException e) { // its end was seen here first
      stop(STOP_MAX);
      throw ended();
    }
  }

  /**
   * Waits for the answer to what was sent.
   *
   * @throws ClusterException if the process ends first, or takes longer; it is gone then
   */
  public String answer(Duration atMost) throws ClusterException, InterruptedException {
    FutureTask<String> line = new FutureTask<>(said::readLine);
    Thread reader = new Thread(line, "answer of " + name);
    reader.setDaemon(true);
    reader.start();
    try {
      String answer = line.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
      if (answer != null) {
        return answer;
      }
    } catch (TimeoutException e) {
      kill();
      throw new ClusterException(
          name + " did not answer within " + atMost.toSeconds() + " s. It said:" + lastLines(), e);
    } catch (ExecutionException e) {
      // It cannot be heard: its end, too.
    }
    stop(STOP_MAX);
    throw ended();
  }

  /**
   * Waits until the process is ready.
   *
   * @return the file that it wrote
   * @throws ClusterException if it ends first, or takes more than five minutes
   */
  public Path awaitReady() throws ClusterException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (!Files.exists(ready)) {
      if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
        throw ended();
      }
      if (System.nanoTime() > deadline) {
        throw new ClusterException(
            String.format(
                Locale.ROOT,
                "%s was not ready within %d s; if the load of %.0f on %d processors is why, run it"
                    + " on a quieter machine. It said:%s",
                name,
                START_SECONDS_MAX,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                Runtime.getRuntime().availableProcessors(),
                lastLines()),
            null);
      }
    }
    return ready;
  }

  /** Completes when it has ended, in whatever way. */
  public CompletableFuture<?> onExit() {
    return process.onExit();
  }

  /** What is to be said of a process that has ended and should not have: its last lines. */
  public ClusterException ended() {
    return new ClusterException(
        name + " ended with exit code " + process.exitValue() + ". It said:" + lastLines(), null);
  }

  /** The last lines of its output, indented. */
  public String lastLines() {
    try {
      List<String> lines = Files.readAllLines(output);
      StringBuilder text = new StringBuilder();
      lines
          .subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size())
          .forEach(line -> text.append(System.lineSeparator()).append("  | ").append(line));
      return text + System.lineSeparator() + "All of it is in " + output;
    } catch (IOException e) {
      return " (" + output + " cannot be read: " + ErrorText.of(e) + ")";
    }
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** The processes that it has started, and those that they have. */
  public Stream<ProcessHandle> descendants() {
    return process.descendants();
  }

  /** CPU time used so far by it and by {@link #descendants} that run, nanoseconds. */
  public long allCpuNanos() {
    return Stream.concat(Stream.of(process.toHandle()), descendants())
        .map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToLong(Duration::toNanos)
        .sum();
  }

  /** CPU time used so far. */
  public Duration cpuTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.toHandle().isAlive();
  }

  /** Kills it like {@code kill -9}, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    boolean interrupted = false;
    while (true) {
      try {
        process.waitFor(); // the system has only to collect it
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks it to end; returns at once. */
  public void askToEnd() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroy();
    }
  }

  /**
   * Asks it to end, and kills it if it does not in time.
   *
   * @return its exit code; empty if it was killed
   */
  public OptionalInt stop(Duration patience) {
    askToEnd();
    try {
      if (process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return OptionalInt.of(process.exitValue());
      }
      kill();
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
    return OptionalInt.empty();
  }

  /** Stops it: cleanly if it does so in time, at any rate. */
  @Override
  public void close() {
    stop(STOP_MAX);
  }
}
