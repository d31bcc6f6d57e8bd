package io.retso.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.admin.ClusterOptions.AmbiguousOracleException;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.backup.BackupException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;

/** What commands do to a cluster, and how they say that it failed. Stateless. */
final class ClusterWork {
  private static final int FAILED = 1;

  private ClusterWork() {}

  /** What is done to the cluster; its exit code. */
  interface Work {
    int on(Connection connection) throws IOException;
  }

  /** What is done with the oracle of the prepared tables; its exit code. */
  interface OracleWork {
    int with(TransactionManager manager) throws IOException;
  }

  /** What is done with the oracle of the prepared tables, and the cluster; its exit code. */
  interface BothWork {
    int with(TransactionManager manager, Connection connection) throws IOException;
  }

  /** Does it; a failure is said on the error stream of the command, and is its exit code. */
  static int run(CommandSpec spec, ClusterOptions cluster, Work work) {
    cluster.check();
    // A user that waits for the command wants its last line, not those of all attempts to connect.
    ((Logger) LoggerFactory.getLogger("org.apache")).setLevel(Level.ERROR);
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.WARN);
    Configuration configuration = cluster.configuration();
    try {
      FirstContact.make(configuration, "--zookeeper");
      try (Connection connection = ConnectionFactory.createConnection(configuration)) {
        return work.on(connection);
      }
    } catch (TransactionException
        | BackupException
        | NoHBaseException
        | AmbiguousOracleException e) {
      return failed(spec, ErrorText.of(e));
    } catch (IOException e) {
      return failed(spec, HBaseFailure.explained(e, cluster.zooKeeper()));
    }
  }

  /** Does it with a manager of the oracle that was named, or that all prepared tables name. */
  static int withOracle(CommandSpec spec, ClusterOptions cluster, OracleWork work) {
    return withOracle(spec, cluster, (manager, connection) -> work.with(manager));
  }

  /** As with an oracle alone. */
  static int withOracle(CommandSpec spec, ClusterOptions cluster, BothWork work) {
    return run(
        spec,
        cluster,
        connection -> {
          try (TransactionManager manager =
              TransactionManager.builder(connection)
                  .oracle(cluster.oracle(settings(connection)))
                  .requestTimeout(OracleSettings.timeout(connection.getConfiguration()))
                  .build()) {
            return work.with(manager, connection);
          }
        });
  }

  /** Says why nothing was done; the exit code for that. */
  static int failed(CommandSpec spec, String reason) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso hbase: " + reason);
    err.flush();
    return FAILED;
  }

  /** Prints a line of the command's output. */
  static void println(CommandSpec spec, String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }

  /**
   * The settings of all prepared tables; those with damaged ones are left to the sweep's own
   * report.
   */
  static Map<String, TableSettings> settings(Connection connection) throws IOException {
    Map<String, TableSettings> settings = new TreeMap<>();
    try (Admin admin = connection.getAdmin()) {
      for (TableDescriptor table : admin.listTableDescriptors()) {
        if (TableSettings.isPrepared(table)) {
          try {
            settings.put(table.getTableName().getNameAsString(), TableSettings.of(table));
          } catch (IllegalArgumentException e) {
            continue; // the sweep reports it
          }
        }
      }
    }
    return settings;
  }
}
