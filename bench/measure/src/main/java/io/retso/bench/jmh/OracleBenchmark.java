package io.retso.bench.jmh;

import io.retso.bench.load.RowSource;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds per transaction: begin, commit of 0 to 20 rows, cleaned; 1000 open. The table has as
 * many rows as the map, except that the naive oracle has no limit. Includes drawing the rows.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class OracleBenchmark {
  private static final int BATCH = 16;
  private static final int OPEN = 1000 / BATCH * BATCH;

  /** Rows of the table. */
  @Param({"100000", "4000000"})
  public long rows;

  private final CommitBatch batch = new CommitBatch(RowSource.ROWS_PER_TRANSACTION_MAX);
  private final long[] open = new long[OPEN];
  private final long[] committing = new long[BATCH];
  private final long[] row = new long[RowSource.ROWS_PER_TRANSACTION_MAX];
  private StatusOracle oracle;
  private NaiveOracle naive;
  private RowSource source;
  private int next;

  /** Makes the oracles; they fill up during the warm-up. */
  @Setup
  public void setUp() {
    source = new RowSource(1, rows);
    oracle = new StatusOracle(2 * rows, 1 << 22, 1_000_000, Changes.NONE);
    oracle.replay().start(Timestamps.GAP);
    naive = new NaiveOracle();
    next = 0;
  }

  private boolean warmedUp() {
    return open[next] != 0;
  }

  /** The oracle. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long statusOracle() {
    long first = oracle.begin(BATCH);
    int slot = next;
    boolean commits = warmedUp();
    for (int i = 0; i < BATCH; i++) {
      long start = open[slot + i];
      open[slot + i] = first + ((long) i << Timestamps.GAP_BITS);
      if (commits) {
        int count = source.nextCount();
        int at = batch.add(start, false, count);
        for (int j = 0; j < count; j++) {
          batch.rows()[at + j] = source.nextRow();
        }
        committing[i] = start;
      }
    }
    oracle.commit(batch);
    long sum = 0;
    for (int i = 0; i < batch.size(); i++) {
      sum += oracle.cleaned(committing[i]) + batch.outcome(i);
    }
    batch.clear();
    next = (next + BATCH) % OPEN;
    return sum;
  }

  /** The naive reference. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long naiveHashMap() {
    int slot = next;
    boolean commits = warmedUp();
    long sum = 0;
    for (int i = 0; i < BATCH; i++) {
      long start = open[slot + i];
      open[slot + i] = naive.begin();
      if (commits) {
        int count = source.nextCount();
        for (int j = 0; j < count; j++) {
          row[j] = source.nextRow();
        }
        sum += naive.commit(start, row, 0, count);
        naive.cleaned(start);
      }
    }
    next = (next + BATCH) % OPEN;
    return sum;
  }
}
