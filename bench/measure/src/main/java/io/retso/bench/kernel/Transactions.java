package io.retso.bench.kernel;

import io.retso.bench.load.RowSource;
import io.retso.machine.Machine;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * The paper's workload at an oracle: so many transactions are open at any time, and the oldest one
 * commits next. Only the processor time of the oracle is counted, not that of drawing rows.
 */
final class Transactions {
  /**
   * What each transaction brings.
   *
   * @param writes rows that it writes; {@link #DRAWN} for 0 to 20, as many as the source says
   * @param reads rows that it reads and does not write; if there are any, it is serializable
   */
  record Shape(int writes, int reads) {
    static final int DRAWN = -1;

    /** The paper's: 0 to 20 rows. */
    static final Shape PAPER = new Shape(DRAWN, 0);
  }

  private static final int CHUNK = 4096;

  private final StatusOracle oracle;
  private final RowSource source;
  private final Shape shape;
  private final CommitBatch batch = new CommitBatch(RowSource.ROWS_PER_TRANSACTION_MAX);
  private final long[] open;
  private final long[] starts = new long[CommitBatch.COMMITS_MAX];
  private final int[] counts = new int[CHUNK];
  private final long[] rows = new long[CHUNK * RowSource.ROWS_PER_TRANSACTION_MAX];
  private int oldest;
  private long nanos;
  private long committed;
  private long decided;

  Transactions(StatusOracle oracle, RowSource source, int outstanding) {
    this(oracle, source, outstanding, Shape.PAPER);
  }

  Transactions(StatusOracle oracle, RowSource source, int outstanding, Shape shape) {
    this.shape = shape;
    this.oracle = oracle;
    this.source = source;
    open = new long[outstanding];
    long first = oracle.begin(outstanding);
    for (int i = 0; i < outstanding; i++) {
      open[i] = first + ((long) i << Timestamps.GAP_BITS);
    }
  }

  /** Decides at least so many transactions. */
  void run(long transactions) {
    for (long done = 0; done < transactions; done += CHUNK) {
      chunk();
    }
  }

  private void chunk() {
    int drawn = 0;
    for (int i = 0; i < CHUNK; i++) {
      counts[i] = shape.writes == Shape.DRAWN ? source.nextCount() : shape.writes + shape.reads;
      for (int j = 0; j < counts[i]; j++) {
        rows[drawn++] = source.nextRow();
      }
    }
    long begin = Machine.threadCpuNanos();
    int row = 0;
    for (int i = 0; i < CHUNK; i++) {
      int count = counts[i];
      if (!batch.hasRoomFor(count)) {
        decide();
      }
      starts[batch.size()] = open[(oldest + batch.size()) % open.length];
      long start = starts[batch.size()];
      int at =
          shape.reads == 0
              ? batch.add(start, false, count)
              : batch.add(start, false, true, shape.writes, 0, shape.reads, 0, 0);
      System.arraycopy(rows, row, batch.rows(), at, count);
      row += count;
    }
    decide();
    nanos += Machine.threadCpuNanos() - begin;
    decided += CHUNK;
  }

  private void decide() {
    oracle.commit(batch);
    int size = batch.size();
    for (int i = 0; i < size; i++) {
      if (Outcome.isCommitted(batch.outcome(i))) {
        committed++;
        oracle.cleaned(starts[i]);
      }
    }
    batch.clear();
    long first = oracle.begin(size);
    for (int i = 0; i < size; i++) {
      open[oldest] = first + ((long) i << Timestamps.GAP_BITS);
      oldest = oldest + 1 == open.length ? 0 : oldest + 1;
    }
  }

  /** Processor time that the oracle took since the last call of this, nanoseconds. */
  long takeNanos() {
    long taken = nanos;
    nanos = 0;
    return taken;
  }

  /** Transactions decided so far. */
  long decided() {
    return decided;
  }

  /** Those that committed. */
  long committed() {
    return committed;
  }
}
