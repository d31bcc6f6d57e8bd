package io.retso.log.bookkeeper;

import java.io.IOException;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.bookkeeper.zookeeper.ZooKeeperWatcherBase;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/**
 * A session with ZooKeeper that begins anew when it has expired, and identifies itself again then,
 * which BookKeeper's own does not. Thread-safe.
 */
public final class ZooKeeperSession extends ZooKeeperClient {
  private static final int RETRY_THREADS = 1;

  /** Calls a second: as many as there are. */
  private static final double RATE = 0;

  private final ZooKeeperAccess access;

  private ZooKeeperSession(
      String zookeeper,
      int sessionMs,
      ZooKeeperWatcherBase watchers,
      RetryPolicy retries,
      ZooKeeperAccess access)
      throws IOException {
    super(
        zookeeper,
        sessionMs,
        watchers,
        new BoundExponentialBackoffRetryPolicy(0, 0, Integer.MAX_VALUE),
        retries,
        NullStatsLogger.INSTANCE,
        RETRY_THREADS,
        RATE,
        false);
    this.access = access;
  }

  /**
   * Begins one, and waits for the connection.
   *
   * @param zookeeper connect string, perhaps with a chroot
   * @param sessionMs how long it may be silent, milliseconds; the connection has as long
   * @param retries when a call is tried again whose connection was lost
   */
  public static ZooKeeperSession connect(
      String zookeeper, int sessionMs, RetryPolicy retries, ZooKeeperAccess access)
      throws IOException, KeeperException, InterruptedException {
    ZooKeeperWatcherBase watchers = new ZooKeeperWatcherBase(sessionMs, false);
    ZooKeeperSession session =
        new ZooKeeperSession(zookeeper, sessionMs, watchers, retries, access);
    access.authenticate(session);
    boolean connected = false;
    try {
      watchers.waitForConnection();
      connected = true;
      return session;
    } finally {
      if (!connected) {
        session.close();
      }
    }
  }

  @Override
  protected ZooKeeper createZooKeeper() throws IOException {
    ZooKeeper next = super.createZooKeeper();
    access.authenticate(next);
    return next;
  }

  @Override
  public void close() {
    try {
      super.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the session ends by itself
    }
  }
}
