package io.retso.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.run.InProcessCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import picocli.CommandLine;

/** {@code retso hbase}, from the flags to the tables of a cluster, the output and the exit code. */
@ExtendWith(InProcessCluster.Extension.class)
class HBaseCommandTest {
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
    TableName name = TableName.valueOf(table);
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      if (admin.tableExists(name)) {
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

  private void succeeds(String printed, String... arguments) {
    assertEquals(0, hbase(arguments), () -> out + "\n" + err);
    assertTrue(out.toString().contains(printed), () -> out + "\n" + err);
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
            + ": conflicts by ROW, reads at the SERVER.",
        "check",
        table);
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
      succeeds("conflicts by CELL, reads at the SERVER", "prepare", table, "--conflicts", "cell");
      succeeds("conflicts by CELL, reads at the CLIENT", "prepare", table, "--reads", "client");
      admin.enableTable(name);
      succeeds("the oracle at " + cluster.oracle(), "prepare", table);
      succeeds("conflicts by CELL, reads at the CLIENT", "check", table);
      fails(1, "disable it", "prepare", table, "--conflicts", "ROW");
      succeeds("conflicts by CELL, reads at the CLIENT", "check", table);
    }
  }

  @Test
  void checkTellsWhatKeepsTransactionsAway() throws IOException {
    fails(1, "does not exist", "check", table);
    TableName name = TableName.valueOf(table);
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      create();
      fails(1, "is prepared for the oracle", "check", table, "--oracle", "127.0.0.1:1");
      assertTrue(
          out.toString().contains("the oracle at 127.0.0.1:1 cannot be used"), out::toString);
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
  void whatCannotBeDoneIsSaidWithItsRemedy() throws IOException {
    String[] create = {"prepare", table, "--create", "--families", "f", "--oracle"};
    fails(1, "check the address", with(create, "127.0.0.1:1"));
    fails(
        1,
        "leave hbase.table.sanity.checks on",
        with(create, cluster.oracle(), "--jar", "file:///nowhere/bundle.jar"));
    try (Connection connection = connect();
        Admin admin = connection.getAdmin()) {
      assertFalse(admin.tableExists(TableName.valueOf(table)));
    }
    fails(1, "check the address", "sweep", "--oracle", "127.0.0.1:1");
    fails(1, "check --zookeeper", "check", table, "--zookeeper", "127.0.0.1:1");
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
    fails(64, "Illegal", "check", "no table");
  }
}
