package io.retso.hbase.transaction;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Timers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A snapshot that this process has had held, and renews: a few times within its time, so that one
 * lost answer ends nothing. Thread-safe.
 */
final class HBaseHeldSnapshot implements HeldSnapshot {
  /** The name under which applications know it, and may turn it off. */
  private static final Logger LOG = LoggerFactory.getLogger(HeldSnapshot.class);

  private static final int RENEWALS_PER_TTL = 4;

  /** More often would only be more requests, and more seldom would hide for long that it ended. */
  private static final long PERIOD_MILLIS_MAX = Duration.ofMinutes(1).toMillis();

  private final TransactionManager manager;
  private final OracleClient oracle;
  private final String name;
  private final SnapshotToken token;
  private final long periodMillis;

  /** Guarded by this, as what follows. */
  private boolean held = true;

  private Future<?> renewal;

  /** One that was just taken, or renewed. */
  HBaseHeldSnapshot(
      TransactionManager manager,
      OracleClient oracle,
      String name,
      Duration ttl,
      SnapshotToken token) {
    this.manager = manager;
    this.oracle = oracle;
    this.name = name;
    this.token = token;
    this.periodMillis = Math.min(PERIOD_MILLIS_MAX, ttl.toMillis() / RENEWALS_PER_TTL);
    renewLater();
  }

  private synchronized void renewLater() {
    if (held) {
      renewal = Timers.after(periodMillis, TimeUnit.MILLISECONDS, this::renew);
    }
  }

  private void renew() {
    oracle.renewAsync(token.timestamp()).whenComplete(this::renewed);
  }

  private void renewed(Boolean isHeld, Throwable failure) {
    boolean isOver = failure == null && !isHeld;
    boolean isClosed =
        failure instanceof OracleException e && e.category() == OracleException.Category.CLOSED;
    if (!isOver && !isClosed) {
      renewLater(); // whatever failed, it is held until its time is over
    } else if (end() && isOver) {
      LOG.warn(
          "the snapshot {} ({}) is not held any longer: it was released elsewhere, or the oracle"
              + " was not reached for the whole of its time",
          name,
          token);
    }
  }

  /** Returns whether it was held until now. */
  private synchronized boolean end() {
    boolean was = held;
    held = false;
    if (renewal != null) {
      renewal.cancel(false);
    }
    return was;
  }

  @Override
  public SnapshotToken token() {
    return token;
  }

  @Override
  public synchronized boolean isHeld() {
    return held;
  }

  @Override
  public Scan scan(TableName table, Scan scan) throws IOException {
    return manager.scanAt(token, table, scan);
  }

  @Override
  public void leave() {
    end();
  }

  @Override
  public void close() {
    Callbacks.checkMayBlock();
    if (!end()) {
      return;
    }
    try {
      oracle.release(token.timestamp());
    } catch (OracleException e) {
      LOG.warn(
          "the snapshot {} ({}) could not be released, and ends when its time is over: {}",
          name,
          token,
          e.toString());
    }
  }

  @Override
  public String toString() {
    return "held snapshot " + name + " (" + token + ")";
  }
}
