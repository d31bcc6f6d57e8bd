package io.retso.workload.store;

import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A row with the versions that may still be read. Thread-safe.
 *
 * <p>A version is there before its writer asks to commit. So a transaction that begins after that
 * was decided finds it, and waits for the decision if it is not known yet; none waits for a writer
 * that waits for others.
 */
final class MemoryRow {
  /** Versions beyond these are looked through for those that will not be read. */
  private static final int VERSIONS_FEW = 8;

  final long id;
  private volatile Version[] versions = {};

  /** A transaction that began before may miss a version. */
  private volatile long completeFrom;

  private record Version(Decision writer, byte[] value) {}

  MemoryRow(long id) {
    this.id = id;
  }

  /** The value that was committed last before a timestamp; {@code null} if there was none. */
  byte[] at(long timestamp) throws IOException {
    byte[] value = null;
    long newest = 0;
    for (Version version : versions) {
      long commit = version.writer.commitBefore(timestamp);
      if (commit > newest) {
        newest = commit;
        value = version.value;
      }
    }
    return value;
  }

  /** What {@link #at} had just found, if it has missed no version. */
  byte[] complete(byte[] value, long timestamp) throws IOException {
    if (timestamp < completeFrom) {
      throw new RefusedException(Reason.TOO_OLD, null);
    }
    return value;
  }

  /** Adds a version of a writer that is not decided. */
  synchronized void add(Decision writer, byte[] value) {
    Version[] more = Arrays.copyOf(versions, versions.length + 1);
    more[versions.length] = new Version(writer, value);
    versions = more;
  }

  /** Asks how those writers ended that began before a sweep and of which that is not known. */
  void ask(long sweep) throws IOException {
    for (Version version : versions) {
      version.writer.commitBefore(sweep);
    }
  }

  boolean hasMany() {
    return versions.length > VERSIONS_FEW;
  }

  /** Drops what no reader needs that reads at this timestamp or later. */
  synchronized void prune(long oldestReader) {
    long base = 0;
    for (Version version : versions) {
      long commit = version.writer.commit();
      base = commit < oldestReader ? Math.max(base, commit) : base;
    }
    List<Version> kept = new ArrayList<>(versions.length);
    for (Version version : versions) {
      long commit = version.writer.commit();
      boolean isOpen = commit == Decision.OPEN && version.writer.mayCommit(oldestReader);
      if (isOpen || commit >= base && commit > 0) {
        kept.add(version);
      }
    }
    completeFrom = Math.max(completeFrom, base + 1); // before the versions, for those who read both
    versions = kept.toArray(new Version[0]);
  }
}
