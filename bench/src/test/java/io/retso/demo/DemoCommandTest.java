package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.server.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DemoCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new DemoCommand())
        .setOut(new PrintWriter(out))
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

  @Test
  void aDemoThatDoesNotGetToItsEndTellsWhereItsDataIs() throws IOException {
    Files.createFile(directory.resolve("oracle")); // where the oracle wants a directory
    assertEquals(1, run("--out=" + directory));
    assertTrue(err.toString().contains("cannot start the oracle"), err::toString);
    assertTrue(
        out.toString().contains("Data and output of all processes: " + directory), out::toString);
  }

  @Test
  void wrongFlagsAreRefused() {
    assertEquals(ExitCode.USAGE.number(), run("--accounts=1", "--out=" + directory));
    assertTrue(err.toString().contains("--accounts=1 is not within 2 and 100000"), err::toString);
  }
}
