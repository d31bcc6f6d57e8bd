package io.retso.workload.store;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.client.UnknownOutcomeException;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The oracle alone, and all of what it promises is used. Rows follow docs/protocol.md as if they
 * were cells of HBase: a version is there before its writer asks to commit; it gets its commit
 * timestamp a while after the reply, or never; readers who find none ask the oracle; sweeps clean
 * up after lost replies; and what lies below the low watermark is dropped without a question. So an
 * oracle that forgets a decision, or reports a sweep or a watermark too high, is found out by what
 * is read.
 *
 * <p>It has no scans. A lost answer is not asked for again: {@link Tx#isCommittedAfterAll}.
 *
 * <p>Thread-safe; a transaction is for one thread.
 */
public final class AskingStore extends OracleStore {
  private static final int LATER_MILLIS_MAX = 500;
  private static final long SWEEP_MILLIS = 300;

  /** So many of a hundred commits are cleaned up at once, and so many by a sweep only. */
  private static final int AT_ONCE = 60;

  private static final int NEVER = 3;
  private static final int HUNDRED = 100;

  private final ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1);
  private final ScheduledExecutorService sweeper = new ScheduledThreadPoolExecutor(1);

  /** Uses an oracle, which is closed with the store. */
  public AskingStore(OracleClient oracle) {
    super(oracle);
    later.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    sweeper.scheduleWithFixedDelay(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public Tx begin(Options options) throws IOException {
    return new Tx(options);
  }

  /** The rows of a table that were read or written, in order. */
  public List<String> keys(String table) {
    return List.copyOf(tables.get(table).keySet());
  }

  /** What clients of HBase do now and then, and its compactions. */
  private void sweep() {
    try {
      long watermark = oracle.lowWatermark();
      List<MemoryRow> rows = tables.values().stream().flatMap(t -> t.values().stream()).toList();
      rows.forEach(row -> row.prune(watermark));
      TransactionHandle now = oracle.begin();
      for (MemoryRow row : rows) {
        row.ask(now.startTimestamp());
      }
      oracle.swept(now);
      oracle.endLater(now);
    } catch (OracleException | IOException e) {
      // The next one will do.
    }
  }

  /** Ends the sweeps, and does not wait. */
  @Override
  public void close() {
    sweeper.shutdownNow();
    later.shutdownNow();
    super.close();
  }

  /** A transaction. */
  public final class Tx extends MemoryTransaction {
    private final List<Decision> versions = new ArrayList<>();
    private long committed;

    private Tx(Options options) throws IOException {
      super(options);
    }

    /** Its snapshot. */
    public long timestamp() {
      return timestamp;
    }

    /** Its commit timestamp; 0 if it has none. */
    public long commitTimestamp() {
      return committed;
    }

    /**
     * The oracle holds a safe snapshot for a minute, or for the time limit of transactions if that
     * is shorter; a reader that stays there for longer is refused, as by regions. The others learn
     * of their time limit from their commit.
     */
    @Override
    byte[] at(MemoryRow row) throws IOException {
      byte[] value = row.at(timestamp);
      return handle == null ? row.complete(value, timestamp) : value;
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) {
      throw new UnsupportedOperationException("this store has no scans: read the rows");
    }

    @Override
    long[] rangeWrites() {
      return new long[0];
    }

    /** Each version is asked for by itself, as each cell is. */
    private Decision version() {
      Decision version = new AskedDecision(timestamp, oracle);
      versions.add(version);
      return version;
    }

    private void decide(long outcome) {
      versions.forEach(version -> version.decide(outcome));
    }

    @Override
    public void commit() throws IOException {
      if (handle == null) {
        end();
        return;
      }
      CommitResult result;
      try {
        result = learned(oracle.commit(request(add(this::version))));
      } catch (UnknownOutcomeException e) {
        throw unknown(e);
      } catch (OracleException e) {
        throw failed(e);
      }
      end();
      if (!result.isCommitted()) {
        decide(Decision.ABORTED);
        oracle.cleanedUpLater(handle);
        throw new RefusedException(reason(result), null);
      }
      committed = writes.isEmpty() ? 0 : result.commitTimestamp();
      cleanUp(result.commitTimestamp());
    }

    private IOException unknown(OracleException e) {
      end();
      return new io.retso.workload.UnknownOutcomeException(e);
    }

    /** Contents that are refused are a defect; else the request never left. */
    private IOException failed(OracleException e) {
      return switch (e.category()) {
        case INVALID_REQUEST, NOT_PERMITTED -> throw e;
        case INTERRUPTED -> unknown(e);
        default -> {
          decide(Decision.ABORTED);
          close();
          yield new IOException(e);
        }
      };
    }

    private void cleanUp(long commit) {
      int draw = ThreadLocalRandom.current().nextInt(HUNDRED);
      if (draw < AT_ONCE || versions.isEmpty()) {
        finish(commit);
      } else if (draw < HUNDRED - NEVER && !later.isShutdown()) {
        later.schedule(
            () -> finish(commit),
            ThreadLocalRandom.current().nextInt(LATER_MILLIS_MAX),
            TimeUnit.MILLISECONDS);
      }
    }

    private void finish(long commit) {
      decide(commit);
      oracle.cleanedUpLater(handle);
    }

    /**
     * Asks how it ended, if its commit failed with an unknown outcome; afterwards it is decided.
     *
     * @return whether it is committed; then {@link #commitTimestamp} says when
     * @throws IOException if that cannot be found out
     */
    public boolean isCommittedAfterAll() throws IOException {
      try {
        CommitResult result = oracle.abort(handle);
        committed = result.isCommitted() ? result.commitTimestamp() : 0;
        return result.isCommitted();
      } catch (OracleException e) {
        throw new IOException(e);
      }
    }
  }
}
