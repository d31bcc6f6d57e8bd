package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A copy of the sources where nothing is built yet, as another user has it: the developers' {@code
 * ./retso} builds what it needs and runs, docs/quickstart.md is right, and the archive that is made
 * there is this build's.
 */
@Timeout(2400)
class FreshCloneTest {
  private static final Path SOURCES = Path.of("..");
  private static final Set<String> NOT_OF_A_CLONE =
      Set.of(
          ".git",
          ".ansible",
          "target",
          "dependency-reduced-pom.xml",
          "retso-data",
          "retso-bench-data",
          "retso-cluster",
          "retso-chaos",
          "retso-sandbox");

  @TempDir static Path directory;

  private static Path clone;
  private static String firstRun;

  @BeforeAll
  static void start() throws Exception {
    clone = directory.resolve("clone");
    copySources();
    firstRun = run("./retso", "--help");
  }

  @Test
  void theLauncherBuildsOnce() throws Exception {
    assertTrue(firstRun.contains("building") && firstRun.contains("Usage: retso"), firstRun);
    String next = run("./retso", "--help");
    assertTrue(!next.contains("building") && next.contains("Usage: retso"), next);
  }

  @Test
  void theQuickstartDoesWhatItSays() throws Exception {
    try (Quickstart page = new Quickstart(clone, directory.resolve("errors.txt"))) {
      assertEquals(6, page.type());
    }
  }

  /** Whatever the directory, the time and its zone, and whether a group may write files. */
  @Test
  void theTarballIsTheSameToTheByte() throws Exception {
    run("./mvnw", "-q", "-B", "-Dmaven.test.skip=true", "-pl", "deploy", "-am", "package");
    Path tarball = DistributionTest.packed(".tar.gz");
    assertEquals(-1, Files.mismatch(tarball, clone.resolve("deploy").resolve(tarball)));
  }

  private static void copySources() throws IOException {
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

  private static FileVisitResult copy(Path original) throws IOException {
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
  private static String run(String... command) throws IOException, InterruptedException {
    Path output = directory.resolve("output.txt");
    List<String> withUmask = new ArrayList<>(List.of("sh", "-c", "umask 002; \"$0\" \"$@\""));
    withUmask.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(withUmask)
            .directory(clone.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    boolean isOffline = "offline=true".equals(System.getProperty("maven.network"));
    String repository = "-Dmaven.repo.local=" + System.getProperty("local.repository");
    builder.environment().put("MAVEN_ARGS", repository + (isOffline ? " --offline" : ""));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TZ", "Asia/Kathmandu");
    builder.environment().remove("RETSO_OPTS");
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(15, TimeUnit.MINUTES), "it hangs");
      String text = Files.readString(output);
      assertEquals(0, process.exitValue(), text);
      return text;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
