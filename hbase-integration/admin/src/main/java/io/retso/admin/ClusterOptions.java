package io.retso.admin;

import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.layout.TableSettings;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Flags that say which cluster and which oracle are meant. */
final class ClusterOptions {
  private static final String ORACLE_DEFAULT = "localhost:7521";
  private static final int TABLES_SHOWN_MAX = 3;

  /** It was not said which of several oracles is meant. */
  static final class AmbiguousOracleException extends IOException {
    private static final long serialVersionUID = 1;

    AmbiguousOracleException(String message) {
      super(message);
    }
  }

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
          "The oracle, as clients and region servers reach it. Default: what "
              + ManagerBuilder.ORACLE_KEY
              + " says in hbase-site.xml or -D, otherwise that of the prepared table (for sweep,"
              + " of all prepared tables), otherwise "
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
    return named().or(() -> prepared.map(TableSettings::addresses)).orElse(ORACLE_DEFAULT);
  }

  /**
   * The oracle that was named; otherwise the one of all prepared tables, or the default one.
   *
   * @param prepared names and settings of tables
   * @throws AmbiguousOracleException if none was named, and the tables do not agree
   */
  String oracle(Map<String, TableSettings> prepared) throws AmbiguousOracleException {
    Optional<String> named = named();
    if (named.isPresent()) {
      return named.get();
    }
    Map<UUID, Set<String>> tables =
        prepared.entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    table -> table.getValue().oracle().id(),
                    Collectors.mapping(Map.Entry::getKey, Collectors.toCollection(TreeSet::new))));
    if (tables.size() > 1) {
      throw new AmbiguousOracleException(
          "prepared tables name several oracles: "
              + tables.values().stream()
                  .map(of -> prepared.get(of.iterator().next()).oracle() + " of " + examples(of))
                  .sorted()
                  .collect(Collectors.joining("; "))
              + "; choose one with --oracle");
    }
    return prepared.values().stream()
        .map(TableSettings::addresses)
        .findFirst() // as it stands there: the order of the addresses is that of the attempts
        .orElse(ORACLE_DEFAULT);
  }

  private static String examples(Set<String> tables) {
    String some = tables.stream().limit(TABLES_SHOWN_MAX).collect(Collectors.joining(", "));
    int more = tables.size() - TABLES_SHOWN_MAX;
    return more > 0 ? some + " and " + more + " more" : some;
  }

  /** By the flag, or by HBase's configuration. */
  private Optional<String> named() {
    return Optional.ofNullable(configuration().get(ManagerBuilder.ORACLE_KEY))
        .filter(text -> !text.isBlank());
  }

  /**
   * Checks what can be checked without a cluster.
   *
   * @throws ParameterException if a flag is wrong, or the configuration
   */
  void check() {
    try {
      if (oracle != null) {
        TableSettings.checkedAddresses(oracle);
      } else {
        named().ifPresent(TableSettings::checkedAddresses);
      }
    } catch (IllegalArgumentException e) {
      String place = oracle == null ? ManagerBuilder.ORACLE_KEY : "--oracle";
      throw new ParameterException(spec.commandLine(), place + ": " + ErrorText.of(e), e);
    }
  }

  /** For messages. */
  String zooKeeper() {
    return FirstContact.zooKeeper(configuration());
  }

  /** The configuration of HBase's client. */
  Configuration configuration() {
    Configuration configuration;
    try {
      configuration = HBaseConfiguration.create();
    } catch (RuntimeException e) { // so it says that a file is no XML
      throw new ParameterException(
          spec.commandLine(),
          "HBase's configuration cannot be read: "
              + RootCause.whole(e)
              + "; mend the file, or set HBASE_CONF_DIR to another directory",
          e);
    }
    FirstContact.limitAttempts(configuration); // first, as -D may set others
    if (zooKeeper != null) {
      int colon = zooKeeper.lastIndexOf(':');
      String port = colon < 0 ? "2181" : zooKeeper.substring(colon + 1);
      if (zooKeeper.matches("(?s).*[;/\\s].*")) {
        throw new ParameterException(
            spec.commandLine(),
            "--zookeeper="
                + zooKeeper
                + " is no list of hosts: write host:2181, or host1,host2,host3:2181");
      }
      if (!port.matches("\\d{1,5}")) {
        throw new ParameterException(
            spec.commandLine(),
            "--zookeeper=" + zooKeeper + " has no port behind its last colon: write host:2181");
      }
      configuration.set(
          HConstants.ZOOKEEPER_QUORUM, colon < 0 ? zooKeeper : zooKeeper.substring(0, colon));
      configuration.set(HConstants.ZOOKEEPER_CLIENT_PORT, port);
    }
    properties.forEach(configuration::set);
    if (oracle != null) {
      configuration.set(ManagerBuilder.ORACLE_KEY, oracle);
    }
    return configuration;
  }
}
