package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.apache.commons.compress.archivers.cpio.CpioArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.eclipse.packager.rpm.RpmTag;
import org.eclipse.packager.rpm.parse.InputHeader;
import org.eclipse.packager.rpm.parse.RpmInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The RPM: it is to have what the Debian package has. */
@Timeout(300)
class RpmTest {
  private static final String DEBIANS_UNITS = "/lib/systemd/system/";
  private static final String UNITS = "/usr/lib/systemd/system/";

  /** Flags of a file in the header: it is configuration, and an edited one is not replaced. */
  private static final int KEPT_CONFIGURATION = 1 | 1 << 4;

  @TempDir static Path directory;

  private static Path rpm;
  private static InputHeader<RpmTag> header;
  private static final Map<String, CpioArchiveEntry> FILES = new TreeMap<>();
  private static final Map<String, TarArchiveEntry> DEBIANS = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException {
    rpm = DistributionTest.packed(".rpm").toAbsolutePath();
    try (RpmInputStream in =
        new RpmInputStream(new BufferedInputStream(Files.newInputStream(rpm), 1 << 16))) {
      header = in.getPayloadHeader();
      CpioArchiveInputStream cpio = in.getCpioStream();
      for (CpioArchiveEntry e = cpio.getNextEntry(); e != null; e = cpio.getNextEntry()) {
        String name = e.getName().replaceFirst("^\\.?/", "");
        FILES.put("/" + name, e);
        Path file = directory.resolve("rpm").resolve(name);
        Files.createDirectories(e.isDirectory() ? file : file.getParent());
        if (!e.isDirectory()) {
          Files.copy(cpio, file);
        }
      }
    }
    Path debian = DistributionTest.packed(".deb");
    for (TarArchiveEntry e : Archives.unpackDebian(debian, directory.resolve("deb"))) {
      String name = "/" + e.getName().replaceFirst("^\\.?/", "").replaceFirst("/$", "");
      DEBIANS.put(name.replace(DEBIANS_UNITS, UNITS), e);
    }
  }

  private static Object tag(RpmTag tag) {
    return header.getTag(tag);
  }

  @Test
  void itHasTheFilesOfTheDebianPackage() throws IOException {
    Set<String> files = new TreeSet<>(FILES.keySet());
    Set<String> debians = new TreeSet<>();
    DEBIANS.forEach(
        (name, entry) -> {
          if (!entry.isDirectory()) {
            debians.add(name);
          }
        });
    assertTrue(debians.size() > 200, debians::toString);
    files.removeIf(name -> FILES.get(name).isDirectory());
    assertEquals(debians, files);
    for (String name : debians) {
      TarArchiveEntry debian = DEBIANS.get(name);
      CpioArchiveEntry file = FILES.get(name);
      Path bytes = directory.resolve("rpm" + name);
      assertEquals(debian.isSymbolicLink(), file.isSymbolicLink(), name);
      if (debian.isSymbolicLink()) {
        assertEquals(debian.getLinkName(), Files.readString(bytes), name);
      } else {
        assertEquals(debian.getMode() & 0777, file.getMode() & 0777, name);
        Path other = directory.resolve("deb" + name.replace(UNITS, DEBIANS_UNITS));
        assertEquals(-1, Files.mismatch(other, bytes), name);
      }
    }
  }

  /** Its own directories: those of the system belong to others. */
  @Test
  void itOwnsNoDirectoryOfOthers() {
    for (Map.Entry<String, CpioArchiveEntry> each : FILES.entrySet()) {
      if (each.getValue().isDirectory()) {
        assertTrue(each.getKey().matches("/(opt|etc)/retso(/.*)?"), each::getKey);
        assertEquals(0755, each.getValue().getMode() & 0777, each.getKey());
      }
    }
    assertTrue(FILES.containsKey("/opt/retso/lib/server") && FILES.containsKey("/etc/retso"));
  }

  @Test
  void allOfItIsRootsAndSettingsAreKept() {
    String[] names = (String[]) tag(RpmTag.BASENAMES);
    String[] directories = (String[]) tag(RpmTag.DIRNAMES);
    Integer[] places = (Integer[]) tag(RpmTag.DIR_INDEXES);
    Integer[] flags = (Integer[]) tag(RpmTag.FILE_FLAGS);
    assertEquals(Set.of("root"), Set.of((Object[]) distinct(RpmTag.FILE_USERNAME)));
    assertEquals(Set.of("root"), Set.of((Object[]) distinct(RpmTag.FILE_GROUPNAME)));
    Set<String> kept = new TreeSet<>();
    for (int i = 0; i < names.length; i++) {
      if (flags[i] != 0) {
        assertEquals(KEPT_CONFIGURATION, flags[i], names[i]);
        kept.add(directories[places[i]] + names[i]);
      }
    }
    assertEquals(Set.of("/etc/retso/logback.xml", "/etc/retso/retso.properties"), kept);
  }

  private static String[] distinct(RpmTag tag) {
    return Stream.of((String[]) tag(tag)).distinct().toArray(String[]::new);
  }

  @Test
  void itSaysWhatItIs() {
    assertEquals("retso", tag(RpmTag.NAME));
    assertEquals("noarch", tag(RpmTag.ARCH));
    assertEquals("Apache-2.0", tag(RpmTag.LICENSE));
    String version = System.getProperty("retso.version");
    assertEquals(version.replace("-SNAPSHOT", ""), tag(RpmTag.VERSION));
    assertEquals(version.endsWith("-SNAPSHOT") ? "0.snapshot" : "1", tag(RpmTag.RELEASE));
    List<String> needs = List.of((String[]) tag(RpmTag.REQUIRE_NAME));
    assertTrue(needs.contains("java-headless"), needs::toString);
    String[] versions = (String[]) tag(RpmTag.REQUIRE_VERSION);
    assertEquals("1:17", versions[needs.indexOf("java-headless")]);
  }

  @Test
  void itsScriptsAreThoseOfTheSources() throws IOException {
    assertEquals(script("post"), tag(RpmTag.POSTINSTALL_SCRIPT));
    assertEquals(script("posttrans"), tag(RpmTag.POSTTRANSACTION_SCRIPT));
    assertEquals(script("preun"), tag(RpmTag.PREREMOVE_SCRIPT));
    assertEquals(script("postun"), tag(RpmTag.POSTREMOVE_SCRIPT));
  }

  private static String script(String name) throws IOException {
    return Files.readString(Path.of("rpm", name));
  }

  /** Of two versions one goes on: its archive and its service stay. */
  @Test
  void anUpgradeRemovesNothingOfTheNewVersion() throws Exception {
    Path preun = Path.of("rpm", "preun").toAbsolutePath();
    String upgrade = run("sh", "-x", preun.toString(), "1");
    assertFalse(upgrade.contains("rm ") || upgrade.contains("systemctl"), upgrade);
  }

  @Test
  void rpmItselfReadsIt() throws Exception {
    assumeTrue(hasRpm(), "rpm is not installed");
    String root = directory.resolve("database").toString();
    String query = "--dbpath=" + root;
    String listed = run("rpm", query, "-qpl", rpm.toString());
    assertEquals(FILES.keySet(), listed.lines().collect(Collectors.toCollection(TreeSet::new)));
    assertArrayEquals(
        new String[] {"/etc/retso/logback.xml", "/etc/retso/retso.properties"},
        run("rpm", query, "-qpc", rpm.toString()).lines().sorted().toArray());
    String scripts = run("rpm", query, "-qp", "--scripts", rpm.toString());
    for (String kind : List.of("postinstall", "posttrans", "preuninstall", "postuninstall")) {
      assertTrue(scripts.contains(kind + " scriptlet (using /bin/sh)"), scripts);
    }
    String checked = run("rpm", query, "-K", "-v", rpm.toString());
    assertTrue(checked.contains("Header SHA256 digest: OK"), checked);
    assertFalse(checked.contains("BAD") || checked.contains("NOT OK"), checked);
  }

  /** Without its scripts, which are for a system: into a directory, which has no Java either. */
  @Test
  void rpmItselfInstallsKeepsAndRemovesIt() throws Exception {
    assumeTrue(hasRpm() && isRoot(), "rpm is not installed, or this is not root");
    String root = Files.createDirectory(directory.resolve("root")).toString();
    run("rpm", "--root", root, "--nodeps", "--noscripts", "-i", rpm.toString());
    Path installed = Path.of(root);
    assertEquals(
        Path.of("/etc/retso"), Files.readSymbolicLink(installed.resolve("opt/retso/conf")));
    assertTrue(Files.isExecutable(installed.resolve("opt/retso/bin/retso")));
    String verified = run("rpm", "--root", root, "--nodeps", "--noscripts", "-V", "retso");
    assertEquals("", verified);
    Path settings = installed.resolve("etc/retso/retso.properties");
    Files.writeString(settings, "rows = 1M\n");
    run("rpm", "--root", root, "--nodeps", "--noscripts", "-U", "--force", rpm.toString());
    assertEquals("rows = 1M\n", Files.readString(settings));
    run("rpm", "--root", root, "--nodeps", "--noscripts", "-e", "retso");
    assertFalse(Files.exists(installed.resolve("opt/retso")));
    assertEquals(
        "rows = 1M\n", Files.readString(settings.resolveSibling("retso.properties.rpmsave")));
  }

  private static boolean hasRpm() {
    return Files.isExecutable(Path.of("/usr/bin/rpm"));
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(1, TimeUnit.MINUTES), "it hangs");
      assertEquals(0, process.exitValue(), Files.readString(output));
      return Files.readString(output);
    } finally {
      process.destroyForcibly();
    }
  }
}
