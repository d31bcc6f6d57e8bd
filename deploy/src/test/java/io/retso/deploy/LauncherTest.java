package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The developers' {@code ./retso} in a fresh clone: it builds what it needs, then runs it. */
@Timeout(600)
class LauncherTest {
  private static final Path SOURCES = Path.of("..");
  private static final Set<String> NOT_OF_A_CLONE =
      Set.of(".git", "target", "dependency-reduced-pom.xml", "retso-data", "retso-bench-data");

  @TempDir Path directory;

  private Path clone;

  @Test
  void aFreshCloneIsBuiltOnce() throws Exception {
    clone = directory.resolve("clone");
    copySources();
    String first = run("first.txt");
    assertTrue(first.contains("building") && first.contains("Usage: retso"), first);
    String second = run("second.txt");
    assertTrue(!second.contains("building") && second.contains("Usage: retso"), second);
  }

  private void copySources() throws IOException {
    Files.walkFileTree(
        SOURCES,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            return copy(directory);
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            return copy(file);
          }
        });
  }

  private FileVisitResult copy(Path original) throws IOException {
    if (NOT_OF_A_CLONE.contains(original.getFileName().toString())) {
      return FileVisitResult.SKIP_SUBTREE; // which means nothing of a file
    }
    Files.copy(original, clone.resolve(SOURCES.relativize(original)));
    return FileVisitResult.CONTINUE;
  }

  /**
   * Returns what it prints. Its Maven uses the repository of this one, and the network only if it
   * does.
   */
  private String run(String output) throws IOException, InterruptedException {
    Path file = directory.resolve(output);
    ProcessBuilder builder =
        new ProcessBuilder(clone.resolve("retso").toString(), "--help")
            .redirectErrorStream(true)
            .redirectOutput(file.toFile());
    boolean isOffline = "offline=true".equals(System.getProperty("maven.network"));
    builder
        .environment()
        .put(
            "MAVEN_ARGS",
            "-Dmaven.repo.local="
                + System.getProperty("local.repository")
                + (isOffline ? " --offline" : ""));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("RETSO_OPTS");
    Process launcher = builder.start();
    try {
      assertTrue(launcher.waitFor(9, TimeUnit.MINUTES), "it hangs");
      assertEquals(0, launcher.exitValue(), Files.readString(file));
      return Files.readString(file);
    } finally {
      launcher.descendants().forEach(ProcessHandle::destroyForcibly);
      launcher.destroyForcibly();
    }
  }
}
