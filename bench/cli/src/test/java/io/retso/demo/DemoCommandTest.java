package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.ChildJvm;
import io.retso.cli.Retso;
import io.retso.server.commands.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(180)
class DemoCommandTest {
  private static final int SIGTERM = 128 + 15;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return run(new PrintWriter(out), arguments);
  }

  private int run(PrintWriter screen, String... arguments) {
    return new CommandLine(new DemoCommand())
        .setOut(screen)
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  /** The README's first command, shortened: real processes, one of which is killed. */
  @Test
  void theMoneyAddsUp() {
    int code =
        run(
            "--seconds=6",
            "--kill-every=2",
            "--processes=1",
            "--threads=4",
            "--accounts=20",
            "--seed=1",
            "--out=" + directory);
    assertEquals(0, code, () -> out + "\n" + err);
    assertTrue(out.toString().contains("VERDICT: the money adds up."), out::toString);
    assertTrue(out.toString().contains("kill -9"), out::toString);
  }

  /** Somebody puts a file where the oracle wants a directory. */
  @Test
  void aDemoThatDoesNotGetToItsEndTellsWhereItsDataIs() {
    PrintWriter disturber =
        new PrintWriter(out) {
          @Override
          public void print(String text) {
            super.print(text);
            if (text.startsWith("Starting")) {
              try {
                Files.createFile(directory.resolve("oracle"));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          }
        };
    assertEquals(1, run(disturber, "--out=" + directory));
    assertTrue(err.toString().contains("cannot start the oracle"), err::toString);
    assertTrue(
        out.toString().contains("Data and output of all processes: " + directory), out::toString);
  }

  @Test
  void aDirectoryThatIsUsedOrCannotBeIsRefused() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    int usage = ExitCode.USAGE.number();
    assertEquals(usage, run("--out=" + directory));
    assertTrue(
        err.toString().contains("--out=" + directory + " is not empty: name another directory"),
        err::toString);
    assertEquals(usage, run("--out=" + file));
    assertTrue(err.toString().contains(file + " is a file: name a directory"), err::toString);
    assertEquals(usage, run("--out=" + file.resolve("below")));
    assertTrue(
        err.toString().contains("below cannot be used: Not a directory: name another"),
        err::toString);
    assertEquals("", out.toString(), "nothing was started");
  }

  /** SIGTERM while transfers are made. */
  @Test
  void aDemoThatIsEndedFromOutsideSaysSoInOneLine() throws Exception {
    Process demo =
        ChildJvm.builder(
                List.of(
                    "-Djava.io.tmpdir=" + directory,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Retso.class.getName(),
                    "demo",
                    "--processes=1",
                    "--threads=1",
                    "--seconds=600"))
            .redirectErrorStream(true)
            .start();
    List<String> after = new ArrayList<>();
    StringBuilder said = new StringBuilder();
    try (BufferedReader lines = demo.inputReader()) {
      boolean ended = false;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.append(line).append('\n');
        if (ended) {
          after.add(line);
        } else if (line.contains(" transfers")) {
          ended = true;
          demo.toHandle().destroy(); // SIGTERM; the process itself would close the stream, too
        }
      }
      assertEquals(SIGTERM, demo.waitFor(), said::toString);
    } finally {
      demo.destroyForcibly();
    }
    assertEquals(List.of("Ended early, without a verdict; data deleted."), after, said::toString);
  }

  @Test
  void wrongFlagsAreRefused() {
    assertEquals(ExitCode.USAGE.number(), run("--accounts=1", "--out=" + directory));
    assertTrue(err.toString().contains("--accounts=1 is not within 2 and 100000"), err::toString);
  }
}
