package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.deploy.Advisories.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What is in the archives that are built: each has its list of parts, and no part has a hole that
 * {@code deploy/advisories} knows and does not excuse. Without a network, and whatever the day.
 */
class SupplyChainTest {
  private static final Path ROOT = Path.of("..");

  /**
   * What others depend on. The rest of the bench is run from a clone alone, and is built beside
   * these tests.
   */
  private static final List<String> PUBLISHED =
      List.of(
          "retso-client",
          "retso-server",
          "hbase-integration",
          "hbase-integration/admin",
          "hbase-integration/advise",
          "hbase-integration/embedded",
          "hbase-integration/spring",
          "hbase-integration/testkit",
          "bench/ycsb");

  private static Advisories advisories;

  @BeforeAll
  static void read() throws IOException {
    assumeFalse(
        "offline=true".equals(System.getProperty("maven.network")), "lists are made online only");
    advisories = Advisories.read();
  }

  /** A scanner does not know relocated classes for what they are. */
  @Test
  void theBundledJarNamesExactlyWhatIsInIt() throws IOException {
    Set<String> named = new TreeSet<>();
    Set<String> versions = new TreeSet<>();
    for (Part part : parts("hbase-integration")) {
      named.add(part.coordinates());
      if (part.group().equals("io.netty")) {
        versions.add(part.version());
      }
    }
    String pom = Files.readString(ROOT.resolve("hbase-integration/pom.xml"));
    Set<String> bundled =
        pom.lines()
            .filter(line -> line.contains("<include>") && line.contains(":")) // others are files
            .map(line -> line.replaceAll("</?include>|:jar:.*", "").strip())
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(bundled, named);
    assertEquals(1, versions.size(), versions::toString);
    String root = Files.readString(ROOT.resolve("pom.xml"));
    assertTrue(root.contains("<netty.version>" + versions.iterator().next() + "<"));
    try (JarFile jar = jar("hbase-integration")) {
      assertTrue(jar.getEntry("io/retso/bundled/io/netty/handler/ssl/SslHandler.class") != null);
      assertTrue(
          jar.stream().noneMatch(entry -> entry.getName().endsWith("client.cyclonedx.json")));
    }
  }

  @Test
  void noPartHasAKnownHole() throws IOException {
    Set<Part> parts = allParts();
    assertTrue(parts.size() > 100, parts::toString);
    assertEquals(Set.of(), advisories.holes(parts), "take a later version, or say why in vex.json");
  }

  @Test
  void eachExcuseHasAReasonAnEndAndAHole() throws IOException {
    assertEquals(Set.of(), advisories.wrongReasons(allParts()));
  }

  /** Each record is tried: the version before its fix is found, the fix itself is not. */
  @Test
  void aVulnerableVersionIsFound() {
    Set<String> tried = new TreeSet<>();
    for (JsonNode record : advisories.osv().get("vulns")) {
      String id = record.get("id").asText();
      assertTrue(record.at("/references/0/url").asText().startsWith("https://"), id);
      for (JsonNode affected : record.get("affected")) {
        String[] name = affected.at("/package/name").asText().split(":");
        for (JsonNode range : affected.get("ranges")) {
          String fixed = range.at("/events/1/fixed").asText();
          Part before = new Part(name[0], name[1], fixed + "-SNAPSHOT");
          Part first = new Part(name[0], name[1], range.at("/events/0/introduced").asText());
          assertTrue(isFound(id, before) && isFound(id, first), before + " or " + first);
          assertFalse(isFound(id, new Part(name[0], name[1], fixed)), () -> id + " " + fixed);
          tried.add(id);
        }
      }
    }
    assertEquals(advisories.osv().get("vulns").size(), tried.size());
  }

  @Test
  void anOldNettyInTheListOfAJarIsFound() throws IOException {
    String sbom = new String(sbom("hbase-integration"));
    String old =
        sbom.replaceAll("\"version\" : \"4\\.2\\.\\d+\\.Final\"", "\"version\" : \"4.2.14.Final\"");
    Set<String> holes = advisories.holes(Advisories.parts(old.getBytes()));
    assertTrue(holes.stream().anyMatch(hole -> hole.contains("CVE-2026-45416")), holes::toString);
  }

  /** What is excused is so for one version: with the next one somebody looks again. */
  @Test
  void anExcuseIsForOneVersion() {
    String id = "GHSA-735f-pc8j-v9w8";
    assertFalse(isFound(id, new Part("com.google.protobuf", "protobuf-java", "2.5.0")));
    assertTrue(isFound(id, new Part("com.google.protobuf", "protobuf-java", "2.5.1")));
    JsonNode none = new ObjectMapper().createObjectNode().putArray("statements");
    JsonNode vex = new ObjectMapper().createObjectNode().set("statements", none);
    Advisories bare = new Advisories(advisories.osv(), vex);
    assertEquals(
        1, bare.holes(List.of(part("com.google.protobuf", "protobuf-java", "2.5.0"))).size());
  }

  @Test
  void listsAndExcusesAreTooOldForAReleaseSomeDay() {
    LocalDate refreshed = LocalDate.parse(advisories.osv().get("refreshed").asText());
    assertEquals(Set.of(), advisories.tooOldFor(refreshed.plusDays(Advisories.FRESH_DAYS)));
    Set<String> late = advisories.tooOldFor(refreshed.plusDays(Advisories.FRESH_DAYS + 1));
    assertTrue(late.toString().contains("refresh it"), late::toString);
    Set<String> later = advisories.tooOldFor(refreshed.plusYears(3));
    assertTrue(later.toString().contains("ended: look again"), later::toString);
  }

  /** In a build with {@code -Prelease} only: an old commit stays green otherwise. */
  @Test
  void aReleaseGoesByFreshLists() {
    String day = System.getProperty("release.date", "");
    assumeFalse(day.isEmpty() || day.startsWith("${"), "this is no release");
    assertEquals(Set.of(), advisories.tooOldFor(LocalDate.parse(day)));
  }

  /** They have the same classes. */
  @Test
  void noProgramHasBothBuildsOfBouncyCastle() throws IOException {
    for (String module : List.of("retso-server", "hbase-integration/admin")) {
      List<String> names =
          parts(module).stream()
              .filter(part -> part.group().equals("org.bouncycastle"))
              .map(Part::name)
              .toList();
      assertEquals(1, names.size(), () -> module + " has " + names);
    }
  }

  private static Part part(String group, String name, String version) {
    return new Part(group, name, version);
  }

  private static boolean isFound(String id, Part part) {
    return advisories.holes(List.of(part)).stream().anyMatch(hole -> hole.contains(" " + id + ":"));
  }

  private static Set<Part> allParts() throws IOException {
    Set<Part> parts = new HashSet<>();
    for (String module : PUBLISHED) {
      List<Part> own = parts(module);
      assertFalse(own.isEmpty(), module);
      parts.addAll(own);
    }
    parts.addAll(Advisories.parts(Files.readAllBytes(Path.of("target/sbom.cyclonedx.json"))));
    return parts;
  }

  private static List<Part> parts(String module) throws IOException {
    return Advisories.parts(sbom(module));
  }

  /** Returns the one list of a module's jar. */
  private static byte[] sbom(String module) throws IOException {
    try (JarFile jar = jar(module)) {
      List<String> lists = new ArrayList<>();
      jar.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.startsWith("META-INF/sbom/") && name.endsWith(".json"))
          .forEach(lists::add);
      assertEquals(1, lists.size(), () -> module + " has " + lists);
      try (InputStream list = jar.getInputStream(jar.getEntry(lists.get(0)))) {
        return list.readAllBytes();
      }
    }
  }

  private static JarFile jar(String module) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(module).resolve("target"))) {
      List<Path> jars =
          files
              .filter(file -> file.toString().matches(".*-\\d[\\w.]*(-SNAPSHOT)?\\.jar"))
              .filter(file -> !file.getFileName().toString().startsWith("original-"))
              .toList();
      assertEquals(1, jars.size(), () -> "./mvnw clean package; there are " + jars);
      return new JarFile(jars.get(0).toFile());
    }
  }
}
