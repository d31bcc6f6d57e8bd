package io.retso.server.embedded;

import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperSession;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.meta.MetadataClientDriver;
import org.apache.bookkeeper.meta.exceptions.MetadataException;
import org.apache.bookkeeper.meta.zk.ZKMetadataClientDriver;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;

/**
 * How BookKeeper's shell, and a bookie's automatic recovery, reach ZooKeeper where its nodes are
 * open to a password only. Thread-safe.
 */
public final class SessionClientDriver extends ZKMetadataClientDriver {
  private ZooKeeperSession session;

  @Override
  public synchronized MetadataClientDriver initialize(
      ClientConfiguration conf,
      ScheduledExecutorService scheduler,
      StatsLogger statsLogger,
      Optional<Object> given)
      throws MetadataException {
    ZooKeeperAccess access = PasswordFile.access(conf);
    if (given.isPresent() || access.passwords().isEmpty()) {
      return super.initialize(conf, scheduler, statsLogger, given);
    }
    session =
        SessionBookieDriver.connect(
            conf,
            new BoundExponentialBackoffRetryPolicy(
                conf.getZkTimeout(), conf.getZkTimeout(), conf.getZkRetryBackoffMaxRetries()),
            access);
    return super.initialize(conf, scheduler, statsLogger, Optional.of(session));
  }

  @Override
  public synchronized void close() {
    super.close();
    if (session != null) {
      session.close();
    }
  }
}
