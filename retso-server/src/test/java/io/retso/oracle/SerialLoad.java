package io.retso.oracle;

import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/**
 * A closed system of clients that run serializable transactions through a {@link StatusOracle}, one
 * after the other without a pause, each for a random time. Of each transaction that is refused, an
 * exact search for cycles says whether that was needed.
 */
final class SerialLoad {
  /** Makes the transactions of a workload. */
  interface Mix {
    Request next(Random random);
  }

  /** What a transaction reads and writes. */
  record Request(Set<Long> reads, Set<Long> writes) {}

  /** Customers, as in the paper of SmallBank. */
  private static final int CUSTOMERS = 18_000;

  /** As many as a request may name. */
  private static final int GREEDY_READS = Limits.TRANSACTION_ROWS_MAX - 1;

  private record Version(long commit, int writer) {}

  private record Running(double end, long start, Request request) {}

  private final StatusOracle oracle;
  private final CommitBatch batch = new CommitBatch(1_000);
  private final double safePeriod;
  private final Map<Long, List<Version>> versions = new HashMap<>();

  /** Which clients have read the newest version of each row. */
  private final Map<Long, Set<Integer>> readers = new HashMap<>();

  private final List<Set<Integer>> successors = new ArrayList<>();

  /** Commits of a client that reads much, in the mean time of a transaction; 0 for none. */
  private final double greedy;

  private double nextGreedy;
  private final CommitBatch large = new CommitBatch(GREEDY_READS + 1);
  private final Random greedyIds = new Random(11);

  private double safeSince = Double.NEGATIVE_INFINITY;
  private long safeSnapshot;

  long attempts;
  long committed;
  long conflicts;
  long pivots;
  long readOnly;
  long unknown;
  long needless;

  /** Commits of the client that reads much; below it the processor time that these took. */
  private long greedyCommits;

  private long greedyNanos;

  /**
   * @param safePeriod read-only transactions share safe snapshots, a new one in so many times the
   *     mean time of a transaction; 0 if they are judged
   */
  SerialLoad(SerialRule rule, double safePeriod) {
    this(rule, safePeriod, 0);
  }

  /**
   * @param greedy how many commits of a client that reads as much as it may, other rows, come in
   *     the mean time of a transaction
   */
  SerialLoad(SerialRule rule, double safePeriod, double greedy) {
    this.safePeriod = safePeriod;
    this.greedy = greedy;
    oracle = new StatusOracle(rule, 1 << 21, 1 << 20, 1 << 20, Changes.NONE, 0);
  }

  /**
   * SmallBank: its five programs.
   *
   * @param hot of so many customers are nine of ten
   * @param balances so many of 100 are balances, which only read; the others in equal shares
   */
  static Mix smallBank(int hot, int balances) {
    return random -> {
      long a = 2L * customer(random, hot);
      long saving = a;
      long checking = a + 1;
      return switch (random.nextInt(100) < balances ? 0 : 1 + random.nextInt(4)) {
        case 0 -> new Request(Set.of(saving, checking), Set.of());
        case 1 -> new Request(Set.of(checking), Set.of(checking));
        case 2 -> new Request(Set.of(saving), Set.of(saving));
        case 3 -> {
          Set<Long> all = new HashSet<>(Set.of(saving, checking));
          all.add(2L * customer(random, hot) + 1);
          yield new Request(all, all);
        }
        default -> new Request(Set.of(saving, checking), Set.of(checking));
      };
    };
  }

  private static int customer(Random random, int hot) {
    return random.nextInt(10) < 9 ? random.nextInt(hot) : hot + random.nextInt(CUSTOMERS - hot);
  }

  /** Random rows of few: many dependencies. */
  static Mix rows(int rows, int reads, int writes, double readOnly) {
    return random -> {
      Set<Long> read = some(random, rows, reads);
      return random.nextDouble() < readOnly
          ? new Request(read, Set.of())
          : new Request(read, some(random, rows, writes));
    };
  }

  private static Set<Long> some(Random random, int rows, int count) {
    Set<Long> chosen = new HashSet<>();
    for (int i = 0; i < count; i++) {
      chosen.add((long) random.nextInt(rows));
    }
    return chosen;
  }

  /** Runs so many attempts of so many clients. */
  void run(Mix mix, int clients, int count, long seed) {
    Random random = new Random(seed);
    PriorityQueue<Running> running = new PriorityQueue<>((a, b) -> Double.compare(a.end, b.end));
    for (int i = 0; i < clients; i++) {
      running.add(begin(mix, random, random.nextDouble()));
    }
    while (attempts < count) {
      Running next = running.remove();
      attempts++;
      for (; greedy > 0 && nextGreedy < next.end; nextGreedy += 1 / greedy) {
        readMuch();
      }
      end(next);
      running.add(begin(mix, random, next.end));
    }
  }

  /** Reads rows of its own, each time others, and writes one. */
  private void readMuch() {
    long start = oracle.begin(1);
    large.clear();
    int at = large.add(start, false, true, 1, 0, GREEDY_READS, 0, 0);
    for (int i = 0; i <= GREEDY_READS; i++) {
      large.rows()[at++] = greedyIds.nextLong() | 1L << 62;
    }
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    oracle.commit(large);
    greedyNanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
    greedyCommits++;
    oracle.cleaned(start);
  }

  private Running begin(Mix mix, Random random, double now) {
    Request request = mix.next(random);
    double end = now - Math.log(1 - random.nextDouble());
    if (!isSafe(request)) {
      return new Running(end, oracle.begin(1), request);
    }
    if (now - safeSince > safePeriod) {
      safeSince = now;
      safeSnapshot = oracle.safeSnapshot();
    }
    return new Running(end, safeSnapshot, request);
  }

  private boolean isSafe(Request request) {
    return safePeriod > 0 && request.writes.isEmpty();
  }

  private void end(Running tx) {
    Set<Long> reads = new HashSet<>(tx.request.reads);
    reads.removeAll(tx.request.writes);
    if (isSafe(tx.request)) {
      committed++;
      record(tx, reads, tx.start);
      return;
    }
    batch.clear();
    int at = batch.add(tx.start, false, true, tx.request.writes.size(), 0, reads.size(), 0, 0);
    for (long row : tx.request.writes) {
      batch.rows()[at++] = row + 1;
    }
    for (long row : reads) {
      batch.rows()[at++] = row + 1;
    }
    oracle.commit(batch);
    oracle.cleaned(tx.start);
    long outcome = batch.outcome(0);
    if (outcome > 0) {
      committed++;
      record(tx, reads, outcome);
      return;
    }
    if (outcome == Outcome.ABORTED_CONFLICT || outcome == Outcome.ABORTED_TOO_OLD) {
      conflicts++;
      return;
    }
    pivots += outcome == Outcome.ABORTED_PIVOT ? 1 : 0;
    readOnly += outcome == Outcome.ABORTED_READ_ONLY ? 1 : 0;
    unknown += outcome == Outcome.ABORTED_UNKNOWN_SUCCESSOR ? 1 : 0;
    Set<Integer> before = new HashSet<>();
    Set<Integer> after = new HashSet<>();
    neighbours(tx, reads, before, after);
    needless += reaches(after, before) ? 0 : 1;
  }

  /** Whom a transaction depends on, and who depends on it, among those that committed. */
  private void neighbours(Running tx, Set<Long> reads, Set<Integer> before, Set<Integer> after) {
    for (long row : reads) {
      Version read = null;
      for (Version version : versions.getOrDefault(row, List.of())) {
        if (version.commit > tx.start) {
          after.add(version.writer);
          break;
        }
        read = version;
      }
      if (read != null) {
        before.add(read.writer);
      }
    }
    for (long row : tx.request.writes) {
      List<Version> written = versions.getOrDefault(row, List.of());
      if (!written.isEmpty()) {
        before.add(written.get(written.size() - 1).writer);
      }
      before.addAll(readers.getOrDefault(row, Set.of()));
    }
  }

  private boolean reaches(Set<Integer> from, Set<Integer> to) {
    Set<Integer> seen = new HashSet<>(from);
    ArrayDeque<Integer> rest = new ArrayDeque<>(from);
    while (!rest.isEmpty()) {
      int node = rest.remove();
      if (to.contains(node)) {
        return true;
      }
      for (int next : successors.get(node)) {
        if (seen.add(next)) {
          rest.add(next);
        }
      }
    }
    return false;
  }

  private void record(Running tx, Set<Long> reads, long commit) {
    Set<Integer> before = new HashSet<>();
    Set<Integer> after = new HashSet<>();
    neighbours(tx, reads, before, after);
    if (reaches(after, before)) {
      throw new AssertionError("a cycle through the transaction that started at " + tx.start);
    }
    int node = successors.size();
    successors.add(after);
    before.forEach(other -> successors.get(other).add(node));
    Set<Long> all = new HashSet<>(tx.request.reads);
    for (long row : all) {
      List<Version> written = versions.getOrDefault(row, List.of());
      if (written.isEmpty() || written.get(written.size() - 1).commit < tx.start) {
        readers.computeIfAbsent(row, r -> new HashSet<>()).add(node);
      }
    }
    for (long row : tx.request.writes) {
      versions.computeIfAbsent(row, r -> new ArrayList<>()).add(new Version(commit, node));
      readers.remove(row);
    }
  }

  /** What was counted, for people. */
  @Override
  public String toString() {
    return String.format(
        "committed %.2f %%, conflicts %.2f %%, pivots %.3f %%, read-only %.3f %%, unknown %.3f %%;"
            + " needless %.3f %%",
        share(committed),
        share(conflicts),
        share(pivots),
        share(readOnly),
        share(unknown),
        share(needless));
  }

  /** Milliseconds of processor time that a commit of the client took that reads much. */
  double greedyMillis() {
    return greedyNanos / 1e6 / Math.max(1, greedyCommits);
  }

  private double share(long count) {
    return 100.0 * count / attempts;
  }
}
