package io.retso.application;

import io.retso.ChildJvm;
import io.retso.hbase.TransactionManager;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Builds the example application as its users do, several times with other dependencies: by Maven,
 * from the artifact and the POM that the build publishes. They are in a repository of their own;
 * everything else comes from the local one. What is missing there is fetched once, as by any build.
 */
final class ApplicationBuild {
  private static final Path HBASE_INTEGRATION = Path.of("..", "..", "hbase-integration");
  private static final String VERSION = System.getProperty("retso.version");
  private static final String LOCAL_REPOSITORY = System.getProperty("local.repository");
  private static final String COMPILER = plugin("compiler");
  private static final String DEPENDENCY = plugin("dependency");

  /**
   * What an application declares beside hbase-integration.
   *
   * @param client hbase-client or hbase-shaded-client
   * @param version HBase's
   * @param isFirst whether it is declared before hbase-integration
   */
  record Dependencies(String client, String version, boolean isFirst) {
    @Override
    public String toString() {
      return client + "-" + version + (isFirst ? "-first" : "-second");
    }
  }

  private final Path directory;

  private static String plugin(String name) {
    return "org.apache.maven.plugins:maven-%s-plugin:%s:"
        .formatted(name, System.getProperty(name + ".version"));
  }

  /**
   * @param directory an empty one
   */
  ApplicationBuild(Path directory) {
    this.directory = directory.toAbsolutePath();
  }

  /** The jar that is published; a directory of classes as long as nothing is packed. */
  static Path published() {
    try {
      return Path.of(
          TransactionManager.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Builds all of them. */
  void build(List<Dependencies> all) throws IOException, InterruptedException {
    publish("hbase-integration", ".jar", published());
    publish("hbase-integration", ".pom", HBASE_INTEGRATION.resolve("target/published-pom.xml"));
    Path applications = projects("applications", all, true);
    if (!isBuilt(applications)) {
      Path clients = projects("clients", all, false);
      List<String> fetch =
          new ArrayList<>(
              List.of("-Dmaven.repo.local=" + LOCAL_REPOSITORY, DEPENDENCY + "resolve"));
      if ("offline=true".equals(System.getProperty("maven.network"))) {
        fetch.add("--offline");
      }
      if (maven(clients, fetch) != 0 || !isBuilt(applications)) {
        throw new IllegalStateException("Maven does not build:\n" + Files.readString(output()));
      }
    }
  }

  private boolean isBuilt(Path applications) throws IOException, InterruptedException {
    return maven(
            applications,
            List.of(
                "--offline",
                "-Dmaven.repo.local=" + directory.resolve("repository"),
                "-Dmaven.repo.local.tail=" + LOCAL_REPOSITORY,
                "-Dmdep.outputFile=classpath.txt",
                COMPILER + "compile",
                DEPENDENCY + "build-classpath"))
        == 0;
  }

  /** A POM for each, and one of them all, which is returned. */
  private Path projects(String name, List<Dependencies> all, boolean withOurs) throws IOException {
    Path place = Files.createDirectories(directory.resolve(name));
    StringBuilder modules = new StringBuilder("<packaging>pom</packaging><modules>");
    for (Dependencies each : all) {
      Path module = Files.createDirectories(place.resolve(each.toString()));
      Files.writeString(module.resolve("pom.xml"), pom(each, withOurs));
      modules.append("<module>").append(each).append("</module>");
    }
    String text = project("all", modules.append("</modules>").toString());
    return Files.writeString(place.resolve("pom.xml"), text);
  }

  /** The class path of one that was built. */
  String classPath(Dependencies application) throws IOException {
    Path place = directory.resolve("applications").resolve(application.toString());
    return place.resolve("target/classes")
        + System.getProperty("path.separator")
        + Files.readString(place.resolve("classpath.txt")).strip();
  }

  private void publish(String artifact, String ending, Path file) throws IOException {
    Path place = directory.resolve("repository/io/retso").resolve(artifact).resolve(VERSION);
    Files.createDirectories(place);
    Files.copy(
        file,
        place.resolve(artifact + "-" + VERSION + ending),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static String pom(Dependencies application, boolean withOurs) {
    String ours = !withOurs ? "" : dependency("io.retso", "hbase-integration", VERSION);
    String hbases = dependency("org.apache.hbase", application.client, application.version);
    Path sources = HBASE_INTEGRATION.resolve("examples/bank/src/main/java").toAbsolutePath();
    return project(
        application.toString(),
        "<properties><maven.compiler.release>17</maven.compiler.release></properties>"
            + "<dependencies>"
            + (application.isFirst ? hbases + ours : ours + hbases)
            + "</dependencies><build><sourceDirectory>"
            + sources.normalize()
            + "</sourceDirectory></build>");
  }

  private static String project(String artifact, String content) {
    return "<project><modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>"
        + artifact
        + "</artifactId><version>1</version>"
        + content
        + "</project>";
  }

  private static String dependency(String group, String artifact, String version) {
    return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
        .formatted(group, artifact, version);
  }

  private Path output() {
    return directory.resolve("maven.txt");
  }

  /** Returns its exit code. */
  private int maven(Path pom, List<String> arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("maven.home") + "/bin/mvn", "--batch-mode", "--file", "" + pom));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("MAVEN_OPTS", String.join(" ", ChildJvm.OPTIONS));
    Process maven = builder.redirectOutput(output().toFile()).start();
    try {
      if (!maven.waitFor(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException("Maven hangs:\n" + Files.readString(output()));
      }
      return maven.exitValue();
    } finally {
      maven.destroyForcibly();
    }
  }
}
