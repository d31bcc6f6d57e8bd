package io.retso.verify.clients;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.hbase.layout.OracleSettings;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

/**
 * Where a cluster is, and how clients and its oracle know each other.
 *
 * @param cluster HBase's cluster key, {@code quorum:port:znode}
 * @param oracle {@code host:port}
 * @param keys file of properties of HBase for that: see {@link OracleSettings}; empty to speak in
 *     clear
 */
public record ClusterAccess(String cluster, String oracle, Optional<Path> keys) {
  /** One whose oracle asks nothing of its clients. */
  public ClusterAccess(String cluster, String oracle) {
    this(cluster, oracle, Optional.empty());
  }

  /**
   * One that a user names; how they know each other is said by HBase's configuration.
   *
   * @param cluster {@code quorum:port:znode} or {@code quorum:port}
   * @param oracle {@code host:port}
   * @throws IllegalArgumentException with the remedy if either is something else
   */
  public static ClusterAccess of(String cluster, String oracle) {
    String key = cluster.chars().filter(c -> c == ':').count() == 1 ? cluster + ":/hbase" : cluster;
    try {
      HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), key);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--cluster="
              + cluster
              + " is neither HOST[,HOST...]:PORT of HBase's ZooKeeper nor that and :ZNODE, such as"
              + " zookeeper:2181:/hbase",
          e);
    }
    try {
      OracleClient.builder().address(oracle);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--oracle: " + ErrorText.of(e), e);
    }
    return new ClusterAccess(key, oracle);
  }

  List<String> toArguments() {
    return List.of(cluster, oracle, keys.map(Path::toString).orElse(""));
  }

  static ClusterAccess ofArguments(String cluster, String oracle, String keys) {
    return new ClusterAccess(
        cluster, oracle, keys.isEmpty() ? Optional.empty() : Optional.of(Path.of(keys)));
  }

  /** That of clients. */
  public Configuration configuration() throws IOException {
    Configuration configuration =
        HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster);
    keys.ifPresent(file -> configuration.addResource(new org.apache.hadoop.fs.Path(file.toUri())));
    configuration.set("retso.oracle", oracle);
    configuration.setInt("hbase.client.pause", 50);
    configuration.setInt("hbase.client.retries.number", 60);
    configuration.setInt("hbase.rpc.timeout", 10_000);
    configuration.setInt("hbase.client.operation.timeout", 60_000);
    configuration.setInt("hbase.client.scanner.timeout.period", 20_000);
    configuration.setInt("hbase.client.meta.operation.timeout", 60_000);
    return configuration;
  }

  /** Begins a client of the oracle. */
  public OracleClientBuilder client(String name) throws IOException {
    return OracleSettings.client(configuration(), name).address(oracle);
  }
}
