package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Types the page for beginners into a clone, word for word: its files, and its two terminals. */
final class Quickstart implements AutoCloseable {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\n(.*?)^```$");
  private static final Pattern CLASS = Pattern.compile("public class (\\w+)");

  private final Path clone;
  private final Path errors;
  private Process sandbox;
  private BufferedReader terminal;

  /**
   * @param clone where nothing is left to be built
   * @param errors a file for what is not meant to be printed
   */
  Quickstart(Path clone, Path errors) {
    this.clone = clone;
    this.errors = errors;
  }

  /** Does all that the page says; returns how many commands that were. */
  int type() throws IOException, InterruptedException {
    String said = "";
    int commands = 0;
    String page = Files.readString(clone.resolve("docs").resolve("quickstart.md"));
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      String text = block.group(2);
      switch (block.group(1)) {
        case "sh" -> {
          commands++;
          if (text.startsWith("./retso sandbox")) {
            startSandbox(text);
          } else {
            said = run(text);
          }
        }
        case "java" -> {
          Matcher name = CLASS.matcher(text);
          assertTrue(name.find(), text);
          Files.writeString(clone.resolve(name.group(1) + ".java"), text);
        }
        case "text" -> assertEquals(text, said);
        default -> throw new AssertionError("a block of " + block.group(1));
      }
    }
    return commands;
  }

  /** The page has Ctrl-C pressed before it is started again. */
  private void startSandbox(String command) throws IOException, InterruptedException {
    endSandbox();
    sandbox = terminal(command).start();
    terminal = sandbox.inputReader();
    StringBuilder said = new StringBuilder();
    String line;
    do {
      line = terminal.readLine();
      assertNotNull(line, () -> said + read(errors));
      said.append(line).append('\n');
    } while (!line.startsWith("Ctrl-C ends it"));
  }

  private void endSandbox() throws IOException, InterruptedException {
    if (sandbox != null) {
      sandbox.toHandle().destroy(); // the process itself would close the stream, too
      assertTrue(terminal.lines().anyMatch("Ended; data is kept."::equals));
      assertTrue(sandbox.waitFor(1, TimeUnit.MINUTES), "it hangs");
    }
  }

  private String run(String command) throws IOException, InterruptedException {
    Process process = terminal(command).start();
    try (BufferedReader lines = process.inputReader()) {
      StringBuilder said = new StringBuilder();
      lines.lines().forEach(line -> said.append(line).append('\n'));
      assertEquals(0, process.waitFor(), () -> said + read(errors));
      return said.toString();
    } finally {
      process.destroyForcibly();
    }
  }

  private ProcessBuilder terminal(String command) {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", "exec " + command)
            .directory(clone.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()));
    String home = System.getProperty("java.home");
    builder.environment().put("JAVA_HOME", home);
    builder
        .environment()
        .merge(
            "PATH",
            Path.of(home, "bin").toString(),
            (path, bin) -> bin + File.pathSeparator + path);
    builder.environment().remove("RETSO_OPTS");
    return builder;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    if (sandbox != null) {
      sandbox.descendants().forEach(ProcessHandle::destroyForcibly);
      sandbox.destroyForcibly();
    }
  }
}
