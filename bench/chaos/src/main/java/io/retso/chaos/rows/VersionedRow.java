package io.retso.chaos.rows;

import io.retso.client.TransactionStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The versions of a row. Thread-safe. */
final class VersionedRow {
  private static final long UNDECIDED = 0;
  private static final long ABORTED = -1;

  private volatile Version[] versions = {};

  /** A value, by the transaction that wrote it. */
  private static final class Version {
    final long start;
    final long[] value;

    /** Its timestamp, or one of the constants. */
    volatile long commit;

    Version(long start, long[] value) {
      this.start = start;
      this.value = value;
    }
  }

  /** Answers where a writer stands. */
  interface Asks {
    TransactionStatus status(long writer, long reader);
  }

  /** The value that was committed last before a timestamp; null if there was none. */
  long[] at(long timestamp, Asks asks) {
    long[] value = null;
    long newest = 0;
    for (Version version : versions) {
      if (version.start < timestamp) { // one that starts later commits later
        ask(version, timestamp, asks);
        if (version.commit > newest && version.commit < timestamp) {
          newest = version.commit;
          value = version.value;
        }
      }
    }
    return value;
  }

  /**
   * An open writer commits after the reader, so to this one it is as if it had not written. What
   * the oracle no longer knows was cleaned up before its answer, or is aborted.
   */
  private static void ask(Version version, long reader, Asks asks) {
    if (version.commit != UNDECIDED) {
      return;
    }
    TransactionStatus status = asks.status(version.start, reader);
    switch (status.state()) {
      case COMMITTED -> version.commit = status.commitTimestamp();
      case ABORTED -> version.commit = ABORTED;
      case RETRY -> {
        if (version.commit == UNDECIDED) {
          version.commit = ABORTED;
        }
      }
      case OPEN -> {}
    }
  }

  /** Adds a version of a writer that is not decided. */
  synchronized void add(long start, long[] value) {
    Version[] more = Arrays.copyOf(versions, versions.length + 1);
    more[versions.length] = new Version(start, value);
    versions = more;
  }

  /** Notes when a writer committed. */
  void decide(long start, long commit) {
    for (Version version : versions) {
      if (version.start == start) {
        version.commit = commit;
      }
    }
  }

  /** Asks about all writers that began before a sweep and are not known to be decided. */
  void decide(long sweep, Asks asks) {
    for (Version version : versions) {
      if (version.start < sweep) {
        ask(version, sweep, asks);
      }
    }
  }

  synchronized void remove(long start) {
    List<Version> kept = new ArrayList<>(Arrays.asList(versions));
    kept.removeIf(version -> version.start == start);
    versions = kept.toArray(new Version[0]);
  }

  /**
   * Drops what no reader needs that keeps to the watermark: below it, all that is not decided is
   * aborted, and of the others the newest is enough.
   */
  synchronized void prune(long watermark) {
    long base = 0;
    for (Version version : versions) {
      base = version.commit < watermark ? Math.max(base, version.commit) : base;
    }
    List<Version> kept = new ArrayList<>();
    for (Version version : versions) {
      long commit = version.commit;
      boolean isAborted = commit == ABORTED || commit == UNDECIDED && version.start < watermark;
      if (!isAborted && (commit == UNDECIDED || commit >= base)) {
        kept.add(version);
      }
    }
    versions = kept.toArray(new Version[0]);
  }
}
