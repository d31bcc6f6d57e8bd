package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LogException;
import io.retso.server.ServerProcess.Ended;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StartFailure;
import io.retso.server.config.ConfigException;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A start that fails says why in one line, with what to do, and ends with a documented code. */
@Timeout(240)
class StartFailureTest {
  @TempDir private Path directory;

  private Ended run(String classPath, List<String> options, String... flags) throws Exception {
    List<String> small =
        List.of("--rows=1k", "--window-timestamps=2^10", "--listen-port=0", "--http-port=0");
    return ServerProcess.run(
        directory.resolve("output"),
        classPath,
        options,
        Stream.concat(small.stream(), Stream.of(flags)).toArray(String[]::new));
  }

  private static void assertFails(ExitCode code, String cause, String remedy, Ended ended) {
    assertEquals(code.number(), ended.code(), ended.output());
    assertEquals(1, ended.said().size(), ended.output());
    String line = ended.said().get(0);
    assertTrue(line.contains(cause), ended.output());
    assertTrue(line.substring(line.indexOf(cause)).contains(remedy), ended.output());
  }

  @Test
  void aTemporaryDirectoryThatCannotBeUsedIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertFails(
        ExitCode.CANNOT_OPEN,
        "the temporary directory " + file + " cannot be used",
        "RETSO_OPTS=-Djava.io.tmpdir=",
        run("", List.of("-Djava.io.tmpdir=" + file), "--data-dir=" + directory.resolve("data")));
  }

  /** The system refuses it with an error that is no exception. */
  @Test
  void aLibraryThatCannotBeLoadedIsNamed() throws Exception {
    for (String name : List.of("librocksdbjni-linux64.so", "librocksdbjni-linux64-musl.so")) {
      Files.writeString(directory.resolve(name), "no library");
    }
    assertFails(
        ExitCode.CANNOT_OPEN,
        "the library of RocksDB cannot be loaded from ",
        "keep the log on a BookKeeper cluster",
        run(directory.toString(), List.of(), "--data-dir=" + directory.resolve("data")));
  }

  @Test
  void aBrokenInstallationIsNamed() throws Exception {
    Path place = Files.createDirectories(directory.resolve("io/retso/server"));
    Files.writeString(place.resolve("ServerOracle.class"), "no class");
    assertFails(
        ExitCode.CANNOT_OPEN,
        "ServerOracle",
        "install ReTSO again",
        run(directory.toString(), List.of(), "--log=memory"));
  }

  /**
   * In a process of its own: BookKeeper loses what it had allocated when its storage does not open.
   */
  @Test
  void aDamagedIndexIsNamed() throws Exception {
    Path data = directory.resolve("data");
    EmbeddedBookKeeper.start(data, 1, false).close();
    Files.writeString(data.resolve("bookie-0/ledgers/current/ledgers/CURRENT"), "x");
    assertFails(
        ExitCode.CANNOT_OPEN,
        "CURRENT file",
        "look for a failing disk",
        run("", List.of(), "--data-dir=" + data));
  }

  @Test
  void aJvmWithoutIpv6IsNamed() throws Exception {
    List<String> options = List.of("-Djava.net.preferIPv4Stack=true");
    for (String setting : List.of("listen", "http")) {
      assertFails(
          ExitCode.CANNOT_OPEN,
          "-Djava.net.preferIPv4Stack=true",
          "choose another " + setting + ".host",
          run("", options, "--log=memory", "--" + setting + "-host=::1"));
    }
  }

  static List<Arguments> failures() {
    return List.of(
        Arguments.of(new ConfigException("rows = 0"), ExitCode.USAGE, "rows = 0"),
        Arguments.of(
            new LogException(LogException.Reason.CORRUPT, "bad"),
            ExitCode.LOG_CORRUPT,
            "bad; do not start the server again"),
        Arguments.of(
            new CompletionException(new OutOfMemoryError("Java heap space")),
            ExitCode.USAGE,
            "Java heap space; allow a larger heap"),
        Arguments.of(
            new OutOfMemoryError("unable to create native thread: possibly out of memory"),
            ExitCode.CANNOT_OPEN,
            "allow the user or container more processes"),
        Arguments.of(
            new AccessDeniedException("/data"),
            ExitCode.CANNOT_OPEN,
            "/data: permission denied; let the user of the server read and write there"),
        Arguments.of(
            new FileSystemException("/data", null, "Too many open files"),
            ExitCode.CANNOT_OPEN,
            "/data: Too many open files; allow the process more open files"),
        Arguments.of(
            new IOException("two\n\tlines; what to do", new BindException()),
            ExitCode.CANNOT_OPEN,
            "two lines; what to do"),
        Arguments.of(
            new NoClassDefFoundError("io/netty/Gone"),
            ExitCode.CANNOT_OPEN,
            "io/netty/Gone; a file of lib is missing"),
        Arguments.of(
            new ExceptionInInitializerError(new IllegalStateException("own")),
            ExitCode.INTERNAL,
            "IllegalStateException: own; nothing was done. Report the stack trace above"),
        Arguments.of(new StackOverflowError(), ExitCode.INTERNAL, "StackOverflowError; nothing"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void eachFailureHasItsCodeAndItsRemedy(Throwable failure, ExitCode code, String text) {
    StartFailure found = StartFailure.of(failure);
    assertEquals(code, found.code(), found.line());
    assertTrue(found.line().contains(text), found.line());
    assertEquals(1, found.line().lines().count());
    assertEquals(code != ExitCode.INTERNAL, found.isKnown(), ErrorText.of(failure));
  }
}
