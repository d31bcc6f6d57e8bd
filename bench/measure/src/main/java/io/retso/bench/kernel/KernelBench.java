package io.retso.bench.kernel;

import com.sun.management.ThreadMXBean;
import io.retso.bench.kernel.KernelTurns.Turn;
import io.retso.bench.load.RowSource;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.report.Texts;
import io.retso.report.Verdict;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** {@code retso bench kernel}: the limits of the oracle, without network and log. */
public final class KernelBench {
  private static final int LIFETIME = 100_000;
  private static final long FALSE_ABORT_ROWS = 8_000_000;

  /** The oracle's share of the memory's random lines, of 1, at least. */
  public static final double LINES_SHARE = 0.45;

  private static final double BYTES_PER_ROW = 16;
  private static final double FALSE_ABORTS_PER_MILLION = 1000;
  private static final double REPLAY_SHARE = 0.8;
  private static final double SERIALIZABLE_SHARE = 0.4;
  private static final double BESIDE_SHARE = 0.9;

  private final long capacity;
  private final long tableRows;
  private final long seed;
  private final boolean quick;
  private final PrintWriter out;
  private final List<Verdict> found = new ArrayList<>();

  /**
   * Prepares the measurement.
   *
   * @param capacity rows that the oracle remembers
   * @param tableRows rows of the table that is written
   */
  public KernelBench(long capacity, long tableRows, long seed, boolean quick, PrintWriter out) {
    this.capacity = capacity;
    this.tableRows = tableRows;
    this.seed = seed;
    this.quick = quick;
    this.out = out;
  }

  /** Measures; returns the figures beside their targets. */
  public List<Verdict> run() throws BenchException {
    say(
        "The oracle alone, one thread: 0 to 20 of %,d rows, %,d open; per second of its processor"
            + " time",
        tableRows, KernelTurns.OUTSTANDING);
    bytesPerRow();
    falseAborts();
    throughput();
    return found;
  }

  private void say(String form, Object... values) {
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }

  /** What the construction of an oracle with hardly anything but the map allocates. */
  private void bytesPerRow() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    StatusOracle small = new StatusOracle(1, 8, 1, Changes.NONE);
    long fixed = threads.getCurrentThreadAllocatedBytes() - before;
    before = threads.getCurrentThreadAllocatedBytes();
    StatusOracle large = new StatusOracle(capacity, 8, 1, Changes.NONE);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before - fixed;
    double perRow = (double) bytes / capacity;
    say("  %,d rows take %s: %.2f bytes a row", capacity, Texts.bytes(bytes), perRow);
    found.add(
        new Verdict(
            "bytes a row",
            perRow,
            false,
            BYTES_PER_ROW,
            Texts.rate(large.counters().mapCapacity - small.counters().mapCapacity) + " rows"));
  }

  private void falseAborts() {
    StatusOracle oracle = KernelTurns.oracle(FALSE_ABORT_ROWS);
    Transactions others =
        new Transactions(oracle, new RowSource(seed + 1, tableRows), KernelTurns.OUTSTANDING);
    others.run(2 * FALSE_ABORT_ROWS / 10);
    LongLived probes = new LongLived(oracle, others, new RowSource(seed + 2, tableRows), LIFETIME);
    probes.run(quick ? 200_000 : 1_000_000);
    long judged = probes.decided() - probes.conflicts();
    double perMillion = probes.falseAborts() * 1e6 / judged;
    say(
        "  false aborts at %,d rows of transactions that live for %,d others: %d of %,d (and %,d"
            + " true conflicts)",
        FALSE_ABORT_ROWS, LIFETIME, probes.falseAborts(), judged, probes.conflicts());
    found.add(
        new Verdict(
            "false aborts per million",
            perMillion,
            false,
            FALSE_ABORTS_PER_MILLION,
            probes.falseAborts() + " of " + judged));
  }

  /** The memory, the oracle and the replay of a log take turns. */
  private void throughput() throws BenchException {
    try {
      Replay log =
          Replay.log(
              quick ? 500_000 : 2_000_000, tableRows, seed + 3, KernelTurns.windowTimestamps());
      // In a JVM that never replayed, as that of a restarted server.
      Replay.Result first = log.replay(KernelTurns.oracle(capacity));
      KernelTurns kernel =
          new KernelTurns(
              capacity, tableRows, seed, Math.min(capacity, tableRows) / 10 * (quick ? 1 : 2));
      List<Turn> turns = new ArrayList<>();
      double[] replays = new double[quick ? 5 : 9];
      double[] shares = new double[replays.length];
      ProgressLine line = new ProgressLine(out);
      ProgressLine.Steps steps = line.steps(replays.length);
      for (int i = 0; i < replays.length; i++) {
        steps.begin("  memory, oracle and replay in turns, round " + (i + 1));
        turns.add(kernel.measure());
        replays[i] = log.replay(KernelTurns.oracle(capacity)).perSecond();
        shares[i] = replays[i] / turns.get(i).perSecond();
      }
      line.clear();
      Arrays.sort(replays);
      Arrays.sort(shares);
      print(turns, replays, first, shares[shares.length / 2]);
    } catch (LogException e) {
      throw new BenchException("the log in memory cannot be replayed: " + e.getMessage(), e);
    }
  }

  private void print(List<Turn> turns, double[] replays, Replay.Result first, double replayShare) {
    double lines = KernelTurns.median(turns.stream(), Turn::linesPerSecond);
    double median = KernelTurns.median(turns.stream(), Turn::perSecond);
    double replay = replays[replays.length / 2];
    say("  the memory: %s reads/s of random cache lines, in turns with", Texts.rate(lines));
    say(
        "  begin, commit, cleaned: %s transactions/s (median of %d; %s to %s), in turns with",
        Texts.rate(median),
        turns.size(),
        Texts.rate(turns.stream().mapToDouble(Turn::perSecond).min().orElse(0)),
        Texts.rate(turns.stream().mapToDouble(Turn::perSecond).max().orElse(0)));
    say(
        "  replay of %,d logged transactions (%s): %s/s, the first time, in a cold JVM, %s/s",
        first.transactions(),
        Texts.bytes(first.bytes()),
        Texts.rate(replay),
        Texts.rate(first.perSecond()));
    isolation(turns);
    found.add(
        new Verdict(
            "oracle alone, share of the memory's lines",
            KernelTurns.median(turns.stream(), Turn::shareOfLines),
            true,
            LINES_SHARE,
            Texts.rate(median) + " x 10 rows / " + Texts.rate(lines) + " lines"));
    found.add(
        new Verdict(
            "replay / oracle alone, warm",
            replayShare,
            true,
            REPLAY_SHARE,
            Texts.rate(replay) + " / " + Texts.rate(median) + " transactions/s"));
  }

  /**
   * What serializable transactions cost themselves, and those of snapshot isolation beside them.
   */
  private void isolation(List<Turn> turns) {
    double snapshot = KernelTurns.median(turns.stream(), Turn::snapshot);
    double serializable = KernelTurns.median(turns.stream(), Turn::serializable);
    say(
        "  serializable, %d rows read and %d others written: %s/s; snapshot isolation, %d written:"
            + " %s/s",
        KernelTurns.ROWS,
        KernelTurns.ROWS,
        Texts.rate(serializable),
        KernelTurns.ROWS,
        Texts.rate(snapshot));
    found.add(
        new Verdict(
            "serializable / snapshot isolation",
            KernelTurns.median(turns.stream(), Turn::serializableShare),
            true,
            SERIALIZABLE_SHARE,
            Texts.rate(serializable) + " / " + Texts.rate(snapshot) + " transactions/s"));
    say(
        "  of which certification takes %.0f ns, and the lines alone that it looks at %.0f ns",
        KernelTurns.median(turns.stream(), Turn::certificationNanos),
        KernelTurns.median(turns.stream(), Turn::certificationLinesNanos));
    double beside = KernelTurns.median(turns.stream(), Turn::beside);
    say("  snapshot isolation beside serializable transactions: %s/s", Texts.rate(beside));
    found.add(
        new Verdict(
            "snapshot isolation beside serializable / alone",
            KernelTurns.median(turns.stream(), Turn::besideShare),
            true,
            BESIDE_SHARE,
            Texts.rate(beside) + " / " + Texts.rate(snapshot) + " transactions/s"));
  }
}
