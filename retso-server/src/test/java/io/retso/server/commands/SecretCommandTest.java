package io.retso.server.commands;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.security.ClusterSecret;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SecretCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = CommandLines.of(new SecretCommand());
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    return command.execute(arguments);
  }

  @Test
  void makesAFileAndReplacesNone(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("secret");
    assertEquals(ExitCode.CLEAN.number(), run(file.toString()));
    byte[] made = Files.readAllBytes(file);
    assertEquals(1, ClusterSecret.read(file).keys("ticket", "log").size());
    assertTrue(out.toString().contains("set secret.file"), out::toString);
    assertFalse(out.toString().contains(Files.readString(file).strip()), "it says what it is");
    assertEquals(ExitCode.USAGE.number(), run(file.toString()));
    assertTrue(err.toString().contains("name another file"), err::toString);
    assertArrayEquals(made, Files.readAllBytes(file));
  }

  @Test
  void wantsAFile() {
    assertEquals(ExitCode.USAGE.number(), run());
    assertTrue(err.toString().contains("FILE"), err::toString);
  }
}
