package io.retso.bench.kernel;

import io.retso.bench.kernel.Transactions.Shape;
import io.retso.bench.load.RowSource;
import io.retso.machine.ProcessTimes;
import io.retso.machine.RandomLines;
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
  private static final long COMPARED = ROUND / 2;
  private static final double ROWS_MEAN = RowSource.ROWS_PER_TRANSACTION_MAX / 2.0;
  private static final int WARM_TURNS_MAX = 10;
  private static final double COMPILERS_BUSY = 0.05;

  /** Rows that a transaction writes, and reads, where the two isolation levels are compared. */
  static final int ROWS = 10;

  /** Transactions under way at a time. */
  static final int OUTSTANDING = 1000;

  /** Lines of the table in which the oracle keeps what was read: half a MiB. */
  private static final int READ_LINE_BITS = 13;

  /** After so many timestamps without a certification the oracle records no writes for it. */
  private static final int AWAKE = WINDOW_TIMESTAMPS / 8;

  private static final int PASS = 1 << 16;

  private final StatusOracle oracle;
  private final Transactions load;
  private final Transactions snapshot;
  private final Transactions serializable;
  private final RandomLines memory = new RandomLines();
  private final RandomLines readLines = new RandomLines(READ_LINE_BITS);
  private long turns;

  /**
   * What was measured in one turn.
   *
   * @param linesPerSecond random cache lines that the memory reads
   * @param readLinesPerSecond random lines that are read of a table as large as the one in which
   *     the oracle keeps what was read
   * @param perSecond transactions of 0 to 20 rows that the oracle decides
   * @param snapshot transactions of {@value #ROWS} written rows, under snapshot isolation
   * @param serializable the same, serializable, that read {@value #ROWS} other rows
   * @param beside those of snapshot isolation while serializable ones are certified, too
   */
  public record Turn(
      double linesPerSecond,
      double readLinesPerSecond,
      double perSecond,
      double snapshot,
      double serializable,
      double beside) {
    /** Transactions of snapshot isolation beside serializable ones, of those alone, of 1. */
    public double besideShare() {
      return beside / snapshot;
    }

    /** Nanoseconds that a transaction takes longer because its reads are certified. */
    public double certificationNanos() {
      return 1e9 / serializable - 1e9 / snapshot;
    }

    /** Nanoseconds for the lines alone that a certification looks at: of rows read and written. */
    public double certificationLinesNanos() {
      return 2 * ROWS * 1e9 / readLinesPerSecond;
    }

    /** Serializable transactions beside those of snapshot isolation, of 1. */
    public double serializableShare() {
      return serializable / snapshot;
    }

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
    oracle = oracle(capacity);
    load = new Transactions(oracle, new RowSource(seed, tableRows), OUTSTANDING);
    snapshot =
        new Transactions(
            oracle, new RowSource(seed + 1, tableRows), OUTSTANDING, new Shape(ROWS, 0));
    serializable =
        new Transactions(
            oracle, new RowSource(seed + 2, tableRows), OUTSTANDING, new Shape(ROWS, ROWS));
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

  /** Measures once: three seconds. */
  public Turn measure() {
    double lines = memory.readsPerSecond(turns);
    double ofReads = readLines.readsPerSecond(turns++);
    double paper = perSecond(load, ROUND);
    double alone = perSecond(snapshot, COMPARED);
    double certified = perSecond(serializable, COMPARED);
    double beside = perSecond(snapshot, COMPARED); // the oracle is awake to the end of it
    for (int passed = 0; passed < AWAKE; ) {
      passed += oracle.pass(PASS);
    }
    return new Turn(lines, ofReads, paper, alone, certified, beside);
  }

  private static double perSecond(Transactions transactions, long count) {
    transactions.takeNanos();
    long before = transactions.decided();
    transactions.run(count);
    return (transactions.decided() - before) * 1e9 / transactions.takeNanos();
  }

  /** The median of a figure of turns. */
  public static double median(Stream<Turn> turns, ToDoubleFunction<Turn> figure) {
    double[] sorted = turns.mapToDouble(figure).sorted().toArray();
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }
}
