package io.retso.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.ChildJvm;
import io.retso.cli.Retso;
import io.retso.hbase.ManagerBuilder;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What keeps a sandbox from starting; one that serves is in the test of docs/quickstart.md. */
@Timeout(180)
class SandboxCommandTest {
  private static final int SIGTERM = 128 + 15;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return CommandLines.of(new SandboxCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private void assertRefused(int code, String reason, String... arguments) {
    assertEquals(code, run(arguments), err::toString);
    assertTrue(err.toString().contains(reason), err::toString);
    assertEquals("", out.toString(), "nothing was started");
  }

  @Test
  void wrongFlagsAreRefused() {
    int usage = ExitCode.USAGE.number();
    assertRefused(usage, "--table=accounts has no families: write it like", "--table=accounts");
    assertRefused(usage, "--oracle-port=0 is not within 1 and 65535", "--oracle-port=0");
    assertRefused(usage, "--zookeeper-port=65536 is not within", "--zookeeper-port=65536");
  }

  @Test
  void aPortThatIsTakenIsNamedAtOnce() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertRefused(
          1,
          "port " + port + " for HBase's ZooKeeper cannot be had (Address already in use): end",
          "--zookeeper-port=" + port);
      assertRefused(
          1,
          "port " + port + " for the oracle cannot be had (Address already in use): end",
          "--oracle-port=" + port);
      SandboxFiles files = new SandboxFiles(directory);
      files.open();
      files.write(client("0", port));
      assertRefused(1, "port " + port + " for the oracle cannot be had", "--data=" + directory);
    }
  }

  @Test
  void tablesKeepTheirOracle() throws IOException {
    SandboxFiles files = new SandboxFiles(directory);
    files.open();
    files.write(client("1", 2));
    assertEquals(1, files.zooKeeperPort().getAsInt());
    assertRefused(
        ExitCode.USAGE.number(),
        "know their oracle at port 2: leave the flag out, or name another directory",
        "--data=" + directory,
        "--oracle-port=3");
  }

  private static Configuration client(String zooKeeperPort, int oraclePort) {
    Configuration client = new Configuration(false);
    client.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    client.set(HConstants.ZOOKEEPER_CLIENT_PORT, zooKeeperPort);
    client.set(ManagerBuilder.ORACLE_KEY, "127.0.0.1:" + oraclePort);
    return client;
  }

  @Test
  void aDirectoryOfOthersIsLeftAlone() throws IOException {
    Path theirs = Files.createFile(directory.resolve("file"));
    assertRefused(
        1,
        directory + ": not empty, and not of a sandbox: name another directory",
        "--data=" + directory);
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(theirs), files.toList());
    }
  }

  /** SIGTERM while the oracle starts. */
  @Test
  void oneThatIsEndedAsItStartsLeavesNothing() throws Exception {
    Process sandbox =
        ChildJvm.builder(
                List.of(
                    "-Djava.io.tmpdir=" + directory,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Retso.class.getName(),
                    "sandbox"))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = sandbox.inputReader()) {
      assertTrue(lines.readLine().startsWith("Starting the oracle"));
      sandbox.toHandle().destroy(); // SIGTERM; the process itself would close the stream, too
      assertEquals(List.of("Ended; data deleted."), lines.lines().toList());
      assertEquals(SIGTERM, sandbox.waitFor());
    } finally {
      sandbox.destroyForcibly();
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertFalse(
          files.anyMatch(each -> each.getFileName().toString().startsWith("retso-sandbox")));
    }
  }
}
