package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * What is published, in a repository that has it and nothing else of ours: POMs that Maven Central
 * takes, and the example application, built from it.
 */
@Timeout(600)
class PublishedTest {
  private static final String VERSION = System.getProperty("retso.version");
  private static final Path SOURCES = Path.of("..");
  private static final Path GROUP = Path.of("io", "retso");
  private static final String BOM = "retso-bom";
  private static final String TEST_KIT_BOM = "retso-testkit-bom";

  /** Artifacts and their modules. */
  private static final Map<String, String> MODULES = new LinkedHashMap<>();

  static {
    MODULES.put("retso-client", "retso-client");
    MODULES.put("retso-server", "retso-server");
    MODULES.put("retso-embedded-hbase", "hbase-integration/embedded");
    MODULES.put("hbase-integration", "hbase-integration");
    MODULES.put("retso-hbase-admin", "hbase-integration/admin");
    MODULES.put("retso-advise", "hbase-integration/advise");
    MODULES.put("retso-testkit", "hbase-integration/testkit");
    MODULES.put("retso-spring", "hbase-integration/spring");
    MODULES.put("retso-ycsb", "bench/ycsb");
  }

  @TempDir static Path directory;

  private static Path repository;

  static Stream<String> artifacts() {
    return Stream.concat(Stream.of(BOM, TEST_KIT_BOM), MODULES.keySet().stream());
  }

  @BeforeAll
  static void stage() throws IOException {
    repository = repositoryOfOthers(directory.resolve("repository"));
    stage(BOM, "hbase-integration/bom", ".pom", "published-pom.xml");
    stage(TEST_KIT_BOM, "hbase-integration/testkit/bom", ".pom", "published-pom.xml");
    for (Map.Entry<String, String> each : MODULES.entrySet()) {
      stage(each.getKey(), each.getValue(), ".pom", "published-pom.xml");
      String jar = each.getKey() + "-" + VERSION + ".jar";
      stage(each.getKey(), each.getValue(), ".jar", jar);
    }
  }

  /**
   * All that the local repository has but ours. What is fetched is kept there: its folders are
   * linked.
   */
  private static Path repositoryOfOthers(Path place) throws IOException {
    Path group = place.resolve(GROUP.getName(0));
    Files.createDirectories(group.resolve(GROUP.getName(1)));
    Path local = Path.of(System.getProperty("local.repository"));
    link(local, place, group);
    link(local.resolve(GROUP.getName(0)), group, group.resolve(GROUP.getName(1)));
    return place;
  }

  private static void link(Path from, Path to, Path but) throws IOException {
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : entries.toList()) {
        Path link = to.resolve(entry.getFileName());
        if (!link.equals(but)) {
          Files.createSymbolicLink(link, entry.toAbsolutePath());
        }
      }
    }
  }

  private static void stage(String artifact, String module, String ending, String file)
      throws IOException {
    Path built = SOURCES.resolve(module).resolve("target").resolve(file);
    assertTrue(Files.exists(built), () -> built + " is missing: ./mvnw package");
    Files.createDirectories(place(artifact));
    Files.copy(built, place(artifact).resolve(artifact + "-" + VERSION + ending));
  }

  private static Path place(String artifact) {
    return repository.resolve(GROUP).resolve(artifact).resolve(VERSION);
  }

  private static Element pom(String artifact) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(place(artifact).resolve(artifact + "-" + VERSION + ".pom").toFile())
        .getDocumentElement();
  }

  private static Element child(Element of, String name) {
    for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && child.getTagName().equals(name)) {
        return child;
      }
    }
    return null;
  }

  /** The text at the end of a path of elements. */
  private static String text(Element of, String path) {
    Element at = of;
    for (String name : path.split("/")) {
      at = child(at, name);
      assertNotNull(at, path);
    }
    return at.getTextContent().strip();
  }

  /** And its parent is nobody's concern. */
  @ParameterizedTest
  @MethodSource("artifacts")
  void eachPomHasWhatCentralDemands(String artifact) throws Exception {
    Element pom = pom(artifact);
    assertEquals(null, child(pom, "parent"));
    assertEquals("io.retso", text(pom, "groupId"));
    assertEquals(artifact, text(pom, "artifactId"));
    assertEquals(VERSION, text(pom, "version"));
    for (String path :
        List.of(
            "name",
            "description",
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      String text = text(pom, path);
      assertFalse(text.isEmpty() || text.contains("${"), () -> path + ": " + text);
    }
    assertEquals("Apache-2.0", text(pom, "licenses/license/name"));
    assertFalse(text(pom, "url").endsWith(artifact), "it is the project's");
  }

  /** Versions that are imported with it are ours alone. */
  @Test
  void theBomNamesAllThatIsPublishedAndNothingElse() throws Exception {
    assertEquals(
        MODULES.keySet().stream()
            .map(artifact -> "io.retso:" + artifact + ":" + VERSION)
            .collect(Collectors.toCollection(TreeSet::new)),
        managed(BOM));
  }

  private static TreeSet<String> managed(String bom) throws Exception {
    NodeList managed = pom(bom).getElementsByTagName("dependency");
    TreeSet<String> named = new TreeSet<>();
    for (int i = 0; i < managed.getLength(); i++) {
      Element each = (Element) managed.item(i);
      String version = text(each, "version").replace("${project.version}", VERSION);
      named.add(text(each, "groupId") + ":" + text(each, "artifactId") + ":" + version);
    }
    return named;
  }

  /** All libraries of a server of HBase are in it, by their versions and not by other BOMs. */
  @Test
  void theBomOfTheTestKitHasWhatItIsTestedWith() throws Exception {
    TreeSet<String> managed = managed(TEST_KIT_BOM);
    String root = Files.readString(SOURCES.resolve("pom.xml"));
    Matcher netty = Pattern.compile("<netty.version>(.*)</netty.version>").matcher(root);
    assertTrue(netty.find());
    for (String library : List.of("handler", "transport-native-epoll", "codec-http")) {
      String wanted = "io.netty:netty-" + library + ":" + netty.group(1);
      assertTrue(managed.contains(wanted), () -> wanted + " is not in " + managed);
    }
    assertTrue(managed.stream().noneMatch(each -> each.contains("${")), managed::toString);
  }

  /** As a user has it, who never built ReTSO. */
  @Test
  void theExampleIsBuiltFromWhatIsPublished() throws Exception {
    Path example = SOURCES.resolve("hbase-integration/examples/bank");
    Path project = Files.createDirectories(directory.resolve("bank"));
    Files.copy(example.resolve("pom.xml"), project.resolve("pom.xml"));
    Path source = Path.of("src/main/java/example/Bank.java");
    Files.createDirectories(project.resolve(source).getParent());
    Files.copy(example.resolve(source), project.resolve(source));
    build(project);
    assertTrue(Files.exists(project.resolve("target/classes/example/Bank.class")));
    List<String> classPath =
        Arrays.asList(Files.readString(project.resolve("classpath.txt")).split(File.pathSeparator));
    String jar = "hbase-integration-" + VERSION + ".jar";
    assertEquals(List.of("" + place("hbase-integration").resolve(jar)), ours(classPath));
    assertTrue(
        classPath.stream().noneMatch(other -> other.contains("SNAPSHOT") && !other.endsWith(jar)),
        classPath::toString);
  }

  private static List<String> ours(List<String> classPath) {
    String group = repository.resolve(GROUP) + File.separator;
    return classPath.stream().filter(jar -> jar.startsWith(group)).toList();
  }

  /** Libraries of others are fetched once, as by any build, if they are not there. */
  private static void build(Path project) throws IOException, InterruptedException {
    if (maven(project, "--offline") == 0) {
      return;
    }
    boolean isOffline = "offline=true".equals(System.getProperty("maven.network"));
    assertFalse(isOffline, () -> read(project));
    assertEquals(0, maven(project, "--no-transfer-progress"), () -> read(project));
  }

  private static String read(Path project) {
    try {
      return Files.readString(project.resolve("maven.txt"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static int maven(Path project, String network) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("maven.home") + "/bin/mvn",
                "--batch-mode",
                network,
                "--file",
                "" + project.resolve("pom.xml"),
                "-Dretso.version=" + VERSION,
                "-Dmaven.repo.local=" + repository,
                "-Dmdep.outputFile=classpath.txt",
                plugin("compiler") + ":compile",
                plugin("dependency") + ":build-classpath"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", "-Xmx256m -XX:TieredStopAtLevel=1");
    builder.environment().remove("MAVEN_ARGS");
    Process maven = builder.redirectOutput(project.resolve("maven.txt").toFile()).start();
    try {
      assertTrue(maven.waitFor(5, TimeUnit.MINUTES), () -> "Maven hangs: " + read(project));
      return maven.exitValue();
    } finally {
      maven.destroyForcibly();
    }
  }

  private static String plugin(String name) {
    String version = System.getProperty(name + ".version");
    return "org.apache.maven.plugins:maven-" + name + "-plugin:" + version;
  }
}
