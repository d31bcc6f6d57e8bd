package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.ChildJvm;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.Tombstone;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso hbase}, from the flags to the tables of a cluster, the output and the exit code. */
@ExtendWith(InProcessCluster.Extension.class)
class HBaseCommandTest {
  @TempDir Path directory;

  private final String table = "command-" + UUID.randomUUID();
  private StringWriter out;
  private StringWriter err;
  private InProcessCluster cluster;

  @BeforeEach
  void open(InProcessCluster given) {
    cluster = given;
  }

  /** A sweep looks at all tables. */
  @AfterEach
  void drop() throws IOException {
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      for (TableName name : admin.listTableNames(Pattern.compile(table + ".*"))) {
        admin.disableTable(name);
        admin.deleteTable(name);
      }
    }
  }

  private int hbase(String... arguments) {
    out = new StringWriter();
    err = new StringWriter();
    CommandLine commandLine = Retso.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of("hbase"));
    all.addAll(Arrays.asList(arguments));
    if (!all.contains("--zookeeper")) {
      all.addAll(List.of("--zookeeper", cluster.zooKeeper()));
    }
    return commandLine.execute(all.toArray(String[]::new));
  }

  @Test
  void aConfigurationThatCannotBeReadIsNamed() throws Exception {
    Path site = Files.writeString(directory.resolve("hbase-site.xml"), "<configuration><property>");
    String said = saidWithSite("check", table);
    String line =
        said.lines().filter(text -> text.startsWith("retso hbase")).findFirst().orElse(said);
    assertTrue(line.contains("HBase's configuration cannot be read: "), said);
    assertTrue(line.contains(site.toString()) && line.contains("HBASE_CONF_DIR"), said);
  }

  @Test
  void aZooKeeperThatIsNoListOfHostsIsNamed() {
    for (String wrong : List.of("http://a:2181", "a:2181;b:2181", "a b:2181")) {
      assertEquals(64, hbase("check", table, "--zookeeper", wrong), () -> out + "\n" + err);
      assertTrue(err.toString().contains("is no list of hosts: write host:2181"), err::toString);
    }
  }

  private void succeeds(String printed, String... arguments) {
    assertEquals(0, hbase(arguments), () -> out + "\n" + err);
    assertTrue(out.toString().contains(printed), () -> out + "\n" + err);
  }

  /** Soon, where one of the addresses leads nowhere. */
  private void failsAlone(String reason, String... arguments) {
    fails(1, reason, with(arguments, "-D", OracleSettings.TIMEOUT + "=300"));
  }

  private void fails(int exitCode, String reason, String... arguments) {
    assertEquals(exitCode, hbase(arguments), () -> out + "\n" + err);
    assertTrue((out.toString() + err).contains(reason), () -> out + "\n" + err);
    assertFalse(err.toString().contains("\tat "), () -> "a stack trace: " + err);
  }

  private Connection connect() throws IOException {
    return ConnectionFactory.createConnection(
        HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key()));
  }

  private void create() {
    String oracle = cluster.oracle();
    succeeds("is ready", "prepare", table, "--create", "--families", "f,g", "--oracle", oracle);
  }

  @Test
  void createdTablesAreReadyAndCanBeSwept() {
    create();
    succeeds(
        "Table "
            + table
            + " is ready for transactions of the oracle at "
            + cluster.oracle()
            + ", retso (",
        "check",
        table);
    assertTrue(
        out.toString()
            .contains("): conflicts by ROW, reads at the SERVER, regions adopt outcomes."),
        out::toString);
    succeeds("0 rows cleaned up", "sweep", "--oracle", cluster.oracle());
  }

  @Test
  void whatIsNotNamedStaysWhenATableIsPreparedAgain() throws IOException {
    create();
    TableName name = TableName.valueOf(table);
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      fails(1, "disable it", "prepare", table, "--conflicts", "cell");
      admin.disableTable(name);
      succeeds("enable it when a minute", "prepare", table, "--conflicts", "cell");
      succeeds("conflicts by CELL, reads at the CLIENT", "prepare", table, "--reads", "client");
      succeeds(
          "the CLIENT, granules of bytes [0, 12], each row ",
          "prepare",
          table,
          "--granules",
          "12,0");
      admin.enableTable(name);
      succeeds("the oracle at " + cluster.oracle(), "prepare", table);
      succeeds("conflicts by CELL, reads at the CLIENT", "check", table);
      fails(1, "disable it", "prepare", table, "--conflicts", "ROW");
      fails(1, "disable it", "prepare", table, "--granules", "");
      fails(64, "--granules: x is no number of bytes", "prepare", table, "--granules", "x");
      succeeds("granules of bytes [0, 12], each row ", "check", table);
      succeeds("conflicts by CELL, reads at the CLIENT", "check", table);
    }
  }

  @Test
  void aLogThatIsNotForcedIsWarnedOfUntilTheTableForcesIt() throws IOException {
    create();
    String warning = "Warning: HBase does not force its log to disk (hbase.wal.hsync is off";
    succeeds(warning, "check", table);
    succeeds("its DURABILITY is SYNC_WAL", "prepare", table, "--durability", "SYNC_WAL");
    fails(1, "DURABILITY to USE_DEFAULT", "prepare", table, "--durability", "ASYNC_WAL");
    succeeds("is ready", "prepare", table, "--durability", "FSYNC_WAL");
    assertFalse(out.toString().contains("Warning"), out::toString);
    succeeds("is ready", "prepare", table); // it stays as it is
    succeeds("is ready", "check", table);
    assertFalse(out.toString().contains("Warning"), out::toString);
    succeeds(warning, "prepare", table, "--durability", "USE_DEFAULT");
  }

  @Test
  void checkTellsWhatKeepsTransactionsAway() throws IOException {
    fails(1, "does not exist", "check", table);
    TableName name = TableName.valueOf(table);
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      create();
      failsAlone("127.0.0.1:1 cannot be used", "check", table, "--oracle", "127.0.0.1:1");
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue("RETSO_READS", "ELSEWHERE")
              .build());
      fails(1, "must be one of [SERVER, CLIENT]", "check", table);
      fails(1, "must be one of [SERVER, CLIENT]", "prepare", table);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue("RETSO_VERSION", "99")
              .build());
      fails(1, "use the version that prepared it", "prepare", table);
      assertEquals("99", admin.getDescriptor(name).getValue("RETSO_VERSION"));
    }
  }

  @Test
  void dataIsJudgedAndMended() throws IOException {
    create();
    succeeds(
        "Data of table " + table + ": 0 cells of 1 regions, at snapshot ",
        "check",
        table,
        "--data",
        "--transactions-only",
        "--mend");
    assertTrue(out.toString().contains(": nothing is wrong."), out::toString);
    assertTrue(out.toString().contains("0 rows were cleaned up."), out::toString);
    byte[] f = Bytes.toBytes("f");
    try (Connection connection = connect();
        Table data = connection.getTable(TableName.valueOf(table))) {
      data.put(new Put(f).addColumn(f, f, 16, f));
      data.put(new Put(f).addColumn(f, f, 5, Tombstone.value()));
    }
    fails(1, "strange-tombstone: row f, column f:f, version 5: ", "check", table, "--data");
    assertTrue(out.toString().contains("1 versions were written by programs"), out::toString);
    fails(
        1,
        "unmarked: row f, column f:f, version 16: ",
        "check",
        table,
        "--data",
        "--transactions-only",
        "--threads",
        "1");
    fails(64, "go with --data: add it", "check", table, "--mend");
    fails(64, "not within 1 and 64", "check", table, "--data", "--threads", "0");
  }

  @Test
  void whatCannotBeDoneIsSaidWithItsRemedy() throws IOException {
    String[] create = {"prepare", table, "--create", "--families", "f", "--oracle"};
    failsAlone("check the address", with(create, "127.0.0.1:1"));
    fails(
        1,
        "leave hbase.table.sanity.checks on",
        with(create, cluster.oracle(), "--jar", "file:///nowhere/some.jar"));
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      assertFalse(admin.tableExists(TableName.valueOf(table)));
    }
    failsAlone("check the address", "sweep", "--oracle", "127.0.0.1:1");
    fails(1, "check --zookeeper", "check", table, "--zookeeper", "127.0.0.1:1");
  }

  @Test
  void aSweepAsksTheOracleOfThePreparedTables() throws IOException {
    create();
    succeeds("1 tables, 0 marks: 0 rows cleaned up", "sweep");
    String another = cluster.oracle().replace("127.0.0.1", "localhost");
    String[] second = {"prepare", table + "-b", "--create", "--families", "f", "--oracle", another};
    succeeds("is ready", second);
    succeeds("2 tables, 0 marks", "sweep"); // it is one oracle, whatever its addresses
    TableName name = TableName.valueOf(table + "-b");
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue("RETSO_ORACLE_ID", new UUID(1, 2).toString())
              .build());
    }
    fails(1, "prepared tables name several oracles: ", "sweep");
    assertTrue(err.toString().contains(new UUID(1, 2) + ") of " + table + "-b"), err::toString);
    assertTrue(err.toString().contains("; choose one with --oracle"), err::toString);
    succeeds("1 tables, 0 marks", "sweep", "--oracle", cluster.oracle()); // the other's is left
  }

  @Test
  void snapshotsAreHeldListedAndReleased() throws IOException {
    create();
    succeeds("No snapshot is held.", "holds");
    succeeds("retso1:", "hold", table, "--ttl", "2m");
    String token = out.toString().strip();
    String timestamp = token.substring(token.lastIndexOf(':') + 1);
    fails(1, "release it, or take another name", "hold", table);
    succeeds(table + "  timestamp " + timestamp + ", since 20", "holds");
    assertTrue(out.toString().contains(", ends in 0:01:5"), out::toString);
    succeeds("is released", "release", table);
    fails(1, "retso hbase holds", "release", table);
    fails(1, "retso hbase holds", "release", token);
    succeeds("retso1:", "hold", table);
    succeeds("is released", "release", out.toString().strip());
    succeeds("No snapshot is held.", "holds");
    fails(1, "looks like retso1:", "release", "retso1:nonsense");
    fails(64, "write 30m, 6h or 2d", "hold", table, "--ttl", "long");
    fails(64, "1 s to 30 days", "hold", table, "--ttl", "31d");
    fails(64, "without blanks", "hold", "two words");
  }

  @Test
  void theConfigurationOfHBaseNamesTheOracle() throws IOException {
    create();
    Files.writeString(
        directory.resolve("hbase-site.xml"),
        "<configuration><property><name>retso.oracle</name><value>127.0.0.1:1</value></property>"
            + "<property><name>retso.oracle.timeout</name><value>300</value></property>"
            + "</configuration>");
    assertNoOracle("sweep");
    assertNoOracle("prepare", table + "-b", "--create", "--families", "f");
    succeeds("is ready", "check", table, "-D", "retso.oracle=" + cluster.oracle());
    failsAlone("127.0.0.1:1 cannot be used", "check", table, "-D", "retso.oracle=127.0.0.1:1");
    fails(64, "retso.oracle: ", "check", table, "-D", "retso.oracle=nonsense");
    String[] sweep = {"sweep", "-D", "retso.oracle=127.0.0.1:1", "--oracle", cluster.oracle()};
    succeeds("0 rows cleaned up", sweep);
  }

  private void assertNoOracle(String... arguments) throws IOException {
    String said = saidWithSite(arguments);
    assertTrue(said.contains("the oracle at 127.0.0.1:1 cannot be used"), said);
  }

  /** In a process of its own, whose class path begins with an hbase-site.xml. */
  private String saidWithSite(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "-cp",
                directory + File.pathSeparator + System.getProperty("java.class.path"),
                Retso.class.getName(),
                "hbase"));
    command.addAll(Arrays.asList(arguments));
    command.addAll(List.of("--zookeeper", cluster.zooKeeper()));
    Process process = ChildJvm.builder(command).redirectErrorStream(true).start();
    try (BufferedReader lines = process.inputReader()) {
      return String.join("\n", lines.lines().toList());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aTableThatExistsMustHaveTheFamiliesThatAreNamed() {
    create();
    succeeds("is ready", "prepare", table, "--create", "--families", "g");
    fails(
        1,
        "exists and has no family zzz: add it in HBase's shell, alter '" + table + "', 'zzz', or",
        "prepare",
        table,
        "--create",
        "--families",
        "f,zzz");
  }

  @Test
  void whereThingsAreMissingTheirNameIsTold() {
    String[] create = {"prepare", "nowhere:t", "--create", "--families", "f", "--oracle"};
    fails(
        1,
        "retso hbase: there is no namespace nowhere: make it in HBase's shell, create_namespace"
            + " 'nowhere'",
        with(create, cluster.oracle()));
    assertFalse(err.toString().contains("--zookeeper"), err::toString);
    fails(1, "prepare --create --families", "prepare", table, "--oracle", cluster.oracle());
    fails(
        1,
        "check --zookeeper and zookeeper.znode.parent",
        "check",
        table,
        "-D",
        "zookeeper.znode.parent=/nope");
  }

  private static String[] with(String[] some, String... others) {
    List<String> all = new ArrayList<>(Arrays.asList(some));
    all.addAll(Arrays.asList(others));
    return all.toArray(String[]::new);
  }

  @Test
  void wrongFlagsAreUsageErrors() {
    fails(64, "expected host:port", "prepare", table, "--oracle", "foo");
    fails(64, "has no address", "check", table, "--oracle", " ,");
    fails(64, "the port must be a number", "sweep", "--oracle", "localhost:port");
    fails(64, "no port behind its last colon", "check", table, "--zookeeper", "zk:");
    fails(64, "go together", "prepare", table, "--create");
    fails(64, "--families: ", "prepare", table, "--create", "--families", "a:b");
    fails(64, "--reads", "prepare", table, "--reads", "nowhere");
    fails(64, "--families: !pw is reserved", "prepare", table, "--create", "--families", "f,!pw");
    assertTrue(err.toString().contains("Try 'retso hbase prepare --help'."), err::toString);
    fails(64, "Illegal", "check", "no table");
    assertTrue(err.toString().contains("Try 'retso hbase check --help'."), err::toString);
    fails(64, "has no address", "sweep", "--oracle", ",");
    assertTrue(err.toString().contains("Try 'retso hbase sweep --help'."), err::toString);
  }

  @Test
  void helpShowsWhatAFlagTakes() {
    succeeds("--families=NAME[,NAME...]", "prepare", "--help");
    assertFalse(out.toString().contains("NAME...]["), out::toString);
  }

  /** This cluster checks no rights: RightsTest has one that does. */
  @Test
  void rightsAreGrantedToPreparedTables() {
    fails(1, "table " + table + " does not exist", "grant", "bob", table);
    fails(64, "Missing required parameter: 'TABLE'", "grant", "bob");
    create();
    fails(1, "has no family x of its own", "grant", "bob", table, "x");
    fails(1, "AccessController is not loaded", "grant", "bob", table);
  }
}
