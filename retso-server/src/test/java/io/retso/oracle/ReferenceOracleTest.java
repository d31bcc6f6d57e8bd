package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Millions of random operations on the real oracle, judged by the naive one. Memory is tiny, so
 * rows are evicted and transactions leave the window all the time.
 *
 * <p>{@code -Dretso.oracle.seed=S} repeats a failure; {@code -Dretso.oracle.operations=N} goes on
 * longer.
 */
class ReferenceOracleTest {
  private static final long SEED = Long.getLong("retso.oracle.seed", 20_110_401L);
  private static final int OPERATIONS = Integer.getInteger("retso.oracle.operations", 3_000_000);
  private static final int ROUNDS = 60;

  @Test
  void answersLikeTheReference() {
    Map<String, Long> seen = new HashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + round;
      Run run = new Run(seed);
      try {
        run.run(OPERATIONS / ROUNDS);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "-Dretso.oracle.seed=" + seed + ", operation " + run.operation + ": " + e.getMessage(),
            e);
      }
      run.seen.forEach((name, count) -> seen.merge(name, count, Long::sum));
    }
    // A property test that never reaches the rare answers proves nothing.
    for (String name :
        List.of(
            "commit committed",
            "commit aborted by a conflict",
            "commit aborted as too old",
            "commit aborted",
            "commit unknown",
            "commit invalid timestamp",
            "commit refused, too many transactions not cleaned up",
            "status committed",
            "status aborted",
            "status open",
            "status retry",
            "status invalid timestamp",
            "abort committed",
            "abort aborted",
            "abort unknown",
            "abort invalid timestamp",
            "swept done",
            "swept invalid timestamp",
            "expired",
            "passed",
            "watermark held back by the window",
            "watermark held back by the table",
            "watermark at now",
            "cleaned done",
            "cleaned invalid timestamp",
            "kept beyond the window",
            "timestamp")) {
      assertTrue(seen.getOrDefault(name, 0L) > 50, () -> name + " was hardly reached: " + seen);
    }
  }

  /** One oracle of random size and its reference. */
  private static final class Run {
    final Random random;
    final Map<String, Long> seen = new HashMap<>();
    final List<Logged> logged = new ArrayList<>();
    final int capacity;
    final int windowTimestamps;
    final int uncleanedCapacity;
    final int rowRange;
    final StatusOracle oracle;
    final ReferenceOracle reference;
    final CommitBatch batch = new CommitBatch(64);
    final List<Long> recent = new ArrayList<>();

    /** The last of them; no transactions, so requests that name them are to be refused. */
    final ArrayDeque<Long> commits = new ArrayDeque<>();

    final ArrayDeque<Long> timestamps = new ArrayDeque<>();
    int operation;

    Run(long seed) {
      random = new Random(seed);
      capacity = 1 + random.nextInt(random.nextBoolean() ? 20 : 2000);
      windowTimestamps = 1 << 3 + random.nextInt(7);
      uncleanedCapacity = 1 + random.nextInt(windowTimestamps * 2);
      rowRange = 2 + random.nextInt(random.nextBoolean() ? 20 : 1000);
      oracle =
          new StatusOracle(capacity, windowTimestamps, uncleanedCapacity, new Recorder(logged));
      reference = new ReferenceOracle(uncleanedCapacity);
    }

    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        int kind = random.nextInt(100);
        if (kind < 22) {
          begin();
        } else if (kind < 55) {
          commits();
        } else if (kind < 67) {
          status(anyTimestamp(), anyTimestamp());
        } else if (kind < 70) {
          timestamp();
        } else if (kind < 75) {
          abort(anyTimestamp());
        } else if (kind < 97) {
          cleaned(anyTimestamp());
        } else if (kind < 98) {
          swept(anyTimestamp());
        } else if (random.nextInt(20) == 0) {
          expire();
        } else if (random.nextInt(10) == 0) {
          pass();
        } else {
          watermark();
        }
        assertEquals(reference.uncleaned(), oracle.uncleanedCommits());
        if (operation % 10_000 == 9_999) {
          compareReplayed();
        }
      }
      compareCounters();
    }

    private void compareCounters() {
      OracleCounters counters = oracle.counters();
      List<Logged> commits = logged.stream().filter(change -> change.kind == 'c').toList();
      assertEquals(commits.size(), counters.commits);
      assertEquals(commits.stream().mapToInt(commit -> commit.rows.length).sum(), counters.rows);
      assertEquals(seen("begun"), counters.begins);
      assertEquals(seen("commit aborted by a conflict"), counters.conflicts);
      assertEquals(seen("commit aborted as too old"), counters.evicted + counters.outOfWindow);
      assertEquals(seen("commit refused, too many transactions not cleaned up"), counters.refused);
      assertEquals(seen("abort of an open one"), counters.requested);
      assertTrue(seen("cleaned done") <= counters.cleanups);
      assertEquals(seen("timestamp"), counters.timestamps);
      assertEquals(seen("swept done"), counters.sweptReports);
      long queries = 0;
      for (Map.Entry<String, Long> entry : seen.entrySet()) {
        queries += entry.getKey().startsWith("status ") ? entry.getValue() : 0;
      }
      assertEquals(queries, counters.queries);
      assertEquals(reference.uncleaned(), counters.uncleaned);
      assertEquals(uncleanedCapacity, counters.uncleanedCapacity);
      assertEquals(oracle.rows(), counters.mapCapacity);
      long next = oracle.nextTimestamp();
      assertEquals(next - oracle.windowLow() >> Timestamps.GAP_BITS, counters.windowLag);
      assertEquals(next - oracle.lowWatermark() >> Timestamps.GAP_BITS, counters.watermarkLag);
    }

    private long seen(String name) {
      return seen.getOrDefault(name, 0L);
    }

    private ReferenceOracle.Limits limits() {
      return new ReferenceOracle.Limits(oracle.windowLow(), oracle.counters().mapEvictions > 0);
    }

    private void begin() {
      int count = 1 + random.nextInt(random.nextInt(50) == 0 ? 40 : 3);
      long first = oracle.begin(count);
      reference.begin(first, count);
      seen.merge("begun", (long) count, Long::sum);
      for (int i = 0; i < count; i++) {
        recent.add(first + (long) i * Timestamps.GAP);
      }
      while (recent.size() > 2 * windowTimestamps + 20) {
        recent.remove(random.nextInt(recent.size() / 2));
      }
    }

    /** A batch is decided at once, so the reference gets the limits of each moment between. */
    private void commits() {
      int size = 1 + random.nextInt(random.nextInt(10) == 0 ? 4 : 1);
      if (size == 1) {
        commit(anyTimestamp());
        return;
      }
      // Transactions that cannot leave the window meanwhile: their limits are those from before.
      List<Long> starts = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        long start = anyTimestamp();
        if (start - 64 * Timestamps.GAP > oracle.windowLow()) {
          starts.add(start);
        }
      }
      List<long[]> rows = new ArrayList<>();
      List<Boolean> repeats = new ArrayList<>();
      for (long start : starts) {
        rows.add(rows());
        repeats.add(random.nextBoolean());
        add(start, repeats.get(rows.size() - 1), rows.get(rows.size() - 1));
      }
      ReferenceOracle.Limits before = limits();
      oracle.commit(batch);
      ReferenceOracle.Limits limits =
          new ReferenceOracle.Limits(before.windowLow(), limits().hasEvicted());
      for (int i = 0; i < starts.size(); i++) {
        count("commit", batch.outcome(i));
        reference.commit(starts.get(i), repeats.get(i), rows.get(i), batch.outcome(i), limits);
      }
      batch.clear();
    }

    private void commit(long start) {
      long[] rows = rows();
      boolean repeat = reference.isDecided(start) || random.nextInt(4) == 0;
      ReferenceOracle.Limits limits = limits();
      add(start, repeat, rows);
      oracle.commit(batch);
      long outcome = batch.outcome(0);
      batch.clear();
      count("commit", outcome);
      if (outcome > 0) {
        remember(commits, outcome);
      }
      reference.commit(start, repeat, rows, outcome, limits);
    }

    private void add(long start, boolean repeat, long[] rows) {
      assertTrue(batch.hasRoomFor(rows.length));
      int at = batch.add(start, repeat, rows.length);
      System.arraycopy(rows, 0, batch.rows(), at, rows.length);
    }

    private void status(long writer, long reader) {
      long outcome = oracle.status(writer, reader);
      count("status", outcome);
      if (outcome > 0 && writer < oracle.windowLow()) {
        seen.merge("kept beyond the window", 1L, Long::sum);
      }
      reference.status(writer, reader, outcome, limits());
    }

    private void timestamp() {
      long timestamp = oracle.timestamp();
      reference.timestamp(timestamp);
      remember(timestamps, timestamp);
      seen.merge("timestamp", 1L, Long::sum);
    }

    /** Time goes on, now and then further than a window. */
    private void pass() {
      int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 2 * windowTimestamps : 5);
      long from = oracle.nextTimestamp();
      oracle.pass(count);
      for (int i = 0; i < count; i++) {
        reference.timestamp(from + (long) i * Timestamps.GAP);
      }
      remember(timestamps, from);
      seen.merge("passed", 1L, Long::sum);
    }

    private static void remember(ArrayDeque<Long> timestamps, long timestamp) {
      timestamps.add(timestamp);
      if (timestamps.size() > 8) {
        timestamps.poll();
      }
    }

    private void abort(long start) {
      ReferenceOracle.Limits limits = limits();
      int before = logged.size();
      long outcome = oracle.abort(start);
      seen.merge("abort of an open one", (long) logged.size() - before, Long::sum);
      count("abort", outcome);
      reference.abort(start, outcome, limits);
    }

    private void cleaned(long start) {
      ReferenceOracle.Limits limits = limits();
      long outcome = oracle.cleaned(start);
      count("cleaned", outcome);
      reference.cleaned(start, outcome, limits);
    }

    private void swept(long timestamp) {
      ReferenceOracle.Limits limits = limits();
      long outcome = oracle.swept(timestamp);
      oracle.sweepOn();
      count("swept", outcome);
      reference.swept(timestamp, outcome, limits);
    }

    private void watermark() {
      long watermark = oracle.lowWatermark();
      boolean kept = reference.watermark(watermark, limits());
      String holds = watermark < oracle.windowLow() ? "held back by the table" : "at now";
      seen.merge(
          "watermark " + (kept && holds.equals("at now") ? "held back by the window" : holds),
          1L,
          Long::sum);
    }

    private void expire() {
      long low = oracle.windowLow();
      long target = low + (long) random.nextInt(2 * windowTimestamps) * Timestamps.GAP;
      assertTrue(oracle.expire(target));
      assertEquals(Math.max(low, Math.min(target, oracle.nextTimestamp())), oracle.windowLow());
      seen.merge("expired", 1L, Long::sum);
      watermark();
    }

    /**
     * Mostly timestamps that make sense; now and then one that was never issued or is misshapen.
     */
    private long anyTimestamp() {
      int kind = random.nextInt(100);
      if (kind < 2) {
        return reference.next() + (long) random.nextInt(3) * Timestamps.GAP;
      } else if (kind < 3) {
        return random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(40) - 5;
      } else if (kind < 4 && !timestamps.isEmpty()) {
        return timestamps.peekLast(); // as a transaction it is invalid, as a reader it is not
      } else if (kind < 7 || recent.isEmpty()) {
        return (1 + (long) (random.nextDouble() * (reference.next() >>> Timestamps.GAP_BITS)))
            << Timestamps.GAP_BITS;
      } else if (kind < 50) {
        return recent.get(Math.max(0, recent.size() - 1 - random.nextInt(5)));
      }
      return recent.get(random.nextInt(recent.size()));
    }

    /** Skewed, with row 0 and duplicates; sometimes none. */
    private long[] rows() {
      long[] rows = new long[random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(6)];
      for (int i = 0; i < rows.length; i++) {
        double skew = random.nextDouble();
        rows[i] = (long) (skew * skew * rowRange);
        if (random.nextInt(50) == 0) {
          rows[i] = -1 - random.nextInt(3);
        }
      }
      return rows;
    }

    private void count(String request, long outcome) {
      String name = outcome > 0 ? "committed" : Outcome.nameOf(outcome);
      seen.merge(request + " " + name, 1L, Long::sum);
    }

    /** A state rebuilt from the logged changes gives the answers of the original. */
    private void compareReplayed() {
      StatusOracle rebuilt =
          new StatusOracle(capacity, windowTimestamps, uncleanedCapacity, Changes.NONE);
      logged.forEach(change -> change.replay(rebuilt));
      rebuilt.replay().time(oracle.nextTimestamp());
      rebuilt.replay().end();
      assertEquals(oracle.nextTimestamp(), rebuilt.nextTimestamp());
      assertEquals(oracle.windowLow(), rebuilt.windowLow());
      assertEquals(oracle.uncleanedCommits(), rebuilt.uncleanedCommits());
      assertEquals(oracle.counters().mapEvictions, rebuilt.counters().mapEvictions);
      assertEquals(oracle.counters().halfAborted, rebuilt.counters().halfAborted);
      assertTrue(rebuilt.lowWatermark() >= reference.watermark(), "the watermark fell");
      for (long start : recent) {
        long expected = oracle.status(start, start);
        seen.merge("status compared", 1L, Long::sum);
        assertEquals(expected, rebuilt.status(start, start), () -> "status of " + start);
      }
    }
  }

  /** One change, as the log would hold it. */
  private record Logged(char kind, long start, long commit, long[] rows) {
    void replay(StatusOracle oracle) {
      switch (kind) {
        case 'c' -> {
          CommitBatch batch = new CommitBatch(rows.length);
          batch.addLogged(start, commit, rows, 0, rows.length);
          oracle.replay().committed(batch);
        }
        case 'a' -> oracle.replay().aborted(start);
        case 's' -> oracle.replay().swept(start);
        case 'e' -> oracle.replay().expired(start);
        case 'w' -> oracle.replay().watermark(start);
        default -> oracle.replay().cleaned(start);
      }
    }
  }

  private record Recorder(List<Logged> logged) implements Changes {
    @Override
    public void committed(long start, long commit, long[] rows, int from, int to) {
      long[] copy = new long[to - from];
      System.arraycopy(rows, from, copy, 0, copy.length);
      logged.add(new Logged('c', start, commit, copy));
    }

    @Override
    public void aborted(long start) {
      logged.add(new Logged('a', start, 0, null));
    }

    @Override
    public void cleaned(long start) {
      logged.add(new Logged('d', start, 0, null));
    }

    @Override
    public void swept(long below) {
      logged.add(new Logged('s', below, 0, null));
    }

    @Override
    public void expired(long below) {
      logged.add(new Logged('e', below, 0, null));
    }

    @Override
    public void watermark(long below) {
      logged.add(new Logged('w', below, 0, null));
    }

    @Override
    public void held(Hold hold) {
      throw new AssertionError("no snapshot was to be held");
    }

    @Override
    public void released(long timestamp) {
      throw new AssertionError("no snapshot was held");
    }
  }
}
