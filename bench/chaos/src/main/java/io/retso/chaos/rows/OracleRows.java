package io.retso.chaos.rows;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.RowId;
import io.retso.client.TransactionHandle;
import io.retso.client.UnknownOutcomeException;
import io.retso.verify.history.Isolation;
import io.retso.verify.lists.ListStore.CommitFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Rows of numbers with all of their versions, in this process's memory. They follow
 * docs/protocol.md as if they were cells of HBase: a version is there before its writer asks to
 * commit; it gets its commit timestamp a while after the reply, or never; readers who find none ask
 * the oracle; sweeps clean up after lost replies; and what lies below the low watermark is dropped
 * without a question. So an oracle that forgets a decision, or reports a sweep or a watermark too
 * high, is found out by what is read.
 *
 * <p>Thread-safe; a transaction is for one thread.
 */
public final class OracleRows implements AutoCloseable {
  private static final byte[] TABLE = {'r', 'o', 'w', 's'};
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int LATER_MILLIS_MAX = 500;
  private static final long SWEEP_MILLIS = 300;

  /** So many of a hundred commits are cleaned up at once, and so many by a sweep only. */
  private static final int AT_ONCE = 60;

  private static final int NEVER = 3;
  private static final int HUNDRED = 100;

  private final OracleClient oracle;
  private final Map<Long, VersionedRow> rows = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
  private final ScheduledExecutorService sweeper = new ScheduledThreadPoolExecutor(1);

  /** What rows may have dropped is below it. */
  private volatile long pruned;

  /** Uses an oracle, which is closed with the rows. */
  public OracleRows(OracleClient oracle) {
    this.oracle = oracle;
    later.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    sweeper.scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The rows that were read or written. */
  public List<Long> keys() {
    return rows.keySet().stream().sorted().toList();
  }

  /**
   * Begins a transaction.
   *
   * @throws IOException if the oracle does not answer
   */
  public Tx begin(Isolation isolation) throws IOException {
    try {
      return switch (isolation) {
        case RECENT -> new Tx(isolation, oracle.safeSnapshot(), null);
        case DEFERRED -> new Tx(isolation, safeAfter(oracle.timestamp()), null);
        case SNAPSHOT, SERIALIZABLE, LATEST -> {
          TransactionHandle handle = oracle.begin();
          yield new Tx(isolation, handle.startTimestamp(), handle);
        }
      };
    } catch (OracleException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private long safeAfter(long timestamp) {
    long safe = oracle.safeSnapshot();
    while (safe <= timestamp) {
      LockSupport.parkNanos(POLL_NANOS);
      safe = oracle.safeSnapshot();
    }
    return safe;
  }

  private VersionedRow row(long key) {
    return rows.computeIfAbsent(key, k -> new VersionedRow());
  }

  private static long id(long key) {
    return RowId.of(TABLE, ByteBuffer.allocate(Long.BYTES).putLong(key).array());
  }

  private static long[] ids(Set<Long> keys) {
    return keys.stream().mapToLong(OracleRows::id).toArray();
  }

  /** What clients of HBase do now and then, and its compactions. */
  private void sweep() {
    try {
      long watermark = oracle.lowWatermark();
      pruned = Math.max(pruned, watermark); // before anything is dropped
      rows.values().forEach(row -> row.prune(watermark));
      TransactionHandle now = oracle.begin();
      for (VersionedRow row : rows.values()) {
        row.decide(now.startTimestamp(), oracle::status);
      }
      oracle.swept(now);
      oracle.endLater(now);
    } catch (OracleException e) {
      // The next one will do.
    }
  }

  /** Ends the sweeps, and does not wait. */
  @Override
  public void close() {
    sweeper.shutdownNow();
    later.shutdownNow();
    oracle.close();
  }

  /** A transaction. */
  public final class Tx {
    private final Isolation isolation;
    private final long timestamp;

    /** Null if it reads a safe snapshot. */
    private final TransactionHandle handle;

    private final Map<Long, long[]> writes = new HashMap<>();
    private final Set<Long> reads = new HashSet<>();
    private long commit;

    Tx(Isolation isolation, long timestamp, TransactionHandle handle) {
      this.handle = handle;
      this.isolation = isolation;
      this.timestamp = timestamp;
    }

    /** Its snapshot. */
    public long timestamp() {
      return timestamp;
    }

    /** Its commit timestamp; 0 if it has none. */
    public long commitTimestamp() {
      return commit;
    }

    /**
     * What is in a row; it is not to be changed.
     *
     * @return null if nothing was written to it
     * @throws IOException if the oracle does not answer, or the snapshot is too old
     */
    public long[] read(long key) throws IOException {
      long[] own = writes.get(key);
      if (own != null) {
        return own;
      }
      reads.add(key);
      try {
        long[] value = row(key).at(timestamp, oracle::status);
        refuseOldSnapshots();
        return value;
      } catch (OracleException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    /**
     * The oracle holds a safe snapshot for a minute, or for the time limit of transactions if that
     * is shorter; a reader that stays there for longer is refused, as by regions. The others learn
     * of their time limit from their commit.
     */
    private void refuseOldSnapshots() throws IOException {
      if (!isTracked() && timestamp < pruned) {
        throw new IOException("the snapshot " + timestamp + " is too old: " + pruned);
      }
    }

    /** Writes a row; the value is not copied. */
    public void write(long key, long[] value) {
      writes.put(key, value);
    }

    private boolean isTracked() {
      return isolation != Isolation.RECENT && isolation != Isolation.DEFERRED;
    }

    /**
     * Commits.
     *
     * @throws CommitFailure if it did not, or that is not known
     */
    public void commit() throws CommitFailure {
      if (!isTracked()) {
        return;
      }
      writes.forEach((key, value) -> row(key).add(timestamp, value));
      CommitResult result;
      try {
        result = oracle.commit(request());
      } catch (UnknownOutcomeException e) {
        throw new CommitFailure(CommitFailure.Kind.UNKNOWN, e);
      } catch (OracleException e) {
        throw failed(e);
      }
      if (result.isCommitted()) {
        commit = writes.isEmpty() ? 0 : result.commitTimestamp();
        cleanUp(result.commitTimestamp());
      } else {
        remove();
        oracle.cleanedUpLater(handle);
        throw new CommitFailure(kind(result.abortReason()), new IOException(result.toString()));
      }
    }

    private CommitRequest request() {
      CommitRequest request = CommitRequest.of(handle).withWrites(ids(writes.keySet()));
      if (isolation == Isolation.SNAPSHOT) {
        return request;
      }
      reads.removeAll(writes.keySet());
      return request.serializable().withReads(ids(reads));
    }

    /** Contents that are refused are a defect; else the request never left. */
    private CommitFailure failed(OracleException e) {
      switch (e.category()) {
        case INVALID_REQUEST, NOT_PERMITTED -> throw e;
        case INTERRUPTED -> {
          return new CommitFailure(CommitFailure.Kind.UNKNOWN, e);
        }
        default -> {
          rollback();
          return new CommitFailure(CommitFailure.Kind.FAILED, new IOException(e.getMessage(), e));
        }
      }
    }

    private static CommitFailure.Kind kind(CommitResult.AbortReason reason) {
      return switch (reason) {
        case CONFLICT -> CommitFailure.Kind.CONFLICT;
        case PIVOT, READ_ONLY, UNKNOWN_SUCCESSOR -> CommitFailure.Kind.REFUSED;
        case TOO_OLD, EARLIER -> CommitFailure.Kind.FAILED;
      };
    }

    private void cleanUp(long decided) {
      int draw = ThreadLocalRandom.current().nextInt(HUNDRED);
      if (draw < AT_ONCE || writes.isEmpty()) {
        finish(decided);
      } else if (draw < HUNDRED - NEVER && !later.isShutdown()) {
        later.schedule(
            () -> finish(decided),
            ThreadLocalRandom.current().nextInt(LATER_MILLIS_MAX),
            TimeUnit.MILLISECONDS);
      }
    }

    private void finish(long decided) {
      writes.keySet().forEach(key -> row(key).decide(timestamp, decided));
      oracle.cleanedUpLater(handle);
    }

    private void remove() {
      writes.keySet().forEach(key -> row(key).remove(timestamp));
    }

    /**
     * How it ended, if its commit failed with an unknown outcome; afterwards it is decided.
     *
     * @throws IOException if that cannot be found out
     */
    public CommitResult resolve() throws IOException {
      try {
        return oracle.abort(handle);
      } catch (OracleException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    /** Gives up. */
    public void rollback() {
      if (isTracked()) {
        remove();
        oracle.endLater(handle);
      }
    }
  }
}
