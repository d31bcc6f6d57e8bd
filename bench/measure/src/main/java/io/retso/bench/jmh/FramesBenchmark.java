package io.retso.bench.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.retso.bench.load.RowSource;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Timestamps;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Nanoseconds per commit request of 0 to 20 rows in a frame of 1000. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class FramesBenchmark {
  private static final int COMMITS = 1000;
  private static final int FRAME_BYTES_MAX = 256 * 1024;

  private final long[] rows = new long[RowSource.ROWS_PER_TRANSACTION_MAX];
  private ByteBuf frame;
  private ByteBuf out;

  /** Prepares a frame. */
  @Setup
  public void setUp() {
    frame = PooledByteBufAllocator.DEFAULT.directBuffer(FRAME_BYTES_MAX);
    out = PooledByteBufAllocator.DEFAULT.directBuffer(FRAME_BYTES_MAX);
    encode(frame, new RowSource(1, 20_000_000));
  }

  /** Releases the buffers. */
  @TearDown
  public void tearDown() {
    frame.release();
    out.release();
  }

  private static void encode(ByteBuf to, RowSource source) {
    Frames.writeHeader(to, FrameType.COMMIT, 0, 1, 0);
    for (int i = 1; i <= COMMITS; i++) {
      int count = source.nextCount();
      to.writeLong((long) i << Timestamps.GAP_BITS).writeLong(i);
      to.writeInt(count);
      for (int j = 0; j < count; j++) {
        to.writeLong(source.nextRow());
      }
    }
    Frames.finishFrame(to, 0, COMMITS);
  }

  /** Checks a frame, as the server does first. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  public int check() throws FrameException {
    Frames.checkRequest(frame, 0, frame.writerIndex());
    return Frames.count(frame, 0);
  }

  /** Checks a frame and reads its requests. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  public long checkAndDecode() throws FrameException {
    Frames.checkRequest(frame, 0, frame.writerIndex());
    int index = Frames.HEADER_BYTES;
    long sum = 0;
    for (int i = 0; i < COMMITS; i++) {
      sum += frame.getLong(index) + frame.getLong(index + Long.BYTES);
      int count = frame.getInt(index + Frames.TICKET_BYTES) & FrameType.ROWS_MASK;
      index += Frames.COMMIT_FIXED_BYTES;
      for (int j = 0; j < count; j++, index += Long.BYTES) {
        rows[j] = frame.getLong(index);
      }
      sum += rows[0];
    }
    return sum;
  }

  /** Draws random rows and writes a frame, as the load generator does. */
  @Benchmark
  @OperationsPerInvocation(COMMITS)
  public int drawAndEncode() {
    out.clear();
    encode(out, new RowSource(2, 20_000_000));
    return out.writerIndex();
  }
}
