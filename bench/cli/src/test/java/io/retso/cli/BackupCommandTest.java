package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.InProcessCluster;
import io.retso.hbase.TransactionManager;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso hbase backup}, {@code backups}, {@code restore} and {@code changes}. */
@ExtendWith(InProcessCluster.Extension.class)
class BackupCommandTest {
  private static final byte[] F = bytes("f");
  private static final byte[] NO_TEXT = {(byte) 0xff, 0};

  @TempDir Path directory;

  private final String table = "backup-" + UUID.randomUUID();
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
    try (Connection connection = ConnectionFactory.createConnection(configuration());
        Admin admin = connection.getAdmin()) {
      for (TableName name : admin.listTableNames(Pattern.compile(".*" + table))) {
        admin.disableTable(name);
        admin.deleteTable(name);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Configuration configuration() throws IOException {
    return HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key());
  }

  private int hbase(Writer to, String... arguments) {
    err = new StringWriter();
    CommandLine commandLine = Retso.commandLine();
    commandLine.setOut(new PrintWriter(to)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of("hbase"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("--zookeeper", cluster.zooKeeper(), "--oracle", cluster.oracle()));
    return commandLine.execute(all.toArray(String[]::new));
  }

  private String succeeds(String... arguments) {
    out = new StringWriter();
    assertEquals(0, hbase(out, arguments), () -> out + "\n" + err);
    return out.toString();
  }

  private void fails(int exitCode, String reason, String... arguments) {
    out = new StringWriter();
    assertEquals(exitCode, hbase(out, arguments), () -> out + "\n" + err);
    assertTrue((out.toString() + err).contains(reason), () -> out + "\n" + err);
    assertFalse(err.toString().contains("\tat "), () -> "a stack trace: " + err);
  }

  private interface Work {
    void in(TransactionManager manager) throws IOException;
  }

  private void with(Work work) throws IOException {
    try (TransactionManager manager =
        TransactionManager.builder(configuration()).oracle(cluster.oracle()).build()) {
      work.in(manager);
    }
  }

  private void put(String row, byte[] value) throws IOException {
    with(
        manager ->
            manager.run(
                tx -> {
                  tx.table(TableName.valueOf(table))
                      .put(new Put(bytes(row)).addColumn(F, F, value));
                  return null;
                }));
  }

  private void delete(String row) throws IOException {
    with(
        manager ->
            manager.run(
                tx -> {
                  tx.table(TableName.valueOf(table)).delete(new Delete(bytes(row)));
                  return null;
                }));
  }

  private byte[] read(String name, String row) throws IOException {
    byte[][] found = new byte[1][];
    with(
        manager ->
            found[0] =
                manager.read(
                    tx ->
                        tx.table(TableName.valueOf(name)).get(new Get(bytes(row))).getValue(F, F)));
    return found[0];
  }

  private String path(String name) {
    return directory.resolve(name).toUri().toString();
  }

  @Test
  void tablesAreBackedUpAndRestored() throws Exception {
    succeeds("prepare", table, "--create", "--families", "f");
    put("a", bytes("1"));
    put("b", bytes("1"));
    String said = succeeds("backup", path("full"), table, "--keep", "5m");
    assertTrue(said.contains("of 1 tables at retso1:") && said.contains(": 2 cells, "), said);
    assertTrue(err.toString().contains("1 of 1 regions, 2 cells"), err::toString);
    delete("a");
    put("b", bytes("2"));
    said = succeeds("backup", path("more"), table, "--since", path("full"), "--rate", "9");
    assertTrue(said.contains(": 2 cells, ") && said.contains(", since full."), said);
    List<String> listed = succeeds("backups", path("")).lines().toList();
    assertTrue(listed.get(0).startsWith("full  20"), listed::toString);
    assertTrue(listed.get(0).contains(", full, complete, tables [" + table), listed::toString);
    assertTrue(listed.get(1).contains(", since full, complete, "), listed::toString);
    assertFalse(listed.toString().contains("held"), listed::toString);
    assertEquals(
        "", succeeds("holds").lines().filter(l -> l.contains("backup-")).findAny().orElse(""));
    String staging = path("staging");
    fails(1, "exists, and nothing is restored over it", "restore", path("more"));
    said = succeeds("restore", path("more"), "--as", "r-", "--staging", staging);
    assertTrue(said.contains("Table r-" + table + " is restored."), said);
    assertEquals(null, read("r-" + table, "a"));
    assertEquals("2", new String(read("r-" + table, "b"), StandardCharsets.UTF_8));
    fails(1, "no backup", "restore", path("none"));
    fails(1, "there is no directory", "backups", path("none"));
    fails(1, "take another directory", "backup", path("full"), table);
    fails(1, "is not held any longer", "backup", path("x"), table, "--since", path("full"));
    fails(64, "threads", "backup", path("x"), table, "--threads", "0");
    fails(64, "0 bytes a second", "backup", path("x"), table, "--rate", "0");
    fails(64, "--keep=long is no time", "backup", path("x"), table, "--keep", "long");
    fails(64, "twice", "backup", path("x"), table, table);
    fails(64, "--threads=300", "restore", path("full"), "--threads", "300");
  }

  @Test
  void changesAreLinesOfJson() throws Exception {
    succeeds("prepare", table, "--create", "--families", "f");
    put("gone", bytes("1"));
    put("same", bytes("1"));
    String from = succeeds("hold", table + "-1").trim();
    delete("gone");
    put("new", NO_TEXT);
    String to = succeeds("hold", table + "-2").trim();
    put("later", bytes("1"));
    List<String> lines =
        succeeds("changes", "--from", from, "--to", to, table)
            .lines()
            .map(line -> line.replaceFirst("\"timestamp\":[0-9]+", "\"timestamp\":T"))
            .toList();
    String begin = "{\"table\":\"" + table + "\",\"row\":\"";
    String middle = "\",\"family\":\"f\",\"qualifier\":\"f\",\"timestamp\":T,";
    assertEquals(
        List.of(
            begin + "gone" + middle + "\"deleted\":true}",
            begin + "new" + middle + "\"value64\":\"/wA=\"}"),
        lines);
    assertEquals(
        0, hbase(new Broken(), "changes", "--from", from, "--to", to, table), err::toString);
    fails(1, "is not: name the older snapshot first", "changes", "--from", to, "--to", from, table);
    fails(64, "is no token", "changes", "--from", "x", "--to", to, table);
    succeeds("release", table + "-1");
    succeeds("release", table + "-2");
  }

  /** As a pipe whose reader has gone. */
  private static final class Broken extends Writer {
    @Override
    public void write(char[] text, int offset, int length) throws IOException {
      throw new IOException("Broken pipe");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
