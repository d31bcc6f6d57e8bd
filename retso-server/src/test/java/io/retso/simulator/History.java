package io.retso.simulator;

import static io.retso.simulator.Violation.unless;

import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.oracle.Hold;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What really happened, and all answers that anybody got: the judge of a simulated world.
 *
 * <p>The truth is the log: a transaction is committed once its record can no longer be lost. From
 * the truth follow the snapshots of the reference model, and with it every answer is compared, and
 * every answer with every later truth.
 */
final class History implements SimulatedLedgers.Durable, LogEntry.Visitor {
  /** Facts of timestamps further back than this are forgotten, so that memory stays bounded. */
  private static final long HORIZON = 200_000L * Timestamps.GAP;

  /** The map's name for row 0, which is also the log's. */
  private static final long ROW_ZERO = 0x5bd1_e995_9e37_79b9L;

  /** What is known of one transaction. */
  private static final class Facts {
    long commit; // in the log
    boolean abortedTold;
    boolean notSentTold;
    boolean notSerializable; // certified, and refused
    boolean abortConcluded; // from RETRY, with the mark still there
    boolean abortLogged;
    boolean begun; // a client has it
    long openFor; // the newest reader that got the answer that it is open
  }

  /** Commits and reads of one row. */
  private static final class Row {
    final TreeMap<Long, Long> commits = new TreeMap<>(); // commit to start
    final TreeMap<Long, Long> locks = new TreeMap<>(); // of those that wrote nothing, the same
    final TreeMap<Long, Long> reads = new TreeMap<>(); // reader's start to the version it saw
  }

  private final VersionedTable table;
  private final SerialOrder order = new SerialOrder();
  private final TreeMap<Long, Facts> transactions = new TreeMap<>();
  private final Map<Long, Row> rows = new HashMap<>();
  private final Set<Long> usedTimestamps = new HashSet<>();
  private final Map<Long, Long> ofDeposed = new HashMap<>(); // timestamp to its server's number
  private final TreeMap<Integer, long[]> startsByEpoch = new TreeMap<>(); // lowest, highest
  private final Map<Long, Integer> safeSnapshots = new HashMap<>(); // to the server's epoch
  private final long[] entryRows = new long[1024];
  private long newest;
  private long newestSeen;
  private long newestCommitKnown;

  /** Commits with rows and without a cleanup or sweep in the log: commit to start. */
  private final TreeMap<Long, Long> uncleaned = new TreeMap<>();

  /** The highest low watermark that anybody got. */
  private long watermark;

  /** Snapshots that clients have, held and not let go. */
  private final Set<Long> held = new HashSet<>();

  /** All that were ever held, as the log says. */
  private final Set<Long> heldInLog = new HashSet<>();

  /** What started below it and is not committed in the log never will be. */
  private long expiredBelow;

  /** The window of the writer whose records come now, as a distance of timestamps. */
  private long windowSpan;

  /** What started below it may have left the window of a writer. */
  private long leftWindowBelow;

  private long commits;
  private long reads;

  History(VersionedTable table) {
    this.table = table;
  }

  long commits() {
    return commits;
  }

  long reads() {
    return reads;
  }

  /** The judge of serializable transactions. */
  SerialOrder order() {
    return order;
  }

  /** The newest timestamp that any client knows. */
  long newestSeen() {
    return newestSeen;
  }

  /** The newest commit that any client knows. */
  long newestCommitKnown() {
    return newestCommitKnown;
  }

  /** A client got a start timestamp. */
  void begun(long start) {
    facts(start).begun = true;
    timestamp(start);
  }

  /** A client got a timestamp that is no transaction's. */
  void timestamp(long timestamp) {
    newestSeen = Math.max(newestSeen, timestamp);
  }

  private Facts facts(long start) {
    return transactions.computeIfAbsent(start, s -> new Facts());
  }

  private Row row(long row) {
    return rows.computeIfAbsent(row, r -> new Row());
  }

  // The truth.

  @Override
  public void entry(ByteBuffer bytes) {
    try {
      LogEntry.read(bytes, entryRows, this);
    } catch (LogException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void committed(long start, long commit, long[] written, int from, int to) {
    Facts facts = facts(start);
    unless(facts.commit == 0, start + " was committed twice: " + facts.commit + ", " + commit);
    unless(!facts.abortedTold, start + " was answered to be aborted and is committed");
    unless(!facts.notSentTold, start + " was answered not to be sent and is committed");
    unless(!facts.abortConcluded, start + " had to be concluded to be aborted, and is committed");
    unless(
        commit > facts.openFor,
        start + " was not committed for " + facts.openFor + " and now is at " + commit);
    unless(start >= watermark, start + " is below the low watermark " + watermark);
    unless(start >= expiredBelow, start + " was expired below " + expiredBelow);
    facts.commit = commit;
    if (from < to) {
      uncleaned.put(commit, start);
    }
    commits++;
    use(commit);
    List<Long> ids = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      ids.add(written[i] == ROW_ZERO ? 0 : written[i]);
    }
    Set<Long> locked = order.lockedBy(start);
    locked.forEach(row -> lockRow(row, start, commit));
    ids.removeAll(locked);
    ids.forEach(row -> commitRow(row, start, commit));
    order.committed(start, commit, ids);
  }

  private void commitRow(long id, long start, long commit) {
    Row row = row(id);
    mustBeAlone(id, row.commits, start, commit);
    mustBeAlone(id, row.locks, start, commit);
    row.commits.put(commit, start);
    row.reads
        .tailMap(commit, false)
        .forEach(
            (reader, seen) ->
                unless(
                    seen >= commit,
                    () ->
                        "reader " + reader + " saw " + seen + " of row " + id + ", not " + commit));
  }

  private void lockRow(long id, long start, long commit) {
    Row row = row(id);
    mustBeAlone(id, row.commits, start, commit);
    mustBeAlone(id, row.locks, start, commit);
    row.locks.put(commit, start);
  }

  private static void mustBeAlone(long id, TreeMap<Long, Long> others, long start, long commit) {
    Map.Entry<Long, Long> before = others.lowerEntry(commit);
    Map.Entry<Long, Long> after = others.higherEntry(commit);
    unless(
        before == null || before.getKey() <= start,
        () -> "row " + id + ": " + before + " and " + start + "=" + commit + " were concurrent");
    unless(
        after == null || after.getValue() >= commit,
        () -> "row " + id + ": " + after + " and " + start + "=" + commit + " were concurrent");
  }

  private void use(long timestamp) {
    unless(usedTimestamps.add(timestamp), "timestamp " + timestamp + " was issued twice");
    newest = Math.max(newest, timestamp);
  }

  @Override
  public void aborted(long start) {
    facts(start).abortLogged = true;
  }

  @Override
  public void cleaned(long start) {
    uncleaned.remove(facts(start).commit);
  }

  @Override
  public void swept(long below) {
    Map<Long, Long> clean = uncleaned.headMap(below);
    clean
        .values()
        .forEach(
            start ->
                unless(!table.hasMarks(start), () -> start + " has marks behind a sweep " + below));
    clean.clear();
  }

  @Override
  public void expired(long below) {
    expiredBelow = Math.max(expiredBelow, below);
  }

  @Override
  public void watermark(long below) {}

  @Override
  public void held(Hold hold) {
    if (heldInLog.add(hold.timestamp())) { // each segment lists it once more
      use(hold.timestamp());
    }
  }

  @Override
  public void released(long timestamp) {
    unless(!held.contains(timestamp), timestamp + " is held, and was released in the log");
  }

  @Override
  public void window(long timestamps) {
    windowSpan = timestamps - 1 << Timestamps.GAP_BITS;
  }

  @Override
  public void reserved(long timestamp) {
    leftWindowBelow = Math.max(leftWindowBelow, timestamp - windowSpan);
  }

  @Override
  public void segment(long timestamp) {}

  @Override
  public void uncleaned(long start, long commit) {
    unless(facts(start).commit == commit, start + " is kept as committed at " + commit);
    unless(start >= watermark, start + " is kept as uncleaned below watermark " + watermark);
  }

  @Override
  public void continued() {}

  // What was answered.

  /**
   * Start timestamps left a server.
   *
   * @param deposedNumber of a server from which the log had been taken over; 0 of one that led
   */
  void issued(int epoch, long first, int count, long deposedNumber) {
    if (deposedNumber > 0) {
      for (int i = 0; i < count; i++) {
        ofDeposed.put(first + (long) i * Timestamps.GAP, deposedNumber);
      }
    }
    long[] range = startsByEpoch.computeIfAbsent(epoch, e -> new long[] {Long.MAX_VALUE, 0});
    for (int i = 0; i < count; i++) {
      use(first + (long) i * Timestamps.GAP);
    }
    range[0] = Math.min(range[0], first);
    range[1] = Math.max(range[1], first + (count - 1L) * Timestamps.GAP);
    Map.Entry<Integer, long[]> older = startsByEpoch.lowerEntry(epoch);
    Map.Entry<Integer, long[]> younger = startsByEpoch.higherEntry(epoch);
    unless(older == null || older.getValue()[1] < first, first + " is below an older server's");
    unless(
        younger == null || younger.getValue()[0] > range[1],
        range[1] + " is above a younger server's");
  }

  /** A safe snapshot left a server; one server hands each out many times, another never does. */
  void safeSnapshot(int epoch, long snapshot) {
    Integer of = safeSnapshots.putIfAbsent(snapshot, epoch);
    if (of == null) {
      use(snapshot);
    }
    unless(of == null || of == epoch, snapshot + " is a safe snapshot of two servers");
  }

  /** A client got a snapshot that is held. */
  void held(long snapshot, Known known) {
    mustSee(FrameType.HOLD, snapshot, known);
    unless(heldInLog.contains(snapshot), snapshot + " was answered as held before it was durable");
    unless(snapshot >= watermark, snapshot + " is held, and the watermark was " + watermark);
    timestamp(snapshot);
    held.add(snapshot);
  }

  /** Its client is about to release it, or its time is over. */
  void letGo(long snapshot) {
    held.remove(snapshot);
  }

  /** What a client knew when it asked for a timestamp: the newest commit of all, and so on. */
  record Known(long commit, long seen, long met) {}

  /**
   * A client got a timestamp. It sees every commit that anybody knew of, whichever server it is
   * from. That of a deposed server may be below timestamps that others got, which tell of no
   * commit; but not if this client has met a successor.
   */
  void mustSee(FrameType type, long timestamp, Known known) {
    unless(
        timestamp > known.commit,
        type + " " + timestamp + " does not see commit " + known.commit + ", known before");
    unless(
        timestamp > known.seen || ofDeposed.getOrDefault(timestamp, -1L) >= known.met,
        type + " " + timestamp + " is below " + known.seen + ", seen before; met " + known.met);
  }

  /** The highest low watermark that anybody knows. */
  long watermark() {
    return watermark;
  }

  /** A client that knew of {@code known} got the low watermark. */
  void watermark(long known, long answer) {
    unless(answer >= known, "the low watermark fell from " + known + " to " + answer);
    held.forEach(
        snapshot ->
            unless(snapshot >= answer, () -> snapshot + " is held, the watermark was " + answer));
    uncleaned.forEach(
        (commit, start) ->
            unless(
                start >= answer, () -> start + " is not cleaned up, the watermark was " + answer));
    watermark = Math.max(watermark, answer);
  }

  /** An answer of a server arrived at a client. */
  void answered(long start, long reader, Answer answer) {
    Facts facts = facts(start);
    long outcome = answer.outcome();
    if (outcome == Outcome.RETRY) {
      unless(start < answer.windowLow(), start + " is remembered, the answer was RETRY");
      if (answer.hadMarks()) {
        unless(facts.commit == 0, start + " is committed, not cleaned up, and was answered RETRY");
        facts.abortConcluded = true;
      }
    } else if (outcome == Outcome.UNKNOWN) {
      unless(start < answer.windowLow(), start + " is remembered, the answer was UNKNOWN");
    } else if (outcome == Outcome.REFUSED_UNCLEANED) {
      unless(answer.mayRefuse(), "refused below half the limit of uncleaned commits");
    } else if (outcome != Outcome.REFUSED_SHARE) { // which may be the answer at any time
      if (Outcome.isNotSerializable(outcome)) {
        unless(!facts.notSerializable, start + " was certified again, and refused again");
        facts.notSerializable = true;
      }
      answered(start, reader, outcome);
    }
  }

  /** A caller of a client got the outcome of its commit or abort, or of a status query. */
  void answered(long start, long reader, long outcome) {
    Facts facts = facts(start);
    if (Outcome.isCommitted(outcome)) {
      unless(
          facts.commit == outcome,
          start + " was answered to be committed at " + outcome + ", and is at " + facts.commit);
      newestSeen = Math.max(newestSeen, outcome);
      newestCommitKnown = Math.max(newestCommitKnown, outcome);
    } else if (Outcome.isAborted(outcome)) {
      unless(facts.commit == 0, start + " is committed, and was answered to be aborted");
      facts.abortedTold = true;
    } else if (outcome == Outcome.OPEN) {
      unless(
          facts.commit == 0 || facts.commit > reader,
          start + " is committed for " + reader + ", which got the answer that it is open");
      facts.openFor = Math.max(facts.openFor, reader);
    } else if (outcome == SimulatedClient.NOT_SENT) {
      unless(facts.commit == 0, start + " is committed, and was answered not to be sent");
      facts.notSentTold = true;
    } else {
      unless(
          outcome == Outcome.RETRY
              || outcome == Outcome.UNKNOWN
              || outcome == Outcome.REFUSED_UNCLEANED,
          "the answer about " + start + " was " + Outcome.nameOf(outcome));
    }
  }

  /** A reader saw the version {@code seen} of a row, 0 for none. */
  void read(long id, long reader, long seen) {
    reads++;
    Row row = row(id);
    Long newestBelow = row.commits.lowerKey(reader);
    long expected = newestBelow == null ? 0 : newestBelow;
    unless(
        expected == seen || seen < newest - HORIZON,
        () -> "reader " + reader + " saw " + seen + " of row " + id + ", not " + expected);
    row.reads.put(reader, seen);
  }

  /** A server rebuilt its state from the log: it must give the answers that were given. */
  void recovered(StatusOracle oracle) {
    long low = oracle.windowLow();
    long kept = oracle.uncleanedCommits();
    unless(
        kept == uncleaned.size(),
        kept + " uncleaned commits were recovered, not " + uncleaned.size());
    held.forEach(
        snapshot ->
            unless(oracle.holds().has(snapshot), () -> snapshot + " is held, and was forgotten"));
    unless(low >= expiredBelow, "what is below " + expiredBelow + " expired, and could commit");
    // Not asked for like a request: that would be logged, and the log is not open yet.
    long lag = oracle.counters().watermarkLag << Timestamps.GAP_BITS;
    long recovered = oracle.nextTimestamp() - lag;
    unless(recovered >= watermark, "the low watermark fell from " + watermark + " to " + recovered);
    long ownSpan = oracle.windowTimestamps() - 1L << Timestamps.GAP_BITS;
    long openFrom =
        Math.max(
            Math.max(expiredBelow, watermark),
            Math.max(leftWindowBelow, oracle.nextTimestamp() - ownSpan));
    transactions
        .tailMap(Math.min(openFrom, 2 * low - oracle.nextTimestamp()), true)
        .forEach((start, facts) -> compare(oracle, start, facts, openFrom));
  }

  private void compare(StatusOracle oracle, long start, Facts facts, long openFrom) {
    unless(start < oracle.nextTimestamp(), "the recovered server will issue " + start + " again");
    long outcome = oracle.status(start, start);
    if (facts.commit != 0) {
      unless(
          outcome == facts.commit || outcome == Outcome.RETRY && !table.hasMarks(start),
          () -> start + " was lost, " + facts.commit + " became " + Outcome.nameOf(outcome));
    } else {
      unless(!Outcome.isCommitted(outcome), () -> start + " was invented, at " + outcome);
      unless(
          outcome != Outcome.OPEN
              || !facts.abortedTold && !facts.abortConcluded && start >= watermark,
          () -> start + " was answered to be aborted, and could commit again");
      unless(
          outcome == Outcome.OPEN || !facts.begun || facts.abortLogged || start < openFrom,
          () -> start + " was open at a crash, and is " + Outcome.nameOf(outcome) + " after it");
    }
  }

  /** Forgets what is too old to matter, if enough of it is there. */
  void prune() {
    if (usedTimestamps.size() < 4 * HORIZON / Timestamps.GAP) {
      return;
    }
    long horizon = newest - HORIZON;
    usedTimestamps.removeIf(timestamp -> timestamp < horizon);
    ofDeposed.keySet().removeIf(timestamp -> timestamp < horizon);
    safeSnapshots.keySet().removeIf(timestamp -> timestamp < horizon);
    heldInLog.removeIf(timestamp -> timestamp < horizon && !held.contains(timestamp));
    order.forget(horizon);
    transactions
        .headMap(horizon)
        .entrySet()
        .removeIf(t -> !uncleaned.containsKey(t.getValue().commit) && !table.hasMarks(t.getKey()));
    rows.values()
        .forEach(
            row -> {
              row.commits.headMap(horizon).clear();
              row.locks.headMap(horizon).clear();
              row.reads.headMap(horizon).clear();
            });
  }
}
