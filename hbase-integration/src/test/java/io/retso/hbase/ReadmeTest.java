package io.retso.hbase;

import static io.retso.hbase.Fixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The README's example, and the example application, compile and do what they say. */
@ExtendWith(RetsoCluster.Extension.class)
class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  /** Our own classes, and libraries that the shaded client wants beside itself. */
  private static final Pattern BESIDE_SHADED_CLIENT =
      Pattern.compile(
          "(retso-client|hbase-integration)[/\\\\](target|[^/\\\\]*\\.jar)|[/\\\\]io[/\\\\]netty[/\\\\]"
              + "|jctools|slf4j|logback|opentelemetry|commons-logging");

  @TempDir Path directory;

  @Test
  void theExampleMovesMoney(RetsoCluster cluster) throws Exception {
    Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", "README.md")));
    assertTrue(matcher.find(), "the README has a Java example");
    compile(
        Files.writeString(directory.resolve("Transfer.java"), matcher.group(1)),
        System.getProperty("java.class.path"));
    create(cluster, "checking", "savings");
    try (URLClassLoader loader = loader();
        TransactionManager manager = TransactionManager.builder(cluster.configuration()).build();
        Transaction tx = manager.beginReadOnly()) {
      Method transfer =
          loader.loadClass("Transfer").getDeclaredMethod("transfer", TransactionManager.class);
      transfer.setAccessible(true);
      transfer.invoke(null, manager);
      assertEquals(-100, balance(tx.table("checking"), "alice"));
      assertEquals(100, balance(tx.table("savings"), "bob"));
    }
  }

  @Test
  void theApplicationRuns(RetsoCluster cluster) throws Exception {
    create(cluster, "accounts");
    moves(cluster, System.getProperty("java.class.path"));
  }

  /** With nothing of HBase but that, and of other libraries only what it does not bring along. */
  @Test
  void theApplicationRunsWithTheShadedClient(RetsoCluster cluster) throws Exception {
    Path client = Path.of("target", "shaded", "hbase-shaded-client.jar");
    assertTrue(Files.exists(client), "the build copies " + client);
    create(cluster, "accounts");
    moves(
        cluster,
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> BESIDE_SHADED_CLIENT.matcher(entry).find())
            .collect(Collectors.joining(File.pathSeparator, client + File.pathSeparator, "")));
  }

  /** The example application in a process of its own. */
  private void moves(RetsoCluster cluster, String classPath) throws Exception {
    compile(Path.of("examples", "bank", "src", "main", "java", "example", "Bank.java"), classPath);
    Configuration hbase = cluster.configuration();
    String zooKeeper =
        hbase.get("hbase.zookeeper.quorum")
            + ":"
            + hbase.get("hbase.zookeeper.property.clientPort");
    Path output = directory.resolve("output");
    Process bank =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                directory + File.pathSeparator + classPath,
                "example.Bank",
                zooKeeper,
                cluster.oracleAddress())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(bank.waitFor(2, TimeUnit.MINUTES), () -> "it hangs: " + read(output));
      assertEquals(0, bank.exitValue(), () -> read(output));
    } finally {
      bank.destroyForcibly();
    }
    assertTrue(read(output).contains("the snapshot before: alice 100, bob 0"), read(output));
    assertTrue(read(output).contains("now: alice 70, bob 30"), read(output));
    try (TransactionManager manager = TransactionManager.builder(hbase).build();
        Transaction tx = manager.beginReadOnly()) {
      assertEquals(50, balance(tx.table("accounts"), "alice"));
      assertEquals(50, balance(tx.table("accounts"), "bob"));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compile(Path source, String classPath) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-Xlint:all,-path,-classfile",
                "-Werror",
                "-d",
                directory.toString(),
                "-cp",
                classPath,
                source.toString());
    assertEquals(0, status, errors::toString);
  }

  private URLClassLoader loader() throws Exception {
    return new URLClassLoader(new URL[] {directory.toUri().toURL()});
  }

  private static void create(RetsoCluster cluster, String... names) throws Exception {
    TablePreparation preparation =
        new TablePreparation(cluster.connection(), cluster.oracleAddress());
    try (Admin admin = cluster.connection().getAdmin()) {
      for (String name : names) {
        if (admin.tableExists(TableName.valueOf(name))) {
          admin.disableTable(TableName.valueOf(name));
          admin.deleteTable(TableName.valueOf(name));
        }
      }
    }
    for (String name : names) {
      preparation.create(
          TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build(),
          TablePreparation.Options.DEFAULT);
    }
  }

  private static long balance(TransactionalTable table, String account) throws Exception {
    return Bytes.toLong(table.get(new Get(bytes(account))).getValue(bytes("f"), bytes("balance")));
  }
}
