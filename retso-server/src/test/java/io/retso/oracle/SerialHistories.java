package io.retso.oracle;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Runs small histories of transactions through a {@link StatusOracle} and judges what it accepted
 * by looking for cycles in the graph of dependencies.
 *
 * <p>A history is an order of begins and commits, and of each transaction the items that it reads
 * and writes, as bits. All histories run on one oracle, one after the other: to each, those before
 * are the past.
 */
final class SerialHistories {
  /** How a transaction is known to the oracle. */
  enum Kind {
    /** Its reads are judged. */
    SERIALIZABLE,
    /** It reads at a safe snapshot, and the oracle is not asked. */
    SAFE,
    /** Its writes count, its reads do not. */
    SNAPSHOT
  }

  /**
   * One history.
   *
   * @param events an order of begins (2t) and commits (2t + 1) of transactions t
   * @param locks rows that it locks: it has read them, and they count as written
   * @param validated rows that it validates: it has read them, under whatever isolation
   * @param granules the items that are granules, not rows
   * @param restart the event behind which the oracle is restarted from its log; -1 for never. If it
   *     is a commit, the log has lost it and it is asked for again
   * @param together whether commits that follow each other are decided in one batch
   */
  record History(
      int[] events,
      int[] reads,
      int[] writes,
      int[] locks,
      int[] validated,
      Kind[] kinds,
      int granules,
      int restart,
      boolean loses,
      boolean together) {
    /** One of serializable transactions that lock and validate nothing. */
    static History plain(int[] events, int[] reads, int[] writes) {
      Kind[] kinds = new Kind[reads.length];
      Arrays.fill(kinds, Kind.SERIALIZABLE);
      int[] none = new int[reads.length];
      return new History(events, reads, writes, none, none, kinds, 0, -1, false, false);
    }

    int size() {
      return reads.length;
    }

    boolean isCommit(int event) {
      return event < events.length && (events[event] & 1) == 1;
    }
  }

  private static final long ITEMS = 7;
  private static final int WINDOW = 1 << 12;

  /** Timestamps without a certification after which it is not told what is written. */
  private static final int ASLEEP = WINDOW / 8 + 1;

  private static final int ASLEEP_EVERY = 16;
  private static final long RESERVED = 100L << Timestamps.GAP_BITS;

  private final Supplier<StatusOracle> oracles;
  private final Log log = new Log();
  private StatusOracle oracle;
  private final CommitBatch batch = new CommitBatch(64);
  private final int fillerRows;
  private final boolean again;
  private long filler = 1L << 32;

  // What the history that ran last had.
  private final long[] start = new long[8];
  private final long[] commit = new long[8];

  long histories;
  long attempts;
  long committed;
  long conflicts;
  long refused;
  long needless;
  long wrong;

  /** How many of those that ran again at once were refused again. */
  long refusedAgain;

  /**
   * @param mapRows of the oracle: few, so that rows are evicted
   * @param fillerRows that others write between two events of a history
   */
  SerialHistories(SerialRule rule, long mapRows, int fillerRows) {
    this(rule, mapRows, fillerRows, false);
  }

  /**
   * @param again whether a transaction that is refused runs again at once: no other commits
   *     meanwhile, so that must succeed, whatever else is open
   */
  SerialHistories(SerialRule rule, long mapRows, int fillerRows, boolean again) {
    this.fillerRows = fillerRows;
    this.again = again;
    oracles = () -> new StatusOracle(rule, mapRows, WINDOW, WINDOW, log, 0);
    oracle = oracles.get();
  }

  /** What a restarted oracle finds of the current history. */
  private static final class Log extends ForwardedChanges {
    private record Commit(long start, long commit, long[] rows) {}

    private final List<Commit> commits = new ArrayList<>();

    @Override
    protected Changes target() {
      return Changes.NONE;
    }

    @Override
    public void committed(long start, long commit, long[] rows, int from, int to) {
      commits.add(new Commit(start, commit, Arrays.copyOfRange(rows, from, to)));
    }
  }

  /**
   * Runs a history.
   *
   * @return false if what was accepted is not serializable (strictly, if that is asked for)
   */
  boolean run(History h, long weight, boolean strict) {
    int accepted = 0;
    histories += weight;
    if (histories % ASLEEP_EVERY == 0) {
      oracle.pass(ASLEEP);
    }
    long began = oracle.nextTimestamp();
    log.commits.clear();
    for (int i = 0; i < h.events.length; i++) {
      int first = i;
      if (!h.isCommit(i)) {
        begin(h, h.events[i] >> 1);
      } else {
        while (h.together && i != h.restart && h.isCommit(i + 1)) {
          i++;
        }
        commit(h, first, i);
        int last = h.events[i] >> 1;
        if (i == h.restart && h.loses && h.kinds[last] != Kind.SAFE) {
          log.commits.removeIf(lost -> lost.start == start[last]);
          restart(began);
          commit(h, i, i);
        }
      }
      for (int k = first; k <= i && h.isCommit(k); k++) {
        int t = h.events[k] >> 1;
        accepted |= count(h, t, accepted, weight) ? 1 << t : 0;
      }
      if (i == h.restart && !(h.loses && h.isCommit(i))) {
        restart(began);
      }
      fill();
    }
    boolean right = isAcyclic(h, accepted, strict) && isValid(h, accepted) && refusedAgain == 0;
    wrong += right ? 0 : weight;
    return right;
  }

  /** Counts what became of a transaction; whether it committed. */
  private boolean count(History h, int t, int accepted, long weight) {
    long outcome = commit[t];
    attempts += weight;
    if (outcome > 0) {
      committed += weight;
    } else if (outcome == Outcome.ABORTED_CONFLICT || outcome == Outcome.ABORTED_TOO_OLD) {
      conflicts += weight;
    } else {
      refused += weight;
      needless += isAcyclic(h, accepted | 1 << t, false) ? weight : 0;
    }
    if (again && outcome <= 0) {
      runAgain(h, t);
    }
    return commit[t] > 0;
  }

  private void runAgain(History h, int t) {
    start[t] = oracle.begin(1);
    batch.clear();
    add(h, t);
    oracle.commit(batch);
    oracle.cleaned(start[t]);
    commit[t] = batch.outcome(0);
    refusedAgain += commit[t] > 0 ? 0 : 1;
  }

  private void restart(long began) {
    long reserved = oracle.nextTimestamp() + RESERVED;
    oracle = oracles.get();
    oracle.replay().start(began);
    CommitBatch replayed = new CommitBatch(64);
    for (Log.Commit commit : log.commits) {
      replayed.clear();
      replayed.addLogged(commit.start, commit.commit, commit.rows, 0, commit.rows.length);
      oracle.replay().committed(replayed);
    }
    oracle.replay().time(reserved);
    oracle.replay().end();
  }

  private void begin(History h, int t) {
    boolean safe = h.kinds[t] == Kind.SAFE;
    start[t] = safe ? oracle.safeSnapshot() : oracle.begin(1);
  }

  /** Has the commits of some events decided, in one batch. */
  private void commit(History h, int firstEvent, int lastEvent) {
    batch.clear();
    for (int i = firstEvent; i <= lastEvent; i++) {
      add(h, h.events[i] >> 1);
    }
    oracle.commit(batch);
    int answered = 0;
    for (int i = firstEvent; i <= lastEvent; i++) {
      int t = h.events[i] >> 1;
      if (h.kinds[t] != Kind.SAFE) {
        commit[t] = batch.outcome(answered++);
        oracle.cleaned(start[t]);
        mixUp(commit[t]);
      }
    }
  }

  /** A client takes a commit timestamp for a start: that must change nothing of the commit. */
  private void mixUp(long outcome) {
    if (outcome > 0) {
      oracle.cleaned(outcome);
      oracle.abort(outcome);
      oracle.release(outcome);
    }
  }

  private void add(History h, int t) {
    if (h.kinds[t] == Kind.SAFE) {
      oracle.release(start[t]);
      commit[t] = start[t];
      return;
    }
    int rows = ~h.granules;
    int writes = h.writes[t];
    int protectedRows = (writes | h.locks[t]) & rows;
    if (writes != 0 && protectedRows == 0) {
      protectedRows = 1 << 20 + t; // who writes into a granule writes some row, here its own
    }
    int validated = h.validated[t] & rows & ~protectedRows;
    int reads = h.kinds[t] == Kind.SERIALIZABLE ? h.reads[t] : 0;
    int rowReads = reads & rows & ~protectedRows;
    int at =
        batch.add(
            start[t],
            false,
            h.kinds[t] == Kind.SERIALIZABLE,
            Integer.bitCount(protectedRows),
            Integer.bitCount(validated),
            Integer.bitCount(rowReads),
            Integer.bitCount(reads & h.granules),
            Integer.bitCount(writes & h.granules));
    at = put(at, protectedRows);
    at = put(at, validated);
    at = put(at, rowReads);
    at = put(at, reads & h.granules);
    put(at, writes & h.granules);
  }

  private int put(int from, int items) {
    int at = from;
    for (int rest = items; rest != 0; rest &= rest - 1) {
      batch.rows()[at++] = ITEMS + Integer.numberOfTrailingZeros(rest);
    }
    return at;
  }

  private void fill() {
    if (fillerRows > 0) {
      long own = oracle.begin(1);
      batch.clear();
      int at = batch.add(own, false, fillerRows);
      for (int i = 0; i < fillerRows; i++) {
        batch.rows()[at + i] = filler++;
      }
      oracle.commit(batch);
      oracle.cleaned(own);
    }
  }

  /** Whether the dependencies among these transactions have no cycle. */
  private boolean isAcyclic(History h, int among, boolean strict) {
    int n = h.size();
    int[] reach = new int[n];
    for (int a = 0; a < n; a++) {
      for (int b = 0; b < n; b++) {
        if (a != b && (among >> a & 1 & among >> b & 1) == 1 && depends(h, a, b, strict)) {
          reach[a] |= 1 << b;
        }
      }
    }
    for (int m = 0; m < n; m++) {
      for (int a = 0; a < n; a++) {
        reach[a] |= (reach[a] >> m & 1) == 1 ? reach[m] : 0;
      }
    }
    for (int a = 0; a < n; a++) {
      if ((reach[a] >> a & 1) == 1) {
        return false;
      }
    }
    return true;
  }

  /** Whether no other has changed what a transaction has locked or validated. */
  private boolean isValid(History h, int among) {
    for (int a = 0; a < h.size(); a++) {
      int kept = h.kinds[a] == Kind.SAFE ? 0 : (h.locks[a] | h.validated[a]) & ~h.granules;
      for (int b = 0; b < h.size(); b++) {
        boolean both = a != b && (among >> a & 1 & among >> b & 1) == 1;
        if (both && (kept & h.writes[b]) != 0 && commit[b] > start[a] && commit[b] < commit[a]) {
          return false;
        }
      }
    }
    return true;
  }

  /** What it has read, as far as anybody says in which order. */
  private static int readsOf(History h, int t) {
    return switch (h.kinds[t]) {
      case SERIALIZABLE -> h.reads[t] | (h.locks[t] | h.validated[t]) & ~h.granules;
      case SAFE -> h.reads[t];
      case SNAPSHOT -> 0;
    };
  }

  /** Whether a must come before b in a serial order. */
  private boolean depends(History h, int a, int b, boolean strict) {
    int readsOfA = readsOf(h, a);
    int readsOfB = readsOf(h, b);
    // One that is being judged would commit now; its number is not known yet.
    long commitOfA = commitOf(a);
    long commitOfB = commitOf(b);
    boolean antidependency = (readsOfA & h.writes[b]) != 0 && commitOfB > start[a];
    boolean read = (h.writes[a] & readsOfB) != 0 && commitOfA < start[b];
    boolean overwrote = (h.writes[a] & h.writes[b] & ~h.granules) != 0 && commitOfA < commitOfB;
    boolean realTime = strict && commitOfA < start[b] && h.kinds[b] != Kind.SAFE;
    return antidependency || read || overwrote || realTime;
  }

  private long commitOf(int t) {
    return commit[t] > 0 ? commit[t] : oracle.nextTimestamp();
  }

  /** A history at random. */
  static History random(
      Random random,
      int n,
      int items,
      int granules,
      boolean mixed,
      boolean safe,
      boolean restarts) {
    int[] events = new int[2 * n];
    int[] open = new int[n];
    int begun = 0;
    int opened = 0;
    for (int i = 0; i < events.length; i++) {
      if (begun < n && (opened == 0 || random.nextInt(20) < 11)) {
        events[i] = begun << 1;
        open[opened++] = begun++;
      } else {
        int chosen = random.nextInt(opened);
        events[i] = open[chosen] << 1 | 1;
        open[chosen] = open[--opened];
      }
    }
    int[] reads = new int[n];
    int[] writes = new int[n];
    int[] locks = new int[n];
    int[] validated = new int[n];
    Kind[] kinds = new Kind[n];
    for (int t = 0; t < n; t++) {
      reads[t] = random.nextInt(1 << items);
      writes[t] = random.nextInt(1 << items) & random.nextInt(1 << items);
      if (random.nextInt(4) == 0) {
        locks[t] = random.nextInt(1 << items) & random.nextInt(1 << items);
        validated[t] = random.nextInt(1 << items) & random.nextInt(1 << items);
      }
      kinds[t] = mixed && random.nextInt(4) == 0 ? Kind.SNAPSHOT : Kind.SERIALIZABLE;
      if (safe && writes[t] == 0) {
        kinds[t] = random.nextBoolean() ? Kind.SAFE : kinds[t];
      }
    }
    int restart = restarts && random.nextInt(4) == 0 ? random.nextInt(events.length) : -1;
    return new History(
        events,
        reads,
        writes,
        locks,
        validated,
        kinds,
        granules,
        restart,
        random.nextBoolean(),
        random.nextBoolean());
  }

  /** What was counted, for people. */
  @Override
  public String toString() {
    return String.format(
        "%,d histories, %,d attempts: committed %.3f %%, conflicts %.3f %%, refused %.4f %%, of"
            + " these needless %.4f %%; wrong %d",
        histories,
        attempts,
        100.0 * committed / attempts,
        100.0 * conflicts / attempts,
        100.0 * refused / attempts,
        100.0 * needless / attempts,
        wrong);
  }
}
