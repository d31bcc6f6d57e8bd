package io.retso.application;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.ChildJvm;
import io.retso.application.ApplicationBuild.Dependencies;
import io.retso.client.sockets.Sockets;
import io.retso.cluster.HBaseNode;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;

/**
 * The example application works with what Maven gives it, whichever of HBase's clients it declares,
 * before or after ours, and on an older HBase: each in a process of its own, with HBase and an
 * oracle.
 */
@Timeout(600)
@ExtendWith(InProcessCluster.Extension.class)
class ApplicationsTest {
  private static final String CURRENT = System.getProperty("hbase.version");
  private static final String PREVIOUS = System.getProperty("hbase.previous.version");
  private static final Dependencies PREVIOUS_SERVERS =
      new Dependencies("hbase-server", PREVIOUS, false);
  private static final TableName ACCOUNTS = TableName.valueOf("accounts");

  @TempDir static Path directory;

  private static ApplicationBuild build;
  private static RetsoServer oracle;
  private static Connection connection;

  static Stream<Dependencies> applications() {
    return Stream.of(
        new Dependencies("hbase-client", CURRENT, true),
        new Dependencies("hbase-client", CURRENT, false),
        new Dependencies("hbase-shaded-client", CURRENT, true),
        new Dependencies("hbase-shaded-client", CURRENT, false),
        new Dependencies("hbase-client", PREVIOUS, true),
        new Dependencies("hbase-shaded-client", PREVIOUS, false));
  }

  /**
   * The oracle of other tests aborts what takes a few seconds, as a process on a busy machine may.
   */
  @BeforeAll
  static void prepare(InProcessCluster cluster) throws Exception {
    assumeTrue(
        Files.isRegularFile(ApplicationBuild.published()),
        "nothing is packed yet: run ./mvnw verify");
    build = new ApplicationBuild(directory);
    build.build(Stream.concat(applications(), Stream.of(PREVIOUS_SERVERS)).toList());
    oracle =
        RetsoServer.start(
            ServerConfig.builder()
                .set(Settings.LISTEN_PORT, 0)
                .set(Settings.HTTP_PORT, 0)
                .set(Settings.LOG, "memory")
                .set(Settings.ROWS, "100k")
                .set(Settings.WINDOW_TIMESTAMPS, "2^17")
                .build());
    connection =
        ConnectionFactory.createConnection(
            HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key()));
    createAccounts(connection);
  }

  private static void createAccounts(Connection hbase) throws IOException {
    TablePreparation.builder(hbase)
        .oracle(address())
        .build()
        .create(
            TableDescriptorBuilder.newBuilder(ACCOUNTS)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build(),
            TablePreparation.Options.DEFAULT);
  }

  private static String address() {
    return "127.0.0.1:" + oracle.port();
  }

  /** Sweeps of other tests look at all tables. */
  @AfterAll
  static void drop() throws IOException {
    if (connection != null) {
      try (Admin admin = connection.getAdmin()) {
        if (admin.tableExists(ACCOUNTS)) {
          admin.disableTable(ACCOUNTS);
          admin.deleteTable(ACCOUNTS);
        }
      }
      connection.close();
    }
    if (oracle != null) {
      oracle.close();
    }
  }

  @ParameterizedTest
  @MethodSource("applications")
  void itMovesMoney(Dependencies application, InProcessCluster cluster) throws Exception {
    String classPath = build.classPath(application);
    assertEquals(Set.of("hbase-integration"), ours(classPath), classPath);
    movesMoney(classPath, cluster.zooKeeper(), connection);
  }

  /** Master and region server of the older HBase, with the published jar on their class path. */
  @Test
  void itMovesMoneyOnServersOfThePreviousVersion(InProcessCluster cluster) throws Exception {
    Path place = Files.createDirectory(directory.resolve("previous"));
    String classPath =
        String.join(
            File.pathSeparator,
            build.classPath(PREVIOUS_SERVERS),
            location(HBaseNode.class),
            location(EmbeddedHBase.class));
    Path output = place.resolve("output.txt");
    Path ready = place.resolve("ready");
    Process servers =
        java(
            output,
            "-Xmx1g",
            "-cp",
            classPath,
            HBaseNode.class.getName(),
            "ALL",
            place.toString(),
            cluster.zooKeeper(),
            ready.toString(),
            "zookeeper.znode.parent=/previous");
    Configuration configuration =
        HBaseConfiguration.createClusterConf(
            HBaseConfiguration.create(), cluster.zooKeeper() + ":/previous");
    try (Writer site = Files.newBufferedWriter(place.resolve("hbase-site.xml"))) {
      while (!Files.exists(ready)) {
        assertFalse(servers.waitFor(100, TimeUnit.MILLISECONDS), () -> read(output));
      }
      Configuration znode = new Configuration(false);
      znode.set("zookeeper.znode.parent", "/previous");
      znode.writeXml(site);
      site.flush();
      try (Connection hbase = ConnectionFactory.createConnection(configuration);
          Admin admin = hbase.getAdmin()) {
        assertEquals(PREVIOUS, admin.getClusterMetrics().getHBaseVersion());
        createAccounts(hbase);
        Dependencies application = new Dependencies("hbase-client", PREVIOUS, true);
        movesMoney(
            place + File.pathSeparator + build.classPath(application), cluster.zooKeeper(), hbase);
      }
    } finally {
      servers.destroyForcibly();
    }
  }

  /** Its native library bears another name in the jar, as Netty's packages do. */
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void thePublishedJarHasTheSocketsOfLinux() throws Exception {
    URL[] jars = {
      ApplicationBuild.published().toUri().toURL(), Path.of(location(Logger.class)).toUri().toURL()
    };
    try (URLClassLoader published =
        new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
      Class<?> sockets = published.loadClass(Sockets.class.getName());
      assertEquals("epoll", sockets.getMethod("kind").invoke(null));
    }
  }

  private static String location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Process java(Path output, String... arguments) throws IOException {
    return ChildJvm.builder(List.of(arguments))
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static void movesMoney(String classPath, String zooKeeper, Connection hbase)
      throws Exception {
    Path output = Files.createTempFile(directory, "bank", ".txt");
    Process bank = java(output, "-Xmx256m", "-cp", classPath, "example.Bank", zooKeeper, address());
    try {
      assertTrue(bank.waitFor(2, TimeUnit.MINUTES), "it hangs");
      String text = read(output);
      assertEquals(0, bank.exitValue(), text);
      assertTrue(text.contains("the snapshot before: alice 100, bob 0"), text);
      assertTrue(text.contains("now: alice 70, bob 30"), text);
    } finally {
      bank.destroyForcibly();
    }
    try (TransactionManager manager = TransactionManager.builder(hbase).oracle(address()).build();
        ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals(
          List.of(50L, 50L),
          List.of(balance(tx.table("accounts"), "alice"), balance(tx.table("accounts"), "bob")));
    }
  }

  /** The artifacts of ReTSO on a class path. */
  private static Set<String> ours(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .filter(entry -> entry.contains("/io/retso/"))
        .map(entry -> Path.of(entry).getParent().getParent().getFileName().toString())
        .collect(Collectors.toSet());
  }

  private static long balance(ReadTable table, String account) throws IOException {
    byte[] value =
        table
            .get(new Get(Bytes.toBytes(account)))
            .getValue(Bytes.toBytes("f"), Bytes.toBytes("balance"));
    return Bytes.toLong(value);
  }
}
