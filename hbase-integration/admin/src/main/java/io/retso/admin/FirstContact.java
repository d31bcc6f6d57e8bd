package io.retso.admin;

import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Connects to HBase; and finds out whether there is one at all, for a command that a user waits
 * for. Stateless.
 *
 * <p>An asynchronous connection fails when it finds no cluster. The other kind does not: all that
 * is asked of it then does, after as many attempts each.
 */
public final class FirstContact {
  private static final int ATTEMPTS = 3;

  private FirstContact() {}

  /** Sets what suits a user that waits: HBase's own defaults try for many minutes. */
  public static void limitAttempts(Configuration configuration) {
    configuration.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, ATTEMPTS);
    configuration.setInt("zookeeper.recovery.retry", ATTEMPTS);
  }

  /**
   * Connects, and ends the connection.
   *
   * @param flag that names the ZooKeeper, for the message
   * @throws NoHBaseException if there is none
   */
  public static void make(Configuration configuration, String flag) throws IOException {
    Configuration quick = new Configuration(configuration);
    limitAttempts(quick);
    try {
      await(quick).close();
    } catch (ExecutionException e) {
      throw new NoHBaseException(explained(quick, flag, e.getCause()), e.getCause());
    }
  }

  /** An asynchronous connection, as soon as there is one. */
  public static AsyncConnection connect(Configuration configuration) throws IOException {
    try {
      return await(configuration);
    } catch (ExecutionException e) {
      throw new IOException("cannot connect to HBase: " + ErrorText.of(e.getCause()), e.getCause());
    }
  }

  private static AsyncConnection await(Configuration configuration)
      throws ExecutionException, InterruptedIOException {
    try {
      return ConnectionFactory.createAsyncConnection(configuration).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while connecting to HBase");
    }
  }

  private static String explained(Configuration configuration, String flag, Throwable failure) {
    String reason = RootCause.of(failure);
    String place = "ZooKeeper at " + zooKeeper(configuration);
    if (!reason.contains("NoNode for ")) {
      return Text.of(
          "%s does not lead to an HBase: %s; check %s, and whether HBase runs",
          place, reason, flag);
    }
    String key = HConstants.ZOOKEEPER_ZNODE_PARENT;
    return Text.of(
        "%s knows no HBase below %s: %s; check %s and %s, and whether HBase has ever run",
        place, configuration.get(key, "/hbase"), reason, flag, key);
  }

  /** Where a configuration has HBase's ZooKeeper, for messages. */
  public static String zooKeeper(Configuration configuration) {
    return configuration.get(HConstants.ZOOKEEPER_QUORUM)
        + ":"
        + configuration.get(HConstants.ZOOKEEPER_CLIENT_PORT);
  }
}
