package io.retso.hbase.table;

import io.retso.protocol.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A closed system of clients that run serializable transactions with scans, one after the other
 * without a pause, each for a random time. A {@link Certifying} rule judges them; of each
 * transaction that it refuses, an exact search for cycles, which knows the rows and ranges
 * themselves, says whether that was needed.
 */
final class ScanLoad {
  /** A row of a table that has a number. */
  record Row(int table, byte[] key) implements Comparable<Row> {
    @Override
    public int compareTo(Row other) {
      int byTable = Integer.compare(table, other.table);
      return byTable != 0 ? byTable : Arrays.compareUnsigned(key, other.key);
    }
  }

  /** What a scan has looked at; an empty {@code high} is the end of the table. */
  record Range(int table, byte[] low, byte[] high, boolean withHigh) {
    boolean contains(Row row) {
      if (row.table != table || Arrays.compareUnsigned(low, row.key) > 0) {
        return false;
      }
      int toHigh = high.length == 0 ? -1 : Arrays.compareUnsigned(row.key, high);
      return toHigh < 0 || toHigh == 0 && withHigh;
    }
  }

  /** Decides whether transactions commit. */
  interface Certifying {
    /** Start timestamp of a new transaction. */
    long begin();

    /** Its commit timestamp, or the outcome of its abort. */
    long commit(Transaction tx);
  }

  /** The programs of an application. */
  interface Workload {
    /** Rows that are there at the beginning. */
    void load(Random random, TreeSet<Row> rows);

    /** Runs a program. */
    void run(Random random, Transaction tx);
  }

  /** One transaction: what it read and wrote. It reads when it begins, as its snapshot is then. */
  static final class Transaction {
    final long start;
    final Set<Row> gets = new TreeSet<>();
    final List<Range> ranges = new ArrayList<>();
    final Set<Row> puts = new TreeSet<>();
    final Set<Row> deletes = new TreeSet<>();
    private final TreeSet<Row> rows;
    private double end;
    private long commit;
    private Set<Transaction> successors;

    private Transaction(long start, TreeSet<Row> rows) {
      this.start = start;
      this.rows = rows;
    }

    boolean get(int table, byte[] key) {
      Row row = new Row(table, key);
      gets.add(row);
      return rows.contains(row);
    }

    void put(int table, byte[] key) {
      puts.add(new Row(table, key));
    }

    void delete(int table, byte[] key) {
      deletes.add(new Row(table, key));
    }

    /** Scans a range to its end; what it finds is of no interest. */
    void scan(int table, byte[] low, byte[] high) {
      ranges.add(new Range(table, low, high, false));
    }

    /** Scans until there are so many rows; {@code high} is not empty. */
    List<byte[]> scan(int table, byte[] low, byte[] high, int limit, boolean reversed) {
      var within = rows.subSet(new Row(table, low), true, new Row(table, high), false);
      List<byte[]> found = new ArrayList<>();
      for (Row row : reversed ? within.descendingSet() : within) {
        found.add(row.key);
        if (found.size() == limit) {
          break;
        }
      }
      if (found.size() < limit) {
        scan(table, low, high);
        return found;
      }
      byte[] last = found.get(limit - 1);
      Range range =
          reversed ? new Range(table, last, high, false) : new Range(table, low, last, true);
      if (Arrays.equals(range.low, range.high)) {
        gets.add(new Row(table, last));
      } else {
        ranges.add(range);
      }
      return found;
    }

    boolean hasWritten(Row row) {
      return puts.contains(row) || deletes.contains(row);
    }

    boolean isReadOnly() {
      return puts.isEmpty() && deletes.isEmpty();
    }

    boolean hasRead(Row row) {
      if (gets.contains(row)) {
        return true;
      }
      for (Range range : ranges) {
        if (range.contains(row)) {
          return true;
        }
      }
      return false;
    }

    boolean hasReadWhatWasWrittenBy(Transaction other) {
      return any(other.puts, this::hasRead) || any(other.deletes, this::hasRead);
    }

    boolean hasWrittenWhatWasWrittenBy(Transaction other) {
      return any(other.puts, this::hasWritten) || any(other.deletes, this::hasWritten);
    }

    private static boolean any(Set<Row> rows, Predicate<Row> what) {
      for (Row row : rows) {
        if (what.test(row)) {
          return true;
        }
      }
      return false;
    }
  }

  private final Certifying rule;
  private final TreeSet<Row> rows = new TreeSet<>();

  /** Those that committed and may still be on a cycle, in the order of their commits. */
  private final ArrayDeque<Transaction> recent = new ArrayDeque<>();

  private final PriorityQueue<Transaction> running =
      new PriorityQueue<>((a, b) -> Double.compare(a.end, b.end));

  int attempts;
  int refused;
  int needless;

  ScanLoad(Certifying rule) {
    this.rule = rule;
  }

  /** Runs so many attempts of so many clients. */
  void run(Workload workload, int clients, int count, long seed) {
    Random random = new Random(seed);
    workload.load(random, rows);
    for (int i = 0; i < clients; i++) {
      begin(workload, random, random.nextDouble());
    }
    while (attempts < count) {
      Transaction next = running.remove();
      attempts++;
      end(next);
      begin(workload, random, next.end);
      if (attempts % 64 == 0) {
        forget();
      }
    }
  }

  private void begin(Workload workload, Random random, double now) {
    Transaction tx = new Transaction(rule.begin(), rows);
    tx.end = now - Math.log(1 - random.nextDouble());
    workload.run(random, tx);
    running.add(tx);
  }

  private void end(Transaction tx) {
    long outcome = rule.commit(tx);
    if (outcome == Outcome.ABORTED_CONFLICT) {
      return;
    }
    Set<Transaction> after = new HashSet<>();
    Set<Transaction> before = new HashSet<>();
    neighbours(tx, before, after);
    boolean isCycle = reaches(after, before);
    if (outcome < 0) {
      refused++;
      needless += isCycle ? 0 : 1;
      return;
    }
    if (isCycle) {
      throw new AssertionError("a cycle through the transaction that started at " + tx.start);
    }
    tx.commit = outcome;
    tx.successors = after;
    before.forEach(other -> other.successors.add(tx));
    recent.add(tx);
    rows.addAll(tx.puts);
    rows.removeAll(tx.deletes);
  }

  /**
   * Whom a transaction depends on, and who depends on it. Edges to those whose writes are
   * overwritten are there, too: they change nothing, as others lead there.
   */
  private void neighbours(Transaction tx, Set<Transaction> before, Set<Transaction> after) {
    for (Transaction other : recent) {
      if (tx.hasReadWhatWasWrittenBy(other)) {
        (other.commit > tx.start ? after : before).add(other);
      }
      if (other.hasReadWhatWasWrittenBy(tx) || other.hasWrittenWhatWasWrittenBy(tx)) {
        before.add(other);
      }
    }
  }

  private static boolean reaches(Set<Transaction> from, Set<Transaction> to) {
    Set<Transaction> seen = new HashSet<>(from);
    ArrayDeque<Transaction> rest = new ArrayDeque<>(from);
    while (!rest.isEmpty()) {
      Transaction node = rest.remove();
      if (to.contains(node)) {
        return true;
      }
      for (Transaction next : node.successors) {
        if (seen.add(next)) {
          rest.add(next);
        }
      }
    }
    return false;
  }

  /**
   * Forgets who can be on no cycle any more. Positions rise along a path, and each lies between
   * start and commit; a path from a successor of a running transaction begins above the start of
   * one that committed after that.
   */
  private void forget() {
    long oldest = running.stream().mapToLong(tx -> tx.start).min().orElseThrow();
    long lowest =
        recent.stream()
            .filter(tx -> tx.commit > oldest)
            .mapToLong(tx -> tx.start)
            .reduce(oldest, Math::min);
    recent.removeIf(tx -> tx.commit < lowest);
    recent.forEach(tx -> tx.successors.removeIf(next -> next.commit < lowest));
  }
}
