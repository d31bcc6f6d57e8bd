package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example of docs/oracle.md compiles with nothing but the client's API, and does what it says.
 */
class OracleExampleTest {
  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void theExampleCompilesAndCommits() throws Exception {
    Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", "docs", "oracle.md")));
    assertTrue(matcher.find(), "the page has a Java example");
    Path source = Files.writeString(directory.resolve("Example.java"), matcher.group(1));
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-Xlint:all",
                "-Werror",
                "-cp",
                System.getProperty("java.class.path"),
                source.toString());
    assertEquals(0, status, errors::toString);
    assertTrue(run().matches("\\d+: committed at \\d+\\R"), this::lastOutput);
  }

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private String lastOutput() {
    return output.toString(StandardCharsets.UTF_8);
  }

  private String run() throws Exception {
    PrintStream before = System.out;
    try (RetsoServer server = TestServers.inMemory();
        URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
      Object arguments = new String[] {"127.0.0.1:" + server.port()};
      loader.loadClass("Example").getMethod("main", String[].class).invoke(null, arguments);
    } finally {
      System.setOut(before);
    }
    return lastOutput();
  }
}
