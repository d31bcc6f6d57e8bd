package io.retso.hbase;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.metrics2.impl.JmxCacheBuster;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * HBase and an oracle in this process, real ones, shared by all tests of the module that ask for
 * it: {@code @ExtendWith(RetsoCluster.Extension.class)} and a parameter of this type. Tests keep
 * apart by using tables of their own, {@link #freshName}. It ends with the last test.
 *
 * <p>The oracle keeps its log in memory. Thread-safe.
 */
public final class RetsoCluster implements AutoCloseable {
  /**
   * Gives tests the one cluster of this process; and to the test, or to all of a class, a {@link
   * Fixture} on it, which is closed after them.
   */
  public static final class Extension implements BeforeAllCallback, ParameterResolver {
    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
      RetsoCluster cluster =
          context
              .getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
              .get(RetsoCluster.class, RetsoCluster.class);
      if (cluster != null) {
        cluster.dropTables();
      }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == RetsoCluster.class || type == Fixture.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      RetsoCluster cluster = shared(context, RetsoCluster.class, RetsoCluster::start);
      return parameter.getParameter().getType() == RetsoCluster.class
          ? cluster
          : context
              .getStore(ExtensionContext.Namespace.GLOBAL)
              .computeIfAbsent(Fixture.class, key -> new Fixture(cluster), Fixture.class);
    }

    /** One for all classes of this process, which surefire hands them one by one. */
    public static <T extends AutoCloseable> T shared(
        ExtensionContext context, Class<T> type, Supplier<T> made) {
      return context
          .getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
          .computeIfAbsent(type, key -> made.get(), type);
    }
  }

  private static final int TABLES_MAX = 20;
  private static final String NEVER = Integer.toString(Integer.MAX_VALUE);

  private final Path directory;
  private final EmbeddedHBase hbase;
  private final RetsoServer oracle;
  private final Connection connection;
  private final AtomicInteger names = new AtomicInteger();

  private RetsoCluster(
      Path directory, EmbeddedHBase hbase, RetsoServer oracle, Connection connection) {
    this.directory = directory;
    this.hbase = hbase;
    this.oracle = oracle;
    this.connection = connection;
  }

  private static RetsoCluster start() {
    return start("clock");
  }

  /**
   * Another cluster and oracle than those that tests share; the caller closes it.
   *
   * @param firstTimestamp of the oracle
   */
  public static RetsoCluster start(String firstTimestamp) {
    try {
      Path directory = Files.createTempDirectory("retso-hbase");
      RetsoServer oracle = startOracle(firstTimestamp);
      EmbeddedHBase hbase =
          EmbeddedHBase.in(directory)
              .set("retso.marks.flush.pause", "0") // tests look at marks again and again
              .set(
                  "retso.plain.ahead.max",
                  Long.toString(Long.MAX_VALUE)) // nor do they wait for plain versions
              .set("hbase.balancer.period", NEVER) // regions stay where a test puts them
              .start();
      JmxCacheBuster.stop(); // it reads all metrics after each change of a region, in vain here
      // 8 s instead of 130: what a region says of itself with an assertion is tried again, too.
      Configuration plain = new Configuration(hbase.configuration());
      plain.setInt("hbase.client.retries.number", 7);
      return new RetsoCluster(directory, hbase, oracle, ConnectionFactory.createConnection(plain));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (Exception e) {
      throw new IllegalStateException("the cluster for tests did not start", e);
    }
  }

  /** Another oracle, with a log in memory, on a free port; the caller closes it. */
  public static RetsoServer startOracle() throws Exception {
    return startOracle("clock");
  }

  /** One with another first timestamp. */
  public static RetsoServer startOracle(String firstTimestamp) throws Exception {
    return RetsoServer.start(
        ServerConfig.builder()
            .set(Settings.TIMESTAMPS_FIRST, firstTimestamp)
            .set(Settings.LISTEN_PORT, 0)
            .set(Settings.HTTP_PORT, 0)
            .set(Settings.ROWS, "100k")
            .set(Settings.WINDOW_TIMESTAMPS, "2^17")
            .set(Settings.UNCLEANED_MAX, "100k")
            .set(Settings.LOG, "memory")
            .build());
  }

  /** HBase. */
  public EmbeddedHBase hbase() {
    return hbase;
  }

  /** The oracle's address, {@code host:port}. */
  public String oracleAddress() {
    return "127.0.0.1:" + oracle.port();
  }

  /** A plain connection to HBase, shared: do not close it. */
  public Connection connection() {
    return connection;
  }

  /** What a client needs to connect to HBase and to the oracle; a copy of its own. */
  public Configuration configuration() {
    Configuration configuration = hbase.configuration();
    configuration.set("retso.oracle", oracleAddress());
    return configuration;
  }

  /** A name that no table has. */
  public TableName freshName(String prefix) {
    return TableName.valueOf(prefix + "-" + names.incrementAndGet());
  }

  /**
   * Deletes the tables of classes that have ended, once there are many, all at a time: each sweep
   * looks at all tables, and each report of a region server names their regions.
   */
  private void dropTables() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      TableName[] tables = admin.listTableNames();
      if (tables.length <= TABLES_MAX) {
        return;
      }
      List<Future<Void>> steps = new ArrayList<>();
      for (TableName table : tables) {
        if (admin.isTableEnabled(table)) {
          steps.add(admin.disableTableAsync(table));
        }
      }
      await(steps);
      for (TableName table : tables) {
        steps.add(admin.deleteTableAsync(table));
      }
      await(steps);
    }
  }

  private static void await(List<Future<Void>> steps) throws Exception {
    for (Future<Void> step : steps) {
      step.get(2, TimeUnit.MINUTES);
    }
    steps.clear();
  }

  @Override
  public void close() throws IOException {
    connection.close();
    hbase.close();
    oracle.close();
    deleteAll(directory);
  }

  public static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(RetsoCluster::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit(); // a late writer; the next run uses another directory
    }
  }
}
