package io.retso.hbase.coprocessor.write;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which rows are being written for, or cleaned up after, which transaction right now.
 *
 * <p>HBase lets batches of puts work on one row at the same time (its row locks are shared). A
 * cleanup reads the row, then changes it. Were a write of the same transaction to come in between,
 * the cleanup would take the mark away and leave the new cells, which would then pass for a plain
 * writer's. So the two exclude each other, for the same row and transaction only. Nobody waits,
 * hence no deadlock: a cleanup that finds a writer is told to come back, and a writer that finds a
 * cleanup has been decided already.
 *
 * <p>Two cleanups exclude each other, too: the end of the second one would let writes in while the
 * first one has yet to change what it read.
 *
 * <p>Bounded by the batches in flight. Thread-safe.
 */
public final class RowLatches {
  private static final int CLEANER = -1;

  /** A row and the transaction's start timestamp. */
  public static final class Claim {
    private final byte[] row;
    private final long start;
    private final int hash;

    public Claim(byte[] row, long start) {
      this.row = row;
      this.start = start;
      this.hash = 31 * Arrays.hashCode(row) + Long.hashCode(start);
    }

    byte[] row() {
      return row;
    }

    long start() {
      return start;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Claim that && start == that.start && Arrays.equals(row, that.row);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** Number of writers, or {@link #CLEANER}. */
  private final ConcurrentMap<Claim, Integer> claims = new ConcurrentHashMap<>();

  /** Whether the row may be written; to be released. */
  public boolean claimForWrite(Claim claim) {
    return claims.merge(claim, 1, (old, one) -> old == CLEANER ? CLEANER : old + one) != CLEANER;
  }

  /** Whether the row may be cleaned up; to be released. */
  public boolean claimForCleanup(Claim claim) {
    return claims.putIfAbsent(claim, CLEANER) == null;
  }

  public void releaseWrite(Claim claim) {
    claims.computeIfPresent(claim, (key, count) -> count == 1 ? null : count - 1);
  }

  public void releaseCleanup(Claim claim) {
    claims.remove(claim);
  }
}
