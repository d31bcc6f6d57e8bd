package io.retso.hbase.coprocessor.write;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which rows are being written for, or cleaned up after, which transaction right now.
 *
 * <p>Writes and cleanups exclude each other, for the same row and transaction only;
 * docs/protocol.md, "Cleanups and late writes exclude each other". No writer waits, hence no
 * deadlock: a cleanup that finds a writer has to come back, and the transaction of a writer that
 * finds a cleanup is decided.
 *
 * <p>Two cleanups exclude each other, too: the end of the second one would let writes in while the
 * first one has yet to change what it read.
 *
 * <p>Bounded by the batches in flight. Thread-safe.
 */
public final class RowLatches {
  private static final int CLEANER = -1;

  /** What is latched: a row, for the transaction with this start timestamp. */
  public static final class Latch {
    private final byte[] row;
    private final long start;
    private final int hash;

    public Latch(byte[] row, long start) {
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
      return other instanceof Latch that && start == that.start && Arrays.equals(row, that.row);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** Those that are held: by how many writers, or by {@link #CLEANER}. */
  private final ConcurrentMap<Latch, Integer> held = new ConcurrentHashMap<>();

  /** Whether the row may be written; to be released. */
  public boolean latchForWrite(Latch latch) {
    return held.merge(latch, 1, (old, one) -> old == CLEANER ? CLEANER : old + one) != CLEANER;
  }

  /** Whether the row may be cleaned up; to be released. */
  public boolean latchForCleanup(Latch latch) {
    return held.putIfAbsent(latch, CLEANER) == null;
  }

  public void releaseWrite(Latch latch) {
    held.compute(
        latch,
        (key, count) -> {
          assert count != null && count > 0 : "no write holds it: " + count;
          return count == 1 ? null : count - 1;
        });
  }

  public void releaseCleanup(Latch latch) {
    Integer old = held.remove(latch);
    assert old != null && old == CLEANER : "no cleanup holds it: " + old;
  }
}
