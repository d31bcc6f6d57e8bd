package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.client.ClientSecurity;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.TransactionHandle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Hosts or containers in namespaces of this machine, made by a program of {@code src/test/hosts};
 * the first one has the address 10.78.0.11. For one thread.
 */
final class TestHosts implements AutoCloseable {
  /** What all their addresses begin with; the last number of the first is 11. */
  static final String NETWORK = "10.78.0.";

  private static final Path SOURCES = Path.of("src/test/hosts").toAbsolutePath();

  /** Names a directory with the authority, the certificate and the key of a client. */
  private static final String KEYS = "retso.deploy.keys";

  private final Path directory;
  private final Process process;
  private Optional<Path> keys = Optional.empty();

  private TestHosts(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
  }

  /** Skips the test where no hosts can be made. */
  static void assumePossible() throws InterruptedException {
    assumeTrue("root".equals(System.getProperty("user.name")), "hosts can be made by root only");
    assumeTrue(works("python3", "--version"), "there is no Python here");
    assumeTrue(works("unshare", "--net", "ip", "link"), "no network namespaces here");
  }

  /** Whether a command can be run here, and ends well. */
  static boolean works(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Starts a program that makes them; they are connected when this returns. */
  static TestHosts start(String program, Path directory, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("python3", "-B", SOURCES.resolve(program).toString()));
    command.add(directory.toString());
    command.addAll(arguments);
    Path output = directory.resolve("hosts.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    while (!Files.exists(directory.resolve("control"))) {
      assertFalse(process.waitFor(50, TimeUnit.MILLISECONDS), () -> text(output));
    }
    return new TestHosts(directory, process);
  }

  /** What a file says, or why it cannot be read. */
  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Says a line to the program. */
  void say(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  /** A command, to be run where the hosts can be reached, by their names if they have some. */
  ProcessBuilder command(Path output, List<String> words) throws IOException {
    String control = Files.readString(directory.resolve("control"));
    List<String> command = new ArrayList<>();
    command.addAll(List.of("nsenter", "--target=" + control, "--net", "--"));
    Path names = directory.resolve("hosts");
    if (Files.exists(names)) {
      String bind = "mount --bind " + names + " /etc/hosts && exec \"$@\"";
      command.addAll(List.of("unshare", "--mount", "sh", "-c", bind, "named"));
    }
    command.addAll(words);
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
  }

  /** Runs a command to its end; returns its exit code. */
  static int run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(15, TimeUnit.MINUTES), "it hangs");
      return process.exitValue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Runs a main class of the tests where the hosts can be reached. */
  ProcessBuilder java(Path output, Class<?> main, String... arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    keys.ifPresent(own -> words.add("-D" + KEYS + "=" + own));
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    words.add(main.getName());
    words.addAll(List.of(arguments));
    return command(output, words);
  }

  /** What clients say from now on who they are by: what {@code retso secure issue} made. */
  void clientsHave(Path directoryOfKeys) {
    keys = Optional.of(directoryOfKeys);
  }

  /** Commits one transaction at oracles, each given as {@code host:port}. */
  void commit(String... addresses) throws IOException, InterruptedException {
    Path output = directory.resolve("commit.txt");
    assertEquals(0, run(java(output, OneCommit.class, addresses)), () -> text(output));
  }

  /** Oracles refuse a client that does not say who it is. */
  void refuseStrangers(String... addresses) throws IOException, InterruptedException {
    Optional<Path> before = keys;
    keys = Optional.empty();
    Path output = directory.resolve("stranger.txt");
    assertNotEquals(0, run(java(output, OneCommit.class, addresses)));
    assertTrue(text(output).contains("required"), () -> text(output));
    keys = before;
  }

  private static OracleClientBuilder client(String... addresses) {
    OracleClientBuilder builder = OracleClient.builder().address(addresses[0], addresses);
    String own = System.getProperty(KEYS);
    if (own == null) {
      return builder;
    }
    Path place = Path.of(own);
    return builder.security(
        ClientSecurity.builder(place.resolve("ca.crt"))
            .certificate(place.resolve("tls.crt"), place.resolve("tls.key"))
            .build());
  }

  /** Commits one transaction; any failure is an exit code. */
  static final class OneCommit {
    private OneCommit() {}

    /** The oracles' addresses. */
    public static void main(String[] addresses) throws Exception {
      try (OracleClient oracle = client(addresses).build()) {
        TransactionHandle begun = oracle.begin();
        if (!oracle.commit(begun, 1).isCommitted()) {
          throw new IllegalStateException("aborted");
        }
        oracle.cleanedUp(begun);
      }
    }
  }

  /**
   * Commits one transaction after the other until its standard input ends; then it prints how many,
   * and the longest time that one took, in milliseconds. Any failure is an exit code.
   */
  static final class CommitsUntilTheEnd {
    private CommitsUntilTheEnd() {}

    /** The oracles' addresses. */
    public static void main(String[] addresses) throws Exception {
      CompletableFuture<Integer> end = CompletableFuture.supplyAsync(TestHosts::readInput);
      long commits = 0;
      long longest = 0;
      try (OracleClient oracle = client(addresses).requestTimeout(Duration.ofMinutes(2)).build()) {
        long newest = 0;
        while (!end.isDone()) {
          long before = System.nanoTime();
          TransactionHandle begun = oracle.begin();
          CommitResult result = oracle.commit(begun, ++commits);
          if (begun.startTimestamp() <= newest || !result.isCommitted()) {
            throw new IllegalStateException(newest + " committed before " + begun + " " + result);
          }
          newest = result.commitTimestamp();
          longest = Math.max(longest, System.nanoTime() - before);
          oracle.cleanedUp(begun);
        }
      }
      System.out.println(commits + " " + TimeUnit.NANOSECONDS.toMillis(longest));
    }
  }

  private static int readInput() {
    try {
      return System.in.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With them go the namespaces, and all processes that are in them. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      assertTrue(process.waitFor(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    assertEquals(0, process.exitValue(), () -> text(directory.resolve("hosts.txt")));
  }
}
