package io.retso.bench.kernel;

import io.retso.bench.load.RowSource;
import io.retso.bench.machine.ProcessTimes;
import io.retso.bench.machine.RandomLines;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The oracle alone on one thread, and the memory that it waits for, measured in turns: whatever
 * else the machine does meets both. All figures are per second of the thread's processor time.
 */
public final class KernelTurns {
  private static final int WINDOW_TIMESTAMPS = 1 << 23;
  private static final int UNCLEANED_MAX = 1_000_000;
  private static final long ROUND = 1_000_000;
  private static final double ROWS_MEAN = RowSource.ROWS_PER_TRANSACTION_MAX / 2.0;
  private static final int WARM_TURNS_MAX = 10;
  private static final double COMPILERS_BUSY = 0.05;

  /** Transactions under way at a time. */
  static final int OUTSTANDING = 1000;

  private final Transactions load;
  private final RandomLines memory = new RandomLines();
  private long turns;

  /**
   * What was measured in one turn.
   *
   * @param linesPerSecond random cache lines that the memory reads
   * @param perSecond transactions of 0 to 20 rows that the oracle decides
   */
  public record Turn(double linesPerSecond, double perSecond) {
    /** Lines that the oracle uses of those that the memory could read, of 1. */
    public double shareOfLines() {
      return perSecond * ROWS_MEAN / linesPerSecond;
    }
  }

  /**
   * Makes an oracle and fills its map, until the JVM's compilers have little to do.
   *
   * @param capacity rows that it remembers
   * @param tableRows rows of the table that is written
   * @param filling transactions before the first turn
   */
  public KernelTurns(long capacity, long tableRows, long seed, long filling) {
    load = new Transactions(oracle(capacity), new RowSource(seed, tableRows), OUTSTANDING);
    load.run(filling);
    long pid = ProcessHandle.current().pid();
    ProcessTimes before;
    int warm = 0;
    do {
      before = ProcessTimes.of(pid);
      measure();
    } while (ProcessTimes.of(pid).compilerCores(before) > COMPILERS_BUSY
        && ++warm < WARM_TURNS_MAX);
  }

  /** An oracle of the usual size that has decided nothing. */
  static StatusOracle oracle(long rows) {
    StatusOracle oracle = new StatusOracle(rows, WINDOW_TIMESTAMPS, UNCLEANED_MAX, Changes.NONE);
    oracle.replay().start(Timestamps.GAP);
    return oracle;
  }

  /** Timestamps whose transactions it remembers. */
  static int windowTimestamps() {
    return WINDOW_TIMESTAMPS;
  }

  /** Measures once: a second. */
  public Turn measure() {
    double lines = memory.readsPerSecond(turns++);
    load.takeNanos();
    long before = load.decided();
    load.run(ROUND);
    return new Turn(lines, (load.decided() - before) * 1e9 / load.takeNanos());
  }

  /** The median of a figure of turns. */
  public static double median(Stream<Turn> turns, ToDoubleFunction<Turn> figure) {
    double[] sorted = turns.mapToDouble(figure).sorted().toArray();
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }
}
