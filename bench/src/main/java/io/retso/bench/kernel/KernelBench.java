package io.retso.bench.kernel;

import com.sun.management.ThreadMXBean;
import io.retso.bench.load.RowSource;
import io.retso.bench.report.Comparison;
import io.retso.bench.report.TextTable;
import io.retso.bench.report.Texts;
import io.retso.bench.suite.BenchException;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** {@code retso bench --kernel}: the limits of the oracle, without network and log. */
public final class KernelBench {
  private static final int WINDOW_STAMPS = 1 << 23;
  private static final int UNCLEANED_MAX = 1_000_000;
  private static final int OUTSTANDING = 1000;
  private static final int LIFETIME = 100_000;
  private static final long FALSE_ABORT_ROWS = 8_000_000;
  private static final long ROUND = 1_000_000;

  private static final double ROWS_MEAN = RowSource.ROWS_PER_TRANSACTION_MAX / 2.0;
  private static final double PER_SECOND = 3_000_000;
  private static final double BYTES_PER_ROW = 16;
  private static final double FALSE_ABORTS_PER_MILLION = 1000;
  private static final double REPLAYED_PER_SECOND = 2_000_000;

  private final long capacity;
  private final long tableRows;
  private final long seed;
  private final boolean quick;
  private final PrintWriter out;
  private final List<Comparison> found = new ArrayList<>();

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

  /** Measures and prints; returns the figures beside their targets. */
  public List<Comparison> run() throws BenchException {
    say("The oracle alone, one thread: 0 to 20 of %,d rows, %,d open", tableRows, OUTSTANDING);
    bytesPerRow();
    throughput();
    falseAborts();
    replay();
    TextTable table = new TextTable("lrrll", "kernel", "measured", "target", "", "");
    for (Comparison c : found) {
      table.row(
          c.what(),
          number(c.value()),
          (c.atLeast() ? ">= " : "<= ") + number(c.target()),
          c.met() ? "met" : "missed",
          c.made());
    }
    out.println();
    out.print(table);
    out.flush();
    return found;
  }

  private static String number(double value) {
    return value >= 10_000 ? Texts.rate(value) : Texts.decimal(value);
  }

  private void say(String form, Object... values) {
    out.println(String.format(Locale.ROOT, form, values));
    out.flush();
  }

  private StatusOracle oracle(long rows) {
    StatusOracle oracle = new StatusOracle(rows, WINDOW_STAMPS, UNCLEANED_MAX, Changes.NONE);
    oracle.replay().start(Timestamps.GAP);
    return oracle;
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
        new Comparison(
            "bytes a row",
            perRow,
            false,
            BYTES_PER_ROW,
            Texts.rate(large.counters().mapCapacity - small.counters().mapCapacity) + " rows"));
  }

  private void throughput() {
    Transactions load =
        new Transactions(oracle(capacity), new RowSource(seed, tableRows), OUTSTANDING);
    long filling = Math.min(capacity, tableRows) / 10 * (quick ? 1 : 2);
    load.run(filling);
    load.takeNanos();
    RandomLines memory = new RandomLines();
    double[] rates = new double[quick ? 5 : 11];
    double[] reads = new double[rates.length];
    for (int i = 0; i < rates.length; i++) { // in turns, as both depend on the machine's mood
      reads[i] = memory.readsPerSecond(i);
      long before = load.decided();
      load.run(ROUND);
      rates[i] = (load.decided() - before) * 1e9 / load.takeNanos();
    }
    Arrays.sort(rates);
    Arrays.sort(reads);
    say(
        "  the memory: %s reads/s of random cache lines, independent of each other",
        Texts.rate(reads[reads.length / 2]));
    double median = rates[rates.length / 2];
    say(
        "  begin, commit, cleaned: %s transactions/s (median of %d; %s to %s)",
        Texts.rate(median),
        rates.length,
        Texts.rate(rates[0]),
        Texts.rate(rates[rates.length - 1]));
    found.add(
        new Comparison(
            "transactions/s",
            median,
            true,
            PER_SECOND,
            "begin + commit + cleaned; "
                + Texts.percent(median * ROWS_MEAN / reads[reads.length / 2])
                + " of the lines that the memory reads"));
  }

  private void falseAborts() {
    StatusOracle oracle = oracle(FALSE_ABORT_ROWS);
    Transactions others = new Transactions(oracle, new RowSource(seed + 1, tableRows), OUTSTANDING);
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
        new Comparison(
            "false aborts per million",
            perMillion,
            false,
            FALSE_ABORTS_PER_MILLION,
            probes.falseAborts() + " of " + judged));
  }

  /** The first replay runs in a JVM that never replayed, as that of a restarted server. */
  private void replay() throws BenchException {
    Replay log = Replay.log(quick ? 500_000 : 2_000_000, tableRows, seed + 3, WINDOW_STAMPS);
    try {
      Replay.Result first = log.replay(oracle(capacity));
      double[] rates = new double[quick ? 3 : 5];
      for (int i = 0; i < rates.length; i++) {
        rates[i] = log.replay(oracle(capacity)).perSecond();
      }
      Arrays.sort(rates);
      double median = rates[rates.length / 2];
      say(
          "  replay of %,d logged transactions (%s): %s/s, the first time %s/s",
          first.transactions(),
          Texts.bytes(first.bytes()),
          Texts.rate(median),
          Texts.rate(first.perSecond()));
      found.add(
          new Comparison(
              "replayed transactions/s",
              median,
              true,
              REPLAYED_PER_SECOND,
              "log in memory; the first time " + Texts.rate(first.perSecond())));
    } catch (LogException e) {
      throw new BenchException("the log in memory cannot be replayed: " + e.getMessage(), e);
    }
  }
}
