package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.ChildJvm;
import io.retso.cluster.ClusterException;
import io.retso.cluster.InProcessCluster;
import io.retso.verify.VerifyCommand;
import io.retso.verify.VerifyMain;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs against somebody else's cluster: they leave it as it was, however they end. */
@ExtendWith(InProcessCluster.Extension.class)
@Timeout(300)
class GivenClusterTest {
  private static final int SIGTERM = 128 + 15;

  @TempDir Path directory;

  private RunSettings settings(String cluster, String oracle) {
    return new RunSettings(
        3,
        5,
        5,
        5,
        0,
        2,
        20,
        RunIsolation.SNAPSHOT,
        Set.of("manager-kill", "flush", "sweep"),
        Optional.of(new ClusterAccess(cluster, oracle)),
        directory,
        false,
        false);
  }

  private static Connection connect(InProcessCluster cluster) throws IOException {
    return ConnectionFactory.createConnection(
        HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key()));
  }

  private static void assertNoTables(InProcessCluster cluster, String prefix) throws IOException {
    try (Connection connection = connect(cluster);
        Admin admin = connection.getAdmin()) {
      TableName[] left = admin.listTableNames(Pattern.compile(prefix + "-.*"));
      assertArrayEquals(new TableName[0], left);
    }
  }

  @Test
  void aGoodRunLeavesNothing(InProcessCluster cluster) throws Exception {
    StringWriter text = new StringWriter();
    VerifyRun.Result result =
        VerifyRun.run(settings(cluster.key(), cluster.oracle()), new PrintWriter(text));
    assertTrue(result.isGood(), () -> text + " " + result);
    assertArrayEquals(new String[0], directory.toFile().list());
    assertNoTables(cluster, "retso-verify");
  }

  /** Transactions refuse unfit tables at once; batches for disabled ones are tried for a minute. */
  private static void setDurability(Admin admin, Durability durability) throws IOException {
    for (TableDescriptor table : admin.listTableDescriptors(Pattern.compile("retso-verify-.*"))) {
      if (table.getDurability() != durability) {
        admin.modifyTable(
            TableDescriptorBuilder.newBuilder(table).setDurability(durability).build());
      }
    }
  }

  /** The tables are unfit for transactions when clients begin, and fit when they have ended. */
  @Test
  void aRunInWhichNothingCommitsTestsNothing(InProcessCluster cluster) throws Exception {
    StringWriter err = new StringWriter();
    StringWriter text = new StringWriter();
    try (Connection connection = connect(cluster);
        Admin admin = connection.getAdmin()) {
      PrintWriter out =
          new PrintWriter(text) {
            @Override
            public void println(String line) {
              super.println(line);
              try {
                if (line.startsWith("Round")) {
                  setDurability(admin, Durability.ASYNC_WAL);
                } else if (line.startsWith("  reading")) {
                  setDurability(admin, Durability.USE_DEFAULT);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          };
      CommandLine command =
          new CommandLine(new VerifyCommand()).setOut(out).setErr(new PrintWriter(err));
      int exitCode =
          command.execute(
              "--cluster=" + cluster.key(),
              "--oracle=" + cluster.oracle(),
              "--clients=0",
              "--minutes=0.05",
              "--faults=none",
              "--out=" + directory);
      assertEquals(2, exitCode, () -> text + "\n" + err);
    }
    assertTrue(err.toString().contains("nothing was tested: 0 transactions"), err::toString);
    assertFalse(text.toString().contains("CONSISTENT"), text::toString);
  }

  @Test
  void anotherOracleIsRefusedBeforeAnythingIsMade(InProcessCluster cluster) throws Exception {
    RunSettings settings = settings(cluster.key(), "127.0.0.1:1");
    ClusterException refused =
        assertThrows(
            ClusterException.class,
            () -> VerifyRun.run(settings, new PrintWriter(new StringWriter())));
    assertTrue(refused.getMessage().contains("the oracle at 127.0.0.1:1 cannot be used"));
    assertNoTables(cluster, "retso-verify");
  }

  @Test
  void aClusterThatIsNotThereIsRefusedWithARemedy(InProcessCluster cluster) {
    RunSettings settings = settings(cluster.key() + "-of-others", cluster.oracle());
    ClusterException refused =
        assertThrows(
            ClusterException.class,
            () -> VerifyRun.run(settings, new PrintWriter(new StringWriter())));
    assertTrue(
        refused.getMessage().contains("/hbase-of-others")
            && refused.getMessage().contains("check --cluster and zookeeper.znode.parent"),
        refused::getMessage);
    RunSettings nowhere = settings("127.0.0.1:1:/hbase", cluster.oracle());
    refused =
        assertThrows(
            ClusterException.class,
            () -> VerifyRun.run(nowhere, new PrintWriter(new StringWriter())));
    assertTrue(
        refused.getMessage().startsWith("ZooKeeper at 127.0.0.1:1 does not lead to an HBase: ")
            && refused.getMessage().endsWith("; check --cluster, and whether HBase runs"),
        refused::getMessage);
  }

  /** The third table cannot be made; the two before it go, too. */
  @Test
  void tablesOfARunThatDoesNotBeginAreDropped(InProcessCluster cluster) throws Exception {
    try (Connection connection = connect(cluster);
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf("half-2-client-row"))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build());
    }
    assertThrows(
        IOException.class,
        () ->
            RunTables.open(
                new ClusterAccess(cluster.key(), cluster.oracle()), "half", RunTables.ALL_MODES));
    assertNoTables(cluster, "half");
  }

  /** What is in {@code lib} of the tarball, in the order in which its launcher names it. */
  private static String installed() throws IOException {
    Path root = Path.of("..", "..");
    List<String> places = new ArrayList<>();
    for (String module : List.of("bench/verify", "bench/cluster", "retso-server")) {
      places.add(root.resolve(module).resolve("target/classes").toString());
    }
    places.add(root.resolve("retso-server/target/lib") + "/*");
    places.add(root.resolve("hbase-integration/admin/target/classes").toString());
    places.add(root.resolve("hbase-integration/admin/target/lib") + "/*");
    return String.join(File.pathSeparator, places);
  }

  private ProcessBuilder run(InProcessCluster cluster, String... flags) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "-cp",
                installed(),
                VerifyMain.class.getName(),
                "verify",
                "--cluster=" + cluster.key(),
                "--oracle=" + cluster.oracle(),
                "--clients=1"));
    command.addAll(List.of(flags));
    return ChildJvm.builder(command).redirectErrorStream(true);
  }

  @Test
  void whatOperatorsInstallJudgesTheirCluster(InProcessCluster cluster) throws Exception {
    Process run =
        run(cluster, "--minutes=0.08", "--round=5", "--threads=2", "--faults=flush").start();
    String said;
    try (BufferedReader lines = run.inputReader()) {
      said = lines.lines().collect(Collectors.joining("\n"));
      assertEquals(0, run.waitFor(), said);
    } finally {
      run.destroyForcibly();
    }
    assertTrue(said.contains("CONSISTENT with strong snapshot isolation"), said);
    assertNoTables(cluster, "retso-verify");
  }

  @Test
  void tablesOfARunThatIsEndedFromOutsideAreDropped(InProcessCluster cluster) throws Exception {
    Process run = run(cluster, "--out=" + directory).start();
    StringBuilder said = new StringBuilder();
    try (BufferedReader lines = run.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.append(line).append('\n');
        if (line.matches(" +\\d+ s .*commits/s.*")) {
          run.toHandle().destroy(); // SIGTERM; the process itself would close the stream, too
        }
      }
      assertEquals(SIGTERM, run.waitFor(), said::toString);
    } finally {
      run.destroyForcibly();
    }
    assertTrue(said.toString().contains("Ended from outside: dropping the tables"), said::toString);
    assertNoTables(cluster, "retso-verify");
  }
}
