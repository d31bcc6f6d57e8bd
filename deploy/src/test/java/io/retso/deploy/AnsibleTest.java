package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.client.OracleClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The playbooks, against hosts with sshd in namespaces of this machine ({@code hosts.py}), where a
 * program stands in for systemd. There are two hosts; with {@code -Dretso.ansible.hosts=3} three,
 * and an ensemble of ZooKeeper on them.
 */
@Timeout(3600)
class AnsibleTest {
  private static final int HOSTS = Integer.getInteger("retso.ansible.hosts", 2);
  private static final String NETWORK = "10.78.0.";
  private static final Path SOURCES = Path.of("src/test/hosts").toAbsolutePath();

  @TempDir static Path shared;

  @TempDir Path directory;

  private Process hosts;

  private static List<String> names() {
    return IntStream.rangeClosed(1, HOSTS).mapToObj(i -> "node" + i).toList();
  }

  private static boolean works(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The hosts, once they are connected. */
  @BeforeEach
  void start() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "hosts can be made by root only");
    assumeTrue(works("ansible-playbook", "--version"), "there is no Ansible here");
    assumeTrue(works("sh", "-c", "command -v sshd || test -x /usr/sbin/sshd"), "no sshd here");
    assumeTrue(works("unshare", "--net", "ip", "link"), "no network namespaces here");
    List<String> command = new ArrayList<>();
    command.addAll(List.of("python3", SOURCES.resolve("hosts.py").toString()));
    command.add(directory.toString());
    command.addAll(names());
    hosts =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(shared.resolve("hosts.txt").toFile())
            .start();
    while (!Files.exists(directory.resolve("control"))) {
      assertFalse(hosts.waitFor(50, TimeUnit.MILLISECONDS), () -> text(shared, "hosts.txt"));
    }
    writeInventory();
    Path hbase = Files.createDirectories(host(HOSTS).resolve("opt/hbase"));
    Files.createDirectory(hbase.resolve("lib"));
    Files.writeString(
        Files.createDirectory(hbase.resolve("conf")).resolve("hbase-site.xml"),
        "<?xml version=\"1.0\"?>\n<configuration>\n</configuration>\n");
  }

  private Path host(int number) {
    return directory.resolve("node" + number);
  }

  private static String text(Path folder, String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void writeInventory() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= HOSTS; i++) {
      all.append("        node" + i + ": {ansible_host: " + NETWORK + (10 + i) + "}\n");
    }
    String servers =
        IntStream.rangeClosed(1, HOSTS >= 3 ? 3 : 1)
            .mapToObj(i -> "        node" + i + ":\n")
            .reduce("", String::concat);
    String inventory =
        """
        all:
          vars:
            ansible_user: root
            ansible_ssh_private_key_file: %1$s/key
            ansible_python_interpreter: /usr/bin/python3
            ansible_remote_tmp: /run/ansible
            retso_tarball: %2$s
            retso_zookeeper_jvm_options: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
            retso_bookie_jvm_options: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
            retso_jvm_options: -XX:TieredStopAtLevel=1
            retso_settings: {rows: 100k, window.timestamps: 2^12, uncleaned.max: 1k}
          children:
            bookies:
              hosts:
        %3$s    zookeepers:
              hosts:
        %4$s    oracles:
              hosts:
                node1:
            hbase:
              hosts:
                node%5$d:
        """;
    Path tarball = DistributionTest.packed(".tar.gz").toAbsolutePath();
    Files.writeString(
        directory.resolve("inventory.yml"),
        String.format(inventory, directory, tarball, all, servers, HOSTS));
  }

  /** Runs a command from where the hosts can be reached. */
  private int run(Path output, List<String> words) throws IOException, InterruptedException {
    String control = Files.readString(directory.resolve("control"));
    List<String> command =
        new ArrayList<>(List.of("nsenter", "--target=" + control, "--net", "--"));
    command.addAll(words);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(Path.of("ansible").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("ANSIBLE_HOME", directory.resolve("home").toString());
    builder.environment().put("ANSIBLE_LOCAL_TEMP", directory.resolve("tmp").toString());
    builder.environment().put("ANSIBLE_SSH_CONTROL_PATH_DIR", directory.resolve("ssh").toString());
    builder
        .environment()
        .put(
            "ANSIBLE_SSH_ARGS",
            "-o ControlMaster=auto -o ControlPersist=10s -o StrictHostKeyChecking=no"
                + " -o UserKnownHostsFile=/dev/null");
    builder.environment().put("ANSIBLE_NOCOLOR", "1");
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(15, TimeUnit.MINUTES), "it hangs");
      return process.exitValue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private record Played(int code, String output) {}

  private Played play(String book, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("ansible-playbook", "-i", directory + "/inventory.yml", book));
    command.addAll(List.of(words));
    Path output = directory.resolve("play.txt");
    int code = run(output, command);
    return new Played(code, Files.readString(output));
  }

  /** Commits one transaction at an address; any failure is an exit code. */
  public static final class OneCommit {
    private OneCommit() {}

    /** The oracle's address. */
    public static void main(String[] arguments) throws Exception {
      try (OracleClient oracle = OracleClient.builder().address(arguments[0]).build()) {
        long start = oracle.begin();
        if (!oracle.commit(start, 1).isCommitted()) {
          throw new IllegalStateException("aborted");
        }
      }
    }
  }

  private void commits() throws IOException, InterruptedException {
    Path output = directory.resolve("commit.txt");
    int code =
        run(
            output,
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OneCommit.class.getName(),
                NETWORK + "11:7521"));
    assertEquals(0, code, () -> text(directory, "commit.txt"));
  }

  @Test
  void anInventoryBecomesAClusterAndIsWipedWhenThatIsSaidTwice() throws Exception {
    Played first = play("site.yml");
    assertEquals(0, first.code(), first::output);
    commits();
    for (int i = 1; i <= HOSTS; i++) {
      assertTrue(Files.exists(host(i).resolve("var-lib/retso-bookie/ledgers/current/VERSION")));
      assertTrue(
          Files.isSymbolicLink(
              host(i).resolve("etc/systemd/system/multi-user.target.wants/retso-bookie.service")));
    }
    try (Stream<Path> jars = Files.list(host(HOSTS).resolve("opt/hbase/lib"))) {
      assertEquals(1, jars.count());
    }
    Path site = host(HOSTS).resolve("opt/hbase/conf/hbase-site.xml");
    assertEquals(
        1,
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(site.toFile())
            .getElementsByTagName("property")
            .getLength());

    Played again = play("site.yml");
    assertEquals(0, again.code(), again::output);
    for (String host : names()) {
      assertTrue(
          again.output().matches("(?s).*" + host + " +: ok=\\d+ +changed=0 .*"), again::output);
    }

    assertNotEquals(0, play("wipe.yml", "-e", "retso_wipe=everything").code());
    commits();
    Played wiped =
        play("wipe.yml", "-e", "retso_wipe=everything", "-e", "retso_wipe_again=everything");
    assertEquals(0, wiped.code(), wiped::output);
    for (int i = 1; i <= HOSTS; i++) {
      assertFalse(Files.exists(host(i).resolve("var-lib/retso-bookie")));
      assertFalse(Files.exists(host(i).resolve("var-lib/retso-zookeeper")));
    }
  }

  /** With them go the namespaces, and all processes that are in them. */
  @AfterEach
  void end() throws Exception {
    if (hosts == null) {
      return;
    }
    hosts.getOutputStream().close();
    assertTrue(hosts.waitFor(1, TimeUnit.MINUTES));
    assertEquals(0, hosts.exitValue(), () -> text(shared, "hosts.txt"));
  }
}
