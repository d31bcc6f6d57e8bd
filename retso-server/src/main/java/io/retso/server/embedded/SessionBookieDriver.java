package io.retso.server.embedded;

import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperSession;
import java.io.IOException;
import java.util.Optional;
import org.apache.bookkeeper.bookie.BookKeeperServerStats;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.discover.ZKRegistrationManager;
import org.apache.bookkeeper.meta.MetadataBookieDriver;
import org.apache.bookkeeper.meta.exceptions.Code;
import org.apache.bookkeeper.meta.exceptions.MetadataException;
import org.apache.bookkeeper.meta.zk.ZKMetadataBookieDriver;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.apache.zookeeper.KeeperException;

/**
 * How a bookie reaches ZooKeeper where its nodes are open to a password only, which BookKeeper's
 * own driver does not know. Thread-safe.
 */
public final class SessionBookieDriver extends ZKMetadataBookieDriver {
  private final ZooKeeperAccess given;
  private ServerConfiguration configuration;
  private ZooKeeperSession session;

  /** For BookKeeper, which makes one by its name: the password stands in a file. */
  public SessionBookieDriver() {
    this(null);
  }

  /**
   * For a bookie of this process.
   *
   * @param given the bookie's identity in ZooKeeper
   */
  SessionBookieDriver(ZooKeeperAccess given) {
    this.given = given;
  }

  @Override
  public synchronized MetadataBookieDriver initialize(
      ServerConfiguration conf, StatsLogger statsLogger) throws MetadataException {
    ZooKeeperAccess access = given == null ? PasswordFile.access(conf) : given;
    if (access.passwords().isEmpty()) {
      return super.initialize(conf, statsLogger);
    }
    RetryPolicy retries =
        new BoundExponentialBackoffRetryPolicy(
            conf.getZkRetryBackoffStartMs(),
            conf.getZkRetryBackoffMaxMs(),
            conf.getZkRetryBackoffMaxRetries());
    configuration = conf;
    session = connect(conf, retries, access);
    initialize(
        conf, statsLogger.scope(BookKeeperServerStats.BOOKIE_SCOPE), retries, Optional.of(session));
    return this;
  }

  /** Begins a session for a driver, which ends it. */
  @SuppressWarnings("deprecation") // with a session that is given, the root is taken from here only
  static ZooKeeperSession connect(
      AbstractConfiguration<?> conf, RetryPolicy retries, ZooKeeperAccess access)
      throws MetadataException {
    conf.setZkEnableSecurity(access.isSecured());
    conf.setZkLedgersRootPath(resolveZkLedgersRootPath(conf));
    try {
      return ZooKeeperSession.connect(resolveZkServers(conf), conf.getZkTimeout(), retries, access);
    } catch (IOException | KeeperException e) {
      throw new MetadataException(
          Code.METADATA_SERVICE_ERROR,
          "ZooKeeper cannot be reached at " + resolveZkServers(conf),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MetadataException(Code.METADATA_SERVICE_ERROR, e);
    }
  }

  @Override
  public synchronized RegistrationManager createRegistrationManager() {
    return session == null
        ? super.createRegistrationManager()
        : new ZKRegistrationManager(configuration, session);
  }

  @Override
  public synchronized void close() {
    super.close();
    if (session != null) {
      session.close();
    }
  }
}
