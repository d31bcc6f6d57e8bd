package io.retso.bench.jmh;

import io.retso.bench.load.RowSource;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Nanoseconds per commit record of 10 rows, checksum included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class LogEntryBenchmark {
  private static final int COMMITS = 1000;
  private static final int ROWS = 10;
  private static final int CAPACITY = 256 * 1024;

  private final LogEntry entry = new LogEntry(CAPACITY);
  private final long[] rows = new long[ROWS];
  private final long[] read = new long[ROWS];
  private final Summer summer = new Summer();
  private ByteBuffer sealed;

  /** Prepares an entry to read. */
  @Setup
  public void setUp() {
    RowSource source = new RowSource(1, 20_000_000);
    for (int i = 0; i < ROWS; i++) {
      rows[i] = source.nextRow();
    }
    LogEntry other = new LogEntry(CAPACITY);
    fill(other);
    sealed = other.seal(1);
  }

  private void fill(LogEntry into) {
    for (int i = 1; i <= COMMITS; i++) {
      long start = (long) i << Timestamps.GAP_BITS;
      into.committed(start, start + 1000L * Timestamps.GAP, rows, 0, ROWS);
    }
  }

  /** Writes and seals an entry. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  public ByteBuffer write() {
    entry.clear();
    fill(entry);
    return entry.seal(1);
  }

  /** Checks and reads an entry. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  public long read() throws LogException {
    LogEntry.read(sealed.duplicate(), read, summer);
    return summer.sum;
  }

  private static final class Summer implements LogEntry.Visitor {
    private long sum;

    @Override
    public void committed(long start, long commit, long[] rows, int from, int to) {
      sum += commit + rows[to - 1];
    }

    @Override
    public void aborted(long start) {
      sum += start;
    }

    @Override
    public void cleaned(long start) {
      sum += start;
    }

    @Override
    public void swept(long below) {
      sum += below;
    }

    @Override
    public void expired(long below) {
      sum += below;
    }

    @Override
    public void watermark(long below) {
      sum += below;
    }

    @Override
    public void reserved(long timestamp) {
      sum += timestamp;
    }

    @Override
    public void segment(long timestamp) {
      sum += timestamp;
    }

    @Override
    public void uncleaned(long start, long commit) {
      sum += commit;
    }

    @Override
    public void continued() {
      sum++;
    }
  }
}
