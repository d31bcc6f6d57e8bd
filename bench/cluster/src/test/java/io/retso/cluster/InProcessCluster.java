package io.retso.cluster;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * HBase with two region servers and an oracle with an embedded log, in this process, for all tests
 * that ask for it. Transactions are aborted after a few seconds.
 */
public final class InProcessCluster implements AutoCloseable {
  /** Gives tests the one cluster of this process. */
  public static final class Extension implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == InProcessCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getStore(StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
          .computeIfAbsent(
              InProcessCluster.class, key -> new InProcessCluster(), InProcessCluster.class);
    }
  }

  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(5);

  private final Path directory;
  private final EmbeddedHBase hbase;
  private final String firstTimestamp;
  private RetsoServer oracle;
  private int port;

  private InProcessCluster() {
    this("clock");
  }

  /**
   * Another cluster and oracle than those that tests share; the caller closes it.
   *
   * @param firstTimestamp of the oracle
   */
  public InProcessCluster(String firstTimestamp) {
    this.firstTimestamp = firstTimestamp;
    try {
      directory = Files.createTempDirectory("retso-verify-test");
      startOracle();
      hbase = EmbeddedHBase.in(directory.resolve("hbase")).regionServers(2).start();
    } catch (Exception e) {
      throw new IllegalStateException("the cluster for tests did not start", e);
    }
  }

  private void startOracle() throws Exception {
    oracle =
        RetsoServer.start(
            ServerConfig.builder()
                .set(Settings.LISTEN_PORT, port)
                .set(Settings.HTTP_PORT, 0)
                .set(Settings.DATA_DIR, directory.resolve("oracle"))
                .set(Settings.LOG_SYNC, false)
                .set(Settings.ROWS, "100k")
                .set(Settings.WINDOW_TIMESTAMPS, "2^17")
                .set(Settings.UNCLEANED_MAX, "100k")
                .set(Settings.TIMESTAMPS_FIRST, firstTimestamp)
                .set(Settings.TRANSACTION_TIMEOUT, TRANSACTION_TIMEOUT)
                .build());
    port = oracle.port();
  }

  /** {@code host:port} of HBase's ZooKeeper. */
  public String zooKeeper() {
    return hbase.zooKeeper();
  }

  /** HBase's cluster key. */
  public String key() {
    return hbase.zooKeeper() + ":/hbase";
  }

  /** {@code host:port}; the same after a restart. */
  public String oracle() {
    return "127.0.0.1:" + port;
  }

  /** Closes the oracle and starts it again, with the log that it left. */
  public void restartOracle() throws Exception {
    oracle.close();
    startOracle();
  }

  @Override
  public void close() throws IOException {
    hbase.close();
    oracle.close();
    try (var files = Files.walk(directory)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(file -> file.toFile().delete()); // a late writer may leave something
    }
  }
}
