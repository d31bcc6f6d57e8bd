package io.retso.oracle;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * The transaction status oracle: start timestamps, commit requests, status queries (Algorithm 4),
 * aborts and cleanups. Answers are the numbers of {@link Outcome}. The rule of conflicts (Algorithm
 * 3) is {@link CommitDecision}, that of serializable transactions {@link Certifier}; what is known
 * of decided ones {@link DecidedTransactions}, the low watermark {@link Watermark}.
 *
 * <p>State changes here first and reaches the log through {@link Changes}; a caller must not let an
 * answer out before the log has everything that was changed up to it (section 3.3).
 *
 * <p>Deterministic and single-threaded; see the package's description.
 */
public final class StatusOracle {
  /** What it allocates for serializable transactions, in bytes, at most. */
  public static final long CERTIFIER_BYTES_MAX = Certifier.BYTES_MAX;

  private final CommittedMap map;
  private final TransactionWindow window;
  private final UncleanedCommits uncleaned;
  private final Changes changes;
  private final Replay replay;
  private final UnloggedTimestamps unlogged = new UnloggedTimestamps();
  private final OracleCounters counters = new OracleCounters();
  private final HotIds hot = new HotIds();
  private final Certifier certifier;
  private final CommitDecision decision;
  private final DecidedTransactions decided;
  private final Watermark watermark;
  private final UncleanedSnapshot snapshot;
  private final Holds holds = new Holds();

  /**
   * Allocates all memory that the oracle will ever use.
   *
   * @param rule places serializable transactions
   * @param rows NR, the rows whose last commit is remembered; 12.8 bytes each, and up to {@link
   *     #CERTIFIER_BYTES_MAX} in all for serializable transactions
   * @param windowTimestamps the timestamps whose transactions are remembered, a power of two; 8
   *     bytes each. A transaction that lives longer is aborted
   * @param uncleanedCommits committed transactions with cleanup outstanding, at most; 32 to 64
   *     bytes each
   * @param changes receives what must be logged
   * @param secret a number that clients do not know, for places in memory; no answer depends on it
   */
  StatusOracle(
      SerialRule rule,
      long rows,
      int windowTimestamps,
      int uncleanedCommits,
      Changes changes,
      long secret) {
    map = new CommittedMap(rows);
    uncleaned = new UncleanedCommits(uncleanedCommits, secret);
    window = new TransactionWindow(windowTimestamps, uncleaned);
    this.changes = changes;
    certifier = new Certifier(rule, map, window);
    snapshot = new UncleanedSnapshot(window, uncleaned);
    decision = new CommitDecision(map, window, certifier, changes, counters, hot);
    decided = new DecidedTransactions(window, uncleaned, counters);
    watermark = new Watermark(window, uncleaned, unlogged, holds, changes, counters);
    replay = new Replay(map, window, uncleaned, watermark, certifier, holds);
  }

  /** Like the other, with the rule of intervals. */
  public StatusOracle(
      long rows, int windowTimestamps, int uncleanedCommits, Changes changes, long secret) {
    this(new Intervals(), rows, windowTimestamps, uncleanedCommits, changes, secret);
  }

  /** Like the other, for clients that are trusted. */
  public StatusOracle(long rows, int windowTimestamps, int uncleanedCommits, Changes changes) {
    this(rows, windowTimestamps, uncleanedCommits, changes, 0);
  }

  /** Brings this oracle, unused or emptied, to the state that a log describes. */
  public Replay replay() {
    return replay;
  }

  /**
   * Issues {@code count} consecutive start timestamps.
   *
   * @return the first; the others follow in steps of {@link Timestamps#GAP}
   */
  public long begin(int count) {
    return begin(count, 0);
  }

  /**
   * Issues them for a client host that has a number; see {@link #openOfOthers}.
   *
   * @param host above 0; 0 if it is not known
   */
  public long begin(int count, int host) {
    long first = window.next();
    for (int i = 0; i < count; i++) {
      window.open(host);
    }
    counters.begins += count;
    age(); // here too: readers alone make time pass, and timestamps must never age unseen
    return first << Timestamps.GAP_BITS;
  }

  /** Decides the requests of a batch in their order. */
  public void commit(CommitBatch batch) {
    decision.locate(batch);
    for (int i = 0; i < batch.size; i++) {
      batch.outcomes[i] = commit(batch, i);
    }
    age();
  }

  private long commit(CommitBatch batch, int i) {
    long start = batch.starts[i];
    long sequence = start >>> Timestamps.GAP_BITS;
    if (!wasIssued(start)) {
      return Outcome.INVALID_TIMESTAMP;
    }
    if (isForcedAbort(sequence)) {
      batch.refusals.clear(i);
      return decided.beforeWindow(sequence, batch.repeats[i]);
    }
    int state = window.state(sequence);
    if (!DecidedTransactions.isOpen(state)) {
      long outcome = decided.again(sequence, state);
      return outcome > 0 && !batch.repeats[i] ? Outcome.ALREADY_COMMITTED : outcome;
    }
    boolean empty = batch.from(i) == batch.writesEnd(i);
    if (!empty && (batch.refusal != 0 || uncleanedCommits() >= uncleaned.capacity())) {
      counters.refused++;
      return batch.refusal != 0 ? batch.refusal : Outcome.REFUSED_UNCLEANED;
    }
    return decision.decide(batch, i);
  }

  /**
   * The forced abort of section 3.1: nothing below the window ever commits.
   *
   * <p>This is tested before the map is looked at. Algorithm 3 as printed looks only at the rows:
   * it lets a transaction commit that was swept onto the half-aborted list, of which readers have
   * got the answer that it did not commit, if all its rows are in memory (hole a).
   */
  private boolean isForcedAbort(long sequence) {
    return !window.contains(sequence);
  }

  /**
   * Algorithm 4: what became of the transaction that started at {@code writerStart}, for a reader
   * that started at {@code readerStart}; see {@link DecidedTransactions#status}.
   *
   * @return its commit timestamp, also if that is above the reader's start, or a number of {@link
   *     Outcome}
   */
  public long status(long writerStart, long readerStart) {
    counters.queries++;
    if (!Timestamps.isWellFormed(writerStart) || !wasIssued(readerStart)) {
      return Outcome.INVALID_TIMESTAMP;
    }
    return wasIssued(writerStart)
        ? decided.status(writerStart >>> Timestamps.GAP_BITS)
        : Outcome.OPEN; // a transaction that gets it one day commits above this reader
  }

  /**
   * Issues a timestamp that is above all commits that were decided, and below all that will be. It
   * belongs to no transaction: it needs no end, does not hold the low watermark, and is not logged,
   * see {@link UnloggedTimestamps}.
   */
  public long timestamp() {
    long timestamp = nextTimestamp();
    pass(1);
    counters.timestamps++;
    return timestamp;
  }

  /**
   * Issues a snapshot for serializable readers that report no reads: a transaction that commits
   * from now on has its place in the serial order above it. Like {@link #timestamp} it belongs to
   * no transaction and is not logged: to a successor everything that was reserved is such a
   * snapshot. It holds the low watermark until {@link #release}.
   */
  public long safeSnapshot() {
    long snapshot = nextTimestamp();
    long sequence = window.issue(TransactionWindow.SAFE_SNAPSHOT);
    unlogged.add(sequence, sequence);
    certifier.setSafeSnapshot(snapshot);
    counters.safeSnapshots++;
    age();
    return snapshot;
  }

  /** Holds a snapshot of {@link #safeSnapshot} no longer, if it is still in the window. */
  public void release(long safeSnapshot) {
    long sequence = safeSnapshot >>> Timestamps.GAP_BITS;
    if (window.state(sequence) == TransactionWindow.SAFE_SNAPSHOT) {
      window.release(sequence);
    }
  }

  /**
   * Takes a snapshot and holds it: until {@link #releaseHeld} the low watermark does not pass it.
   * {@link Holds} says why no server's does. It is a {@link #safeSnapshot}, so that serializable
   * readers may have it; but no slot of the window holds it.
   *
   * @param call a number of the call: its repetition gets the snapshot that is held by then
   * @param nowMillis the wall clock's time, for people
   * @return the snapshot; or a number of {@link Outcome} that says why there is none
   */
  public long hold(String name, long call, long ttlMillis, long nowMillis) {
    Hold before = holds.named(name);
    if (before != null) {
      return before.call() == call ? before.timestamp() : Outcome.HOLD_NAME_TAKEN;
    }
    if (holds.isFull()) {
      return Outcome.HOLDS_FULL;
    }
    long taken = safeSnapshot();
    release(taken);
    Hold hold = new Hold(name, taken, call, ttlMillis, nowMillis);
    holds.add(hold);
    changes.held(hold);
    return taken;
  }

  /** Holds a snapshot no longer; returns whether it was held. */
  public boolean releaseHeld(long timestamp) {
    boolean wasHeld = holds.remove(timestamp);
    if (wasHeld) {
      changes.released(timestamp);
    }
    return wasHeld;
  }

  /** The snapshots that are held. */
  public Holds holds() {
    return holds;
  }

  /**
   * Lets time pass: the next {@code count} timestamps belong to no transaction, as if they had been
   * issued by {@link #timestamp} and no client had heard of them. No later commit may have one of
   * them.
   *
   * @param count at most 2^16, as {@link CommittedMap} must see timestamps age
   * @return how many were passed: fewer than {@code count} if they pushed {@link
   *     Watermark#MOVES_MAX} commits out of the window
   */
  public int pass(int count) {
    long first = window.next();
    long movesEnough = window.moves() + Watermark.MOVES_MAX;
    int passed = 0;
    for (; passed < count && window.moves() < movesEnough; passed++) {
      window.pass();
    }
    unlogged.add(first, window.next() - 1);
    age();
    return passed;
  }

  /** Commits that left the window uncleaned since the start: each costs some loads from memory. */
  public long moves() {
    return window.moves();
  }

  /**
   * Aborts a transaction at the request of its client.
   *
   * @return {@link Outcome#ABORTED}; its commit timestamp if it is committed; {@link
   *     Outcome#UNKNOWN} if it left the window: it is aborted unless a commit request was sent
   */
  public long abort(long start) {
    long sequence = start >>> Timestamps.GAP_BITS;
    if (!wasIssued(start)) {
      return Outcome.INVALID_TIMESTAMP;
    }
    if (!window.contains(sequence)) {
      return decided.beforeWindow(sequence, true);
    }
    int state = window.state(sequence);
    if (!DecidedTransactions.isOpen(state)) {
      return decided.again(sequence, state);
    }
    window.setState(sequence, TransactionWindow.HALF_ABORTED);
    changes.aborted(start);
    counters.requested++;
    return Outcome.ABORTED;
  }

  /**
   * The cleaned-up request (section 3.1), for commits too: the transaction has no pending marks
   * left. An open transaction is aborted by it: it wrote nothing, or took everything back.
   */
  public long cleaned(long start) {
    if (!wasIssued(start)) {
      return Outcome.INVALID_TIMESTAMP;
    }
    long sequence = start >>> Timestamps.GAP_BITS;
    counters.cleanups++;
    if (!window.contains(sequence)) {
      if (uncleaned.remove(sequence)) {
        changes.cleaned(start);
      }
      return Outcome.DONE;
    }
    switch (window.state(sequence)) {
      case TransactionWindow.COMMITTED -> {
        window.setState(sequence, TransactionWindow.COMMITTED_CLEAN);
        changes.cleaned(start);
      }
      case TransactionWindow.HALF_ABORTED -> {
        window.setState(sequence, TransactionWindow.ABORTED_CLEAN);
        changes.cleaned(start);
      }
      case TransactionWindow.OPEN, TransactionWindow.PRESUMED_OPEN -> {
        window.setState(sequence, TransactionWindow.ABORTED_CLEAN);
        changes.aborted(start);
        changes.cleaned(start);
      }
      case TransactionWindow.NO_TRANSACTION, TransactionWindow.SAFE_SNAPSHOT -> {
        return Outcome.INVALID_TIMESTAMP;
      }
      default -> {} // cleaned before
    }
    return Outcome.DONE;
  }

  /**
   * The low watermark W: every transaction that started below it is decided, and every committed
   * one among them is cleaned up. A transaction that is aborted counts whether its cleanup was
   * reported or not: its cells are never visible. It never falls, not over a restart either: see
   * the package's description.
   *
   * <p>Each timestamp is passed once, at most {@link Watermark#WALK_MAX} by one call, and the table
   * gone over only when its lowest entry left; until a later call has caught up the answer is lower
   * than need be.
   */
  public long lowWatermark() {
    return watermark.answer();
  }

  /**
   * A client swept all tables: it took {@code timestamp} as a start timestamp, then visited every
   * pending mark and finished the cleanup of every decided transaction it met. So no mark is left
   * of what committed below {@code timestamp}; the package's description proves it.
   *
   * <p>Costs a constant; the window's slots and the table follow with {@link #sweepOn}, and in
   * small steps with other requests.
   */
  public long swept(long timestamp) {
    long sequence = timestamp >>> Timestamps.GAP_BITS;
    int state = window.state(sequence);
    if (!wasIssued(timestamp)
        || state == TransactionWindow.NO_TRANSACTION
        || state == TransactionWindow.SAFE_SNAPSHOT) {
      return Outcome.INVALID_TIMESTAMP;
    }
    watermark.swept(timestamp);
    return Outcome.DONE;
  }

  /**
   * Goes on with what {@link #swept} left to do: at most {@link Watermark#WALK_MAX} places. To be
   * called once for all reports that came together, since each may have as much to do.
   */
  public void sweepOn() {
    watermark.sweepOn(Watermark.WALK_MAX);
  }

  /**
   * The time limit of transactions: those that started below {@code timestamp} are aborted unless
   * they are committed, as if they had left the window. Their marks are concluded to be of aborted
   * transactions from here on, so this is logged, and every answer waits for the log as it does
   * after each other change: a successor does not reach further back.
   *
   * <p>Of what is below, only uncleaned commits are known any more; they move to the table, which
   * has a place for each.
   *
   * @return whether all is done; if not, call again: one call takes {@link Watermark#WALK_MAX}
   *     timestamps, and moves {@link Watermark#MOVES_MAX} commits
   */
  public boolean expire(long timestamp) {
    return watermark.expire(timestamp);
  }

  private boolean wasIssued(long timestamp) {
    return Timestamps.isWellFormed(timestamp) && timestamp >>> Timestamps.GAP_BITS < window.next();
  }

  private void age() {
    int now = (int) window.next();
    if (map.isDue(now)) {
      map.advance(now);
    }
    certifier.age(now);
    watermark.sweepOn(Watermark.SWEEP_SHARE);
  }

  /** Begins a list of all uncleaned commits; {@link #snapshotOn} makes it. */
  public void beginSnapshot() {
    snapshot.begin();
  }

  /**
   * Goes on with the list of what the log must keep. Other requests may come between two calls; the
   * list is complete together with what they change, see {@link UncleanedSnapshot}.
   *
   * @param placesMax places of the window or the table to be looked at, at most
   * @param commitsMax commits to be shown, at most, or a few more
   * @return whether the list is complete
   */
  public boolean snapshotOn(int placesMax, int commitsMax, UncleanedVisitor visitor) {
    return snapshot.proceed(placesMax, commitsMax, visitor);
  }

  /** Sees one committed transaction whose cleanup is outstanding, in full timestamps. */
  public interface UncleanedVisitor {
    void visit(long start, long commit);
  }

  /** The next timestamp that will be issued. */
  public long nextTimestamp() {
    return window.next() << Timestamps.GAP_BITS;
  }

  /** Transactions that started below this timestamp can no longer commit. */
  public long windowLow() {
    return window.low() << Timestamps.GAP_BITS;
  }

  /**
   * The first start timestamp from {@code from} on whose transaction is, or may be, open and was
   * not begun by this host; the next timestamp if there is none. If it is further than {@code
   * stepsMax} timestamps ahead, a lower timestamp, from which a later call may go on.
   */
  public long openOfOthers(long from, int host, int stepsMax) {
    return window.openOfOthers(from >>> Timestamps.GAP_BITS, host, stepsMax) << Timestamps.GAP_BITS;
  }

  /** The most committed transactions whose cleanup may be outstanding. */
  public int uncleanedMax() {
    return uncleaned.capacity();
  }

  /** Rows whose last commit is remembered. */
  public long rows() {
    return map.capacity();
  }

  /** Timestamps of the window. */
  public int windowTimestamps() {
    return window.capacity();
  }

  /** Committed transactions whose cleanup was not reported; after a sweep it falls by and by. */
  public long uncleanedCommits() {
    return uncleaned.size() + window.count(TransactionWindow.COMMITTED);
  }

  /** The ids because of which most commits were refused lately. */
  public HotIds hot() {
    return hot;
  }

  /** Totals since the start, and the state's sizes at this moment. */
  public OracleCounters counters() {
    // The watermark is answered to no client that relies on it.
    counters.describe(map, window, uncleaned, uncleanedCommits(), watermark.sequence());
    holds.describe(counters, window.next());
    return counters;
  }
}
