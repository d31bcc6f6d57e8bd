package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.server.commands.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tarball and the Debian package, unpacked: what is in them, and that it runs. */
@Timeout(300)
class DistributionTest {
  private static final Pattern VERSION = Pattern.compile("-\\d[\\w.-]*?(-linux-\\w+)?\\.jar$");

  @TempDir static Path unpacked;

  private static List<TarArchiveEntry> tarball;
  private static Path home;
  private static Path debian;

  @TempDir Path directory;

  @BeforeAll
  static void unpack() throws IOException {
    tarball = Archives.unpackTarball(packed(".tar.gz"), unpacked.resolve("tar"));
    try (Stream<Path> roots = Files.list(unpacked.resolve("tar"))) {
      home = roots.findFirst().orElseThrow();
    }
    debian = unpacked.resolve("deb");
    Archives.unpackDebian(packed(".deb"), debian);
  }

  /** The one archive of this build that ends so. */
  static Path packed(String ending) throws IOException {
    try (Stream<Path> files = Files.list(Path.of("target"))) {
      List<Path> found = files.filter(file -> file.toString().endsWith(ending)).toList();
      assertEquals(1, found.size(), "./mvnw clean package; there are " + found);
      return found.get(0);
    }
  }

  @Test
  void theTarballServes() throws Exception {
    serves(home, home.resolve("conf"));
  }

  @Test
  void theDebianPackageServes() throws Exception {
    serves(debian.resolve("opt/retso"), debian.resolve("etc/retso"));
  }

  /** A commit survives a restart, status describes the server, and it ends as asked. */
  private void serves(Path place, Path conf) throws Exception {
    long start;
    try (InstalledServer server = InstalledServer.start(place, conf, directory)) {
      start = commit(server);
      Path page = directory.resolve("status.txt");
      String http = "127.0.0.1:" + server.httpPort();
      assertEquals(
          0,
          InstalledServer.run(
              InstalledServer.command(place, conf, page, "status", "--http", http)));
      assertTrue(Files.readString(page).startsWith("status       serving"), Files.readString(page));
      String output = server.output();
      String heap = output.replaceAll("(?s).*a heap of (\\d+) MiB for these settings.*", "$1");
      assertTrue(output.contains("heap limit " + heap + " MiB"), output);
      long most = Long.parseLong(output.replaceAll("(?s).*up to (\\d+) MiB resident.*", "$1"));
      assertTrue(server.residentMebibytes() <= most, () -> server.residentMebibytes() + output);
      assertEquals(143, server.terminate(), server::toString);
    }
    try (InstalledServer server = InstalledServer.start(place, conf, directory)) {
      assertTrue(commit(server) > start, "timestamps do not go back");
    }
  }

  /** As on a machine of an IPv6-only cluster, and where digits are written otherwise. */
  @Test
  void theTarballServesIpv6AndEveryLocale() throws Exception {
    assumeTrue(hasIpv6(), "this machine has no ::1");
    Path conf = Files.createDirectory(directory.resolve("conf"));
    Files.writeString(conf.resolve("retso.properties"), "listen.host = ::1\nhttp.host = ::1\n");
    String[] egypt = {"-Duser.language=ar", "-Duser.country=EG"};
    try (InstalledServer server = InstalledServer.start(home, conf, directory, egypt)) {
      commit("[::1]:" + server.port());
      Path page = directory.resolve("status.txt");
      String http = "[::1]:" + server.httpPort();
      ProcessBuilder status = InstalledServer.command(home, conf, page, "status", "--http", http);
      assertEquals(0, InstalledServer.run(status), () -> read(page));
      assertTrue(read(page).contains("write 1, ack 1"), () -> read(page));
      assertTrue(server.output().contains("http://[::1]:" + server.httpPort()), server.output());
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static boolean hasIpv6() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static long commit(InstalledServer server) {
    return commit("127.0.0.1:" + server.port());
  }

  private static long commit(String address) {
    try (OracleClient oracle = OracleClient.builder().address(address).build()) {
      TransactionHandle begun = oracle.begin();
      CommitResult result = oracle.commit(begun, 1, 2);
      assertTrue(result.isCommitted(), result::toString);
      oracle.cleanedUp(begun);
      return begun.startTimestamp();
    }
  }

  /** It is unpacked into the temporary directory, 15 MB, at each start. */
  @Test
  void aKilledServerLeavesNoLibraryOfRocksDbBehind() throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    String option = "-Djava.io.tmpdir=" + temporary;
    try (InstalledServer server =
        InstalledServer.start(home, home.resolve("conf"), directory, option)) {
      server.kill();
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.filter(file -> file.toString().contains("rocksdb")).toList());
    }
  }

  @Test
  void wrongSettingsAreRefusedOnceWithTheReason() throws Exception {
    Path output = directory.resolve("output.txt");
    ProcessBuilder server =
        InstalledServer.command(home, home.resolve("conf"), output, "server", "--rows=lots");
    assertEquals(ExitCode.USAGE.number(), InstalledServer.run(server));
    String reason = "rows = lots is not allowed";
    String text = Files.readString(output);
    assertTrue(text.contains(reason), text);
    assertEquals(text.indexOf(reason), text.lastIndexOf(reason), text);
  }

  /** With settings of its own: those of the configuration may name a log that somebody writes. */
  @Test
  void archivedClassesAreUsedWhateverTheSettings() throws Exception {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    Files.writeString(conf.resolve("retso.properties"), "rows = lots\n");
    Path output = directory.resolve("output.txt");
    Path archive = debian.resolve("opt/retso/lib/server.jsa");
    ProcessBuilder archives =
        InstalledServer.command(debian.resolve("opt/retso"), conf, output, "archive");
    assertEquals(0, InstalledServer.run(archives), () -> archives + " said " + output);
    assertTrue(Files.exists(archive), Files.readString(output));
    ProcessBuilder asks =
        InstalledServer.command(
            debian.resolve("opt/retso"),
            debian.resolve("etc/retso"),
            output,
            "server",
            "--print-heap");
    asks.environment().put("RETSO_OPTS", "-Xlog:class+load");
    assertEquals(0, InstalledServer.run(asks));
    assertTrue(
        Files.readString(output)
            .contains("io.retso.server.ServerMain source: shared objects file (top)"));
    Files.delete(archive);
  }

  /** With a file it is the playbooks that start them. */
  @Test
  void bookiesAndZooKeeperAskForTheirConfiguration() throws Exception {
    Path output = directory.resolve("output.txt");
    for (String program : List.of("bookie", "zookeeper")) {
      ProcessBuilder server =
          InstalledServer.command(home, home.resolve("conf"), output, program, "/missing");
      assertEquals(ExitCode.USAGE.number(), InstalledServer.run(server));
      assertTrue(Files.readString(output).contains("retso " + program + " FILE"));
    }
    assertTrue(Files.exists(home.resolve("bookkeeper/bookie.conf")));
    assertTrue(Files.exists(home.resolve("bookkeeper/zoo.cfg")));
    assertTrue(Files.exists(home.resolve("ansible/roles/retso_bookie/templates/bookie.conf")));
  }

  @Test
  void theHeapCanBeAskedFor() throws Exception {
    Path output = directory.resolve("output.txt");
    ProcessBuilder server =
        InstalledServer.command(home, home.resolve("conf"), output, "server", "--print-heap");
    assertEquals(0, InstalledServer.run(server));
    assertTrue(Files.readString(output).matches("\\d+\\R"), Files.readString(output));
  }

  /** No HBase is here: the command gets as far as to say so. */
  @Test
  void theCommandsForHBaseRun() throws Exception {
    Path output = directory.resolve("output.txt");
    ProcessBuilder check =
        InstalledServer.command(
            home,
            home.resolve("conf"),
            output,
            "hbase",
            "check",
            "accounts",
            "--zookeeper",
            "127.0.0.1:1");
    assertEquals(1, InstalledServer.run(check), Files.readString(output));
    String text = Files.readString(output);
    assertTrue(text.contains("ZooKeeper at 127.0.0.1:1 does not lead to an HBase"), text);
    assertFalse(text.contains("\tat "), "a stack trace: " + text);
  }

  /** A whole run with this class path, against HBase, is in the tests of verify. */
  @Test
  void theJudgeRuns() throws Exception {
    Path output = directory.resolve("output.txt");
    Path conf = home.resolve("conf");
    ProcessBuilder alone = InstalledServer.command(home, conf, output, "verify");
    assertEquals(2, InstalledServer.run(alone), () -> read(output));
    assertTrue(read(output).contains("name a cluster that runs, by --cluster"), () -> read(output));
    Path history = directory.resolve("history.edn");
    Files.writeString(
        history,
        """
        {:index 0, :type :invoke, :process 0, :f :txn, :value [[:append 1 1]]}
        {:index 1, :type :ok, :process 0, :f :txn, :value [[:append 1 1]]}
        """);
    ProcessBuilder judge =
        InstalledServer.command(home, conf, output, "verify", "--history=" + history);
    assertEquals(0, InstalledServer.run(judge), () -> read(output));
  }

  @Test
  void eachPartHasWhatItNeedsAndNoMore() throws IOException {
    Set<String> server = names("lib/server");
    Set<String> hbase = names("lib/hbase");
    assertTrue(server.contains("retso-server") && hbase.contains("retso-hbase-admin"));
    for (String foreign : new String[] {"hbase", "hadoop", "jmh", "bench", "junit", "embedded"}) {
      assertTrue(server.stream().noneMatch(name -> name.contains(foreign)), server::toString);
    }
    for (String foreign :
        new String[] {"hbase-http", "tomcat", "bookkeeper", "jmh", "retso-client"}) {
      assertTrue(hbase.stream().noneMatch(name -> name.startsWith(foreign)), hbase::toString);
    }
    assertEquals(Set.of("hbase-integration"), names("region-server"));
    assertEquals(Set.of("retso-verify", "retso-cluster"), names("lib/verify"));
  }

  /** Names without versions; none may be there twice. */
  private static Set<String> names(String folder) throws IOException {
    try (Stream<Path> files = Files.list(home.resolve(folder))) {
      List<String> jars = files.map(file -> file.getFileName().toString()).toList();
      Set<String> names =
          jars.stream()
              .map(jar -> VERSION.matcher(jar).replaceAll("$1"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(jars.size(), names.size(), "two versions of one: ./mvnw clean package; " + jars);
      return names;
    }
  }

  /** An application's or a region server's own libraries must not meet ours. */
  @Test
  void theRegionServersJarHasNoLibraryUnderItsOwnName() throws IOException {
    try (Stream<Path> jars = Files.list(home.resolve("region-server"));
        JarFile jar = new JarFile(jars.findFirst().orElseThrow().toFile())) {
      Set<String> others =
          jar.stream()
              .filter(entry -> !entry.isDirectory())
              .map(entry -> entry.getName())
              .filter(name -> !name.startsWith("io/retso/") && !name.startsWith("META-INF/"))
              .collect(Collectors.toSet());
      assertEquals(Set.of(), others);
      assertTrue(
          jar.getEntry("META-INF/NOTICE") != null && jar.getEntry("META-INF/LICENSE") != null);
    }
  }

  /**
   * Nothing of the time of the build and of the user that built it; see {@link FreshCloneTest},
   * too.
   */
  @Test
  void theTarballIsOfNobodyAndNoTime() {
    assertEquals(1, tarball.stream().map(TarArchiveEntry::getLastModifiedTime).distinct().count());
    for (TarArchiveEntry e : tarball) {
      assertEquals(List.of("root", "root"), List.of(e.getUserName(), e.getGroupName()));
      assertTrue(e.getLongUserId() == 0 && e.getLongGroupId() == 0, e::getName);
      int mode = e.getMode() & 0777;
      assertTrue(mode == 0755 || mode == 0644 && e.isFile(), () -> e.getName() + " " + mode);
    }
  }

  @Test
  void licencesOfAllLibrariesAreNamed() throws IOException {
    assertTrue(Files.exists(home.resolve("LICENSE")) && Files.exists(home.resolve("NOTICE")));
    String licences = Files.readString(home.resolve("licences/THIRD-PARTY.txt"));
    for (String artifact : libraries()) {
      assertTrue(licences.contains(":" + artifact + ":"), artifact);
    }
  }

  @Test
  void theListOfPartsIsComplete() throws IOException {
    assumeFalse(
        "offline=true".equals(System.getProperty("maven.network")), "it is made online only");
    String parts = Files.readString(home.resolve("sbom.cyclonedx.json"));
    for (String artifact : libraries()) {
      assertTrue(parts.contains("/" + artifact + "@"), artifact);
    }
  }

  /** What is not ours, without versions and systems. */
  private static Set<String> libraries() throws IOException {
    return Stream.concat(names("lib/server").stream(), names("lib/hbase").stream())
        .filter(name -> !name.startsWith("retso-") && !name.equals("hbase-integration"))
        .map(name -> name.replaceAll("-linux-\\w+$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
