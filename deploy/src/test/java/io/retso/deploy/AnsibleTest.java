package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The playbooks, against hosts with sshd in namespaces of this machine ({@code hosts.py}), where a
 * program stands in for systemd.
 */
@Timeout(3600)
class AnsibleTest {
  private static final String WHOLE = "retso.deploy.whole";

  private static final int HOSTS = 4;
  private static final String NETWORK = TestHosts.NETWORK;
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final String NEXT_VERSION = "0.1.0-next";
  private static final String HBASE = "node3";

  /** Beside other work on two cores; a restart of a single oracle takes longer. */
  private static final long GAP_MILLIS_MAX = 10_000;

  @TempDir Path directory;

  private TestHosts hosts;

  /** Lines of the inventory. */
  private String security = "";

  private static List<String> names() {
    return IntStream.rangeClosed(1, HOSTS).mapToObj(i -> "node" + i).toList();
  }

  /** The hosts, once they are connected. */
  @BeforeEach
  void start() throws Exception {
    TestHosts.assumePossible();
    assumeTrue(TestHosts.works("ansible-playbook", "--version"), "there is no Ansible here");
    assumeTrue(
        TestHosts.works("sh", "-c", "command -v sshd || test -x /usr/sbin/sshd"), "no sshd here");
    hosts = TestHosts.start("hosts.py", directory, names());
    Archives.unpackTarball(DistributionTest.packed(".tar.gz"), directory.resolve("unpacked"));
    Path hbase = Files.createDirectories(host(HBASE).resolve("opt/hbase"));
    Files.createDirectory(hbase.resolve("lib"));
    Files.writeString(
        Files.createDirectory(hbase.resolve("conf")).resolve("hbase-site.xml"),
        "<?xml version=\"1.0\"?>\n<configuration>\n</configuration>\n");
  }

  /** What makes certificates on the machine where the playbooks run. */
  private Path retso() {
    return directory.resolve("unpacked/retso-" + VERSION + "/bin/retso");
  }

  private Path keys() {
    return directory.resolve("retso-keys");
  }

  private Path host(String name) {
    return directory.resolve(name);
  }

  /** With three servers of ZooKeeper and the HBase on the first three hosts. */
  private void writeInventory(Path tarball, List<String> bookies, List<String> oracles)
      throws IOException {
    StringBuilder all = new StringBuilder();
    for (String name : names()) {
      all.append("    " + name + ": {ansible_host: " + address(name) + "}\n");
    }
    String inventory =
        """
        all:
          hosts:
        %s  vars:
            ansible_user: root
            ansible_ssh_private_key_file: %s/key
            ansible_python_interpreter: /usr/bin/python3
            ansible_remote_tmp: /run/ansible
            retso_tarball: %s
            retso_zookeeper_jvm_options: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx64m
            retso_bookie_jvm_options: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
            retso_jvm_options: -XX:TieredStopAtLevel=1
            retso_settings: {rows: 100k, window.timestamps: 2^16, uncleaned.max: 1k}
            retso_command: %s
            retso_hbase_user: root
            retso_roles: [may application app-*]
            %s
          children:
            zookeepers: {hosts: {node1: , node2: , node3: }}
            bookies: {hosts: {%s}}
            oracles: {hosts: {%s}}
            hbase: {hosts: {%s: }}
        """;
    Files.writeString(
        directory.resolve("inventory.yml"),
        String.format(
            inventory,
            all,
            directory,
            tarball.toAbsolutePath(),
            retso(),
            security,
            String.join(": , ", bookies) + ": ",
            String.join(": , ", oracles) + ": ",
            HBASE));
  }

  private static String address(String name) {
    return NETWORK + (10 + Integer.parseInt(name.substring(4)));
  }

  private record Played(int code, String output) {}

  private Played play(String book, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("ansible-playbook", "-i", directory + "/inventory.yml", book));
    command.addAll(List.of(words));
    Path output = directory.resolve("play.txt");
    ProcessBuilder builder = hosts.command(output, command).directory(Path.of("ansible").toFile());
    String ssh =
        "-o ControlMaster=auto -o ControlPersist=10s -o StrictHostKeyChecking=no"
            + " -o UserKnownHostsFile=/dev/null";
    builder
        .environment()
        .putAll(
            Map.of(
                "ANSIBLE_HOME", directory.resolve("home").toString(),
                "ANSIBLE_LOCAL_TEMP", directory.resolve("tmp").toString(),
                "ANSIBLE_SSH_CONTROL_PATH_DIR", directory.resolve("ssh").toString(),
                "ANSIBLE_SSH_ARGS", ssh,
                "ANSIBLE_NOCOLOR", "1"));
    int code = TestHosts.run(builder);
    return new Played(code, Files.readString(output));
  }

  private Played plays(String book, String... words) throws IOException, InterruptedException {
    Played played = play(book, words);
    assertEquals(0, played.code(), played::output);
    return played;
  }

  /** A client that commits until it is asked how that went. */
  private final class Client implements AutoCloseable {
    private final Path output = directory.resolve("client.txt");
    private final Process process;

    Client(List<String> oracles) throws IOException {
      String[] addresses =
          oracles.stream().map(name -> address(name) + ":7521").toArray(String[]::new);
      process = hosts.java(output, TestHosts.CommitsUntilTheEnd.class, addresses).start();
    }

    void hasCommitted() throws IOException, InterruptedException {
      process.getOutputStream().close();
      assertTrue(process.waitFor(3, TimeUnit.MINUTES), "it hangs");
      assertEquals(0, process.exitValue(), () -> TestHosts.text(output));
      List<String> lines = Files.readAllLines(output);
      String[] figures = lines.get(lines.size() - 1).split(" ");
      System.out.println("commits, longest in ms: " + String.join(" ", figures));
      assertTrue(Long.parseLong(figures[0]) > 0);
      assertTrue(Long.parseLong(figures[1]) < GAP_MILLIS_MAX, () -> TestHosts.text(output));
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Programs of a version that run on the hosts. */
  private static long running(String version) {
    return ProcessHandle.allProcesses()
        .filter(process -> isOf(process.pid(), "/opt/retso-" + version + "/lib/server/"))
        .count();
  }

  private static boolean isOf(long pid, String version) {
    try {
      String words = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
      return words.split("\0")[0].endsWith("java") && words.contains(version);
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  /** As if the next version were unpacked already; it is this one under another name. */
  private Path nextVersion() throws IOException, InterruptedException {
    for (String name : names()) {
      Path opt = host(name).resolve("opt");
      Path next = opt.resolve("retso-" + NEXT_VERSION);
      String old = host("node1").resolve("opt/retso-" + VERSION).toString();
      assertTrue(TestHosts.works("cp", "-al", old, next.toString()));
      String jar = "region-server/hbase-integration-%s.jar";
      Files.move(
          next.resolve(String.format(jar, VERSION)),
          next.resolve(String.format(jar, NEXT_VERSION)));
    }
    return Files.createFile(directory.resolve("retso-" + NEXT_VERSION + ".tar.gz"));
  }

  @Test
  void anInventoryBecomesAClusterAndIsWiped() throws Exception {
    assumeTrue(!Boolean.getBoolean(WHOLE), "it is a part of the whole life");
    isInstalled();
    // As if the last host had been taken out, and not yet out of the inventory.
    writeInventory(DistributionTest.packed(".tar.gz"), names(), names());
    isWiped();
  }

  /** Some seven minutes; see docs/testing.md. */
  @Test
  @EnabledIfSystemProperty(named = WHOLE, matches = "true")
  void itIsUpgradedGrowsShrinksAndComesBackFromAStop() throws Exception {
    isInstalled();
    Path next = nextVersion();
    List<String> oracles = List.of("node1", "node2", "node4");
    try (Client client = new Client(oracles)) {
      writeInventory(next, names(), oracles);
      plays("site.yml");
      client.hasCommitted();
    }
    assertEquals(0, running(VERSION));
    assertEquals(3 + 4 + 3, running(NEXT_VERSION));
    hbaseIsPrepared(NEXT_VERSION);
    List<String> others = hasLostALeaderAndABookie(next, oracles);
    comesBackWithoutADisk(next, others);
    isWiped();
  }

  private void isInstalled() throws Exception {
    List<String> three = names().subList(0, 3);
    List<String> two = names().subList(0, 2);
    writeInventory(DistributionTest.packed(".tar.gz"), three, two);
    plays("site.yml");
    isClosed(two);
    for (String name : two) {
      assertTrue(answers(name, "POST /handover", 403), name);
    }
    assertEquals(3 + 3 + 2, running(VERSION));
    hbaseIsPrepared(VERSION);
    oraclesShareASecret(two);

    Played again = plays("site.yml");
    for (String host : three) {
      assertTrue(
          again.output().matches("(?s).*" + host + " +: ok=\\d+ +changed=0 .*"), again::output);
    }
  }

  /** Oracles and the servers of HBase have certificates, and clients need one. */
  private void isClosed(List<String> oracles) throws Exception {
    String made = "secure issue " + keys() + " app-test";
    if (!Files.exists(keys().resolve("app-test"))) {
      assertTrue(TestHosts.works("sh", "-c", retso() + " " + made), made);
    }
    hosts.clientsHave(keys().resolve("app-test"));
    for (String name : oracles) {
      hosts.commit(address(name) + ":7521");
      hosts.refuseStrangers(address(name) + ":7521");
      Path settings = host(name).resolve("etc/retso");
      assertFalse(Files.readString(settings.resolve("retso.properties")).contains("insecure"));
      isPrivate(settings.resolve("tls.key"));
      statusSays(name, "tls required, auth required");
    }
    isPrivate(host(HBASE).resolve("opt/hbase/conf/retso/tls.key"));
  }

  /** As the operator asks. */
  private void statusSays(String oracle, String text) throws Exception {
    Path own = keys().resolve("operator");
    Path output = directory.resolve("status.txt");
    List<String> words = new ArrayList<>();
    words.addAll(List.of(retso().toString(), "status", "--http", address(oracle) + ":7522"));
    words.addAll(List.of("--tls-ca", own + "/ca.crt", "--certificate", own + "/tls.crt"));
    words.addAll(List.of("--key", own + "/tls.key"));
    assertEquals(0, TestHosts.run(hosts.command(output, words)), () -> TestHosts.text(output));
    assertTrue(TestHosts.text(output).contains(text), () -> TestHosts.text(output));
  }

  private static void isPrivate(Path file) throws IOException {
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
  }

  /** Returns the oracles that are left. */
  private List<String> hasLostALeaderAndABookie(Path tarball, List<String> oracles)
      throws Exception {
    String leader = leader(oracles);
    List<String> others = oracles.stream().filter(name -> !name.equals(leader)).toList();
    try (Client client = new Client(others)) {
      plays("remove-oracle.yml", "-e", "retso_leaving=" + leader);
      writeInventory(tarball, names(), others); // which would bring it back otherwise
      plays("remove-bookie.yml", "-e", "retso_leaving=node2");
      client.hasCommitted();
    }
    assertFalse(Files.exists(host("node2").resolve("var-lib/retso-bookie")));
    for (String secret : List.of("secret", "tls.key")) {
      assertFalse(Files.exists(host(leader).resolve("etc/retso").resolve(secret)));
    }
    oraclesShareASecret(others);
    assertEquals(3 + 3 + 2, running(NEXT_VERSION));
    return others;
  }

  /** That of the machine where the playbooks run; the server's account alone can read it. */
  private void oraclesShareASecret(List<String> oracles) throws IOException {
    String made = Files.readString(directory.resolve("retso-secret")).strip();
    assertEquals(33, Base64.getDecoder().decode(made).length);
    for (String name : oracles) {
      Path secret = host(name).resolve("etc/retso/secret");
      assertEquals(made, Files.readString(secret).strip());
      isPrivate(secret);
    }
  }

  /** Stopped, and started with a server of ZooKeeper that lost its disk. */
  private void comesBackWithoutADisk(Path tarball, List<String> oracles) throws Exception {
    plays("stop.yml");
    assertEquals(0, running(NEXT_VERSION));
    Path lost = host("node3").resolve("var-lib/retso-zookeeper");
    assertTrue(TestHosts.works("rm", "-r", lost.toString()));
    writeInventory(tarball, List.of("node1", "node3", "node4"), oracles);
    plays("site.yml");
    hosts.commit(address(oracles.get(0)) + ":7521", address(oracles.get(1)) + ":7521");
  }

  private void isWiped() throws Exception {
    assertNotEquals(0, play("wipe.yml", "-e", "retso_wipe=everything").code());
    assertTrue(Files.exists(host("node1").resolve("var-lib/retso-zookeeper")));
    plays("wipe.yml", "-e", "retso_wipe=everything", "-e", "retso_wipe_again=everything");
    for (String name : names()) {
      assertFalse(Files.exists(host(name).resolve("var-lib/retso-bookie")));
      assertFalse(Files.exists(host(name).resolve("var-lib/retso-zookeeper")));
    }
  }

  /** The one that says so. */
  private String leader(List<String> oracles) throws IOException, InterruptedException {
    for (String name : oracles) {
      if (answers(name, "GET /leader", 200)) {
        return name;
      }
    }
    throw new IllegalStateException("none of them leads");
  }

  /** Whether an oracle answers so to somebody on none of the hosts. */
  private boolean answers(String name, String request, int status)
      throws IOException, InterruptedException {
    String asks =
        "exec 3<>/dev/tcp/$0/7522; printf '%s HTTP/1.0\\r\\n\\r\\n' \"$1\" >&3;"
            + " head -n 1 <&3 | grep -q \" $2 \"";
    List<String> words = List.of("bash", "-c", asks, address(name), request, "" + status);
    return TestHosts.run(hosts.command(directory.resolve("answer.txt"), words)) == 0;
  }

  private void hbaseIsPrepared(String version) throws Exception {
    try (Stream<Path> jars = Files.list(host(HBASE).resolve("opt/hbase/lib"))) {
      assertEquals(
          List.of("hbase-integration-" + version + ".jar"),
          jars.map(jar -> jar.getFileName().toString()).toList());
    }
    Path site = host(HBASE).resolve("opt/hbase/conf/hbase-site.xml");
    assertEquals(
        1 + 5, // retso.oracle, retso.security, and its files
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(site.toFile())
            .getElementsByTagName("property")
            .getLength());
  }

  @AfterEach
  void end() throws Exception {
    if (hosts != null) {
      hosts.close();
    }
  }
}
