package io.retso.admin;

import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.data.TableSettings;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Flags that say which cluster and which oracle are meant. */
final class ClusterOptions {
  /** For a command that somebody waits for: HBase's own defaults try for many minutes. */
  private static final int RETRIES = 3;

  private static final int ZOOKEEPER_RETRIES = 3;

  private static final String ORACLE_DEFAULT = "localhost:7521";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST[,HOST...][:PORT]",
      description =
          "HBase's ZooKeeper. Default: what hbase-site.xml in the directory $HBASE_CONF_DIR says,"
              + " or localhost:2181.")
  private String zooKeeper;

  @Option(
      names = "--oracle",
      paramLabel = "HOST:PORT[,HOST:PORT...]",
      description =
          "The oracle, as clients and region servers reach it. Default: that of the prepared"
              + " table, otherwise "
              + ORACLE_DEFAULT
              + ".")
  private String oracle;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "A property of HBase's client, such as -D zookeeper.znode.parent=/hbase2.")
  private Map<String, String> properties = new TreeMap<>();

  /** The oracle that was named; otherwise the one of the prepared table, or the default one. */
  String oracle(Optional<TableSettings> prepared) {
    return oracle == null
        ? prepared.map(TableSettings::oracle).filter(text -> !text.isBlank()).orElse(ORACLE_DEFAULT)
        : oracle;
  }

  /**
   * Checks what can be checked without a cluster.
   *
   * @throws ParameterException if a flag is wrong
   */
  void check() {
    try {
      if (oracle != null) {
        TableSettings.checkedAddresses(oracle);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--oracle: " + e.getMessage(), e);
    }
    configuration();
  }

  /** For messages. */
  String zooKeeper() {
    Configuration configuration = configuration();
    return configuration.get(HConstants.ZOOKEEPER_QUORUM)
        + ":"
        + configuration.get(HConstants.ZOOKEEPER_CLIENT_PORT);
  }

  /** The configuration of HBase's client. */
  Configuration configuration() {
    Configuration configuration = HBaseConfiguration.create();
    configuration.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, RETRIES);
    configuration.setInt("zookeeper.recovery.retry", ZOOKEEPER_RETRIES);
    if (zooKeeper != null) {
      int colon = zooKeeper.lastIndexOf(':');
      String port = colon < 0 ? "2181" : zooKeeper.substring(colon + 1);
      if (!port.matches("\\d{1,5}")) {
        throw new ParameterException(
            spec.commandLine(),
            "--zookeeper=" + zooKeeper + " has no port behind its last colon: write host:2181");
      }
      configuration.set(
          HConstants.ZOOKEEPER_QUORUM, colon < 0 ? zooKeeper : zooKeeper.substring(0, colon));
      configuration.set(HConstants.ZOOKEEPER_CLIENT_PORT, port);
    }
    configuration.set(ManagerBuilder.ORACLE_KEY, oracle == null ? ORACLE_DEFAULT : oracle);
    properties.forEach(configuration::set);
    return configuration;
  }
}
