package io.retso.verify.run;

import io.retso.admin.RootCause;
import io.retso.verify.clients.ClusterAccess;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Drops the tables of a run in a user's cluster if this process is ended from outside, by SIGINT or
 * SIGTERM. Until it is closed: a run that gets that far drops them itself.
 *
 * <p>Thread-safe.
 */
final class DropAtExit implements AutoCloseable {
  /** Makes the tables. */
  interface Opening {
    /** Makes and returns them. */
    RunTables open() throws IOException;
  }

  /** Time for all that HBase is asked: a user that ends a process does not wait for long. */
  private static final int MILLIS_MAX = 20_000;

  private final ClusterAccess given;
  private final String prefix;
  private final PrintWriter out;
  private final Thread hook = new Thread(this::drop, "drop-tables");

  /** Guarded by this. */
  private boolean isEnding;

  private DropAtExit(ClusterAccess given, String prefix, PrintWriter out) {
    this.given = given;
    this.prefix = prefix;
    this.out = out;
  }

  /**
   * From now on.
   *
   * @param prefix of the names of the tables
   * @param out is written to
   */
  static DropAtExit of(ClusterAccess given, String prefix, PrintWriter out) {
    DropAtExit drop = new DropAtExit(given, prefix, out);
    Runtime.getRuntime().addShutdownHook(drop.hook);
    return drop;
  }

  /** Makes the tables, unless the process is ending: it drops them when all are there. */
  synchronized RunTables open(Opening opening) throws IOException, InterruptedException {
    if (isEnding) {
      throw new InterruptedException("the process is ending");
    }
    return opening.open();
  }

  private synchronized void drop() {
    isEnding = true;
    out.println("Ended from outside: dropping the tables " + prefix + "-* ...");
    out.flush();
    try (Connection connection = ConnectionFactory.createConnection(configuration());
        Admin admin = connection.getAdmin()) {
      RunTables.drop(admin, prefix);
    } catch (IOException e) {
      String pattern = "'" + prefix + ".*'";
      out.printf(
          Locale.ROOT,
          "They may be left: %s. In HBase's shell: disable_all %s and drop_all %s.%n",
          RootCause.of(e),
          pattern,
          pattern);
      out.flush();
    }
  }

  private Configuration configuration() throws IOException {
    Configuration configuration = given.configuration();
    configuration.setInt("hbase.client.operation.timeout", MILLIS_MAX);
    configuration.setInt("hbase.client.meta.operation.timeout", MILLIS_MAX);
    configuration.setInt("hbase.client.sync.wait.timeout.msec", MILLIS_MAX);
    return configuration;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs, or has run.
    }
  }
}
