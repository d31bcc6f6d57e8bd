package io.retso.hbase.check;

import io.retso.client.OracleClient;
import java.util.concurrent.TimeUnit;

/**
 * Where the oracle was when a check began, and how far it is by now. Thread-safe; asks the oracle,
 * and waits for its answer.
 */
final class OracleTimes {
  /** Nothing is asked about what is further ahead: no oracle gets there while a table is read. */
  private static final long FAR_AHEAD = 1L << 30;

  /** Between two questions; what comes meanwhile is looked at later. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final OracleClient oracle;
  private final long watermark;
  private final long snapshot;
  private long latest;
  private long askedNanos;

  /** Asks for the low watermark first, so that it is true of everything that is read later. */
  OracleTimes(OracleClient oracle) {
    this.oracle = oracle;
    this.watermark = oracle.lowWatermark();
    this.snapshot = oracle.timestamp();
    this.latest = snapshot;
    this.askedNanos = System.nanoTime() - PAUSE_NANOS;
  }

  /** The low watermark of the beginning. */
  long watermark() {
    return watermark;
  }

  /** A timestamp of the beginning, above the watermark. */
  long snapshot() {
    return snapshot;
  }

  /** A timestamp above all that was committed, or has begun, before this call. */
  long next() {
    return oracle.timestamp();
  }

  /** Whether a version that was read may be above all timestamps that the oracle has given. */
  synchronized boolean mayBeAhead(long version) {
    if (version < latest) {
      return false;
    }
    long now = System.nanoTime();
    if (version - latest <= FAR_AHEAD && now - askedNanos >= PAUSE_NANOS) {
      askedNanos = now;
      latest = Math.max(latest, next());
    }
    return version >= latest;
  }
}
