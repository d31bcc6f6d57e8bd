package io.retso.sequencer;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Holding;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.List;

/**
 * Puts requests, oracle and log in one order.
 *
 * <p>The caller hands in requests, takes for each reply the {@link #replyPosition()} that the
 * request left, calls {@link #flush()} at the end of a burst, and lets the reply go when {@link
 * Replies#durable} has reached its position. {@link LogWriter} makes entries of what the oracle
 * changes.
 *
 * <p>Allocates nothing after construction. Single-threaded: every method is called by one thread,
 * the one that delivers the log's acknowledgements.
 */
public final class Sequencer implements CommitLog.Listener {
  /** Timestamps that are passed over at once: some 0.3 ms, and 2 ms if they push out commits. */
  private static final int PASS_MAX = 1 << 16;

  /** Time between two calls of {@link #tick}. */
  public static final long TICK_MILLIS = 10;

  /** The other side: hears when replies may leave. */
  public interface Replies {
    /**
     * Timestamps that wait for {@code position} or less may leave, and other replies that wait for
     * {@link #released}.
     */
    void durable(long position);

    /** The log failed: nothing that is still held may ever leave. */
    void failed(LogException cause);
  }

  private final SequencerSettings settings;
  private final StatusOracle oracle;
  private final Replies replies;
  private final LogWriter writer;
  private final Lease lease;
  private final SafeSnapshots safeSnapshots;
  private final HeldSnapshots heldSnapshots;

  /** The thread of {@link #start}, and of everything from then on; {@code assert} only. */
  private Thread owner;

  /** Decisions are held, or were until the next {@link #tick}. */
  private boolean held;

  /** Where the reply to the request that was handed in last may leave. */
  private long replyPosition;

  /**
   * Makes the sequencer and its oracle.
   *
   * @param sizes makes the oracle; it must report its changes to the given sink
   */
  public Sequencer(SequencerSettings settings, OracleMaker sizes, Replies replies) {
    this.settings = settings;
    this.replies = replies;
    lease = new Lease(settings.timing(), settings.entriesInFlight());
    writer = new LogWriter(settings, lease, sizes);
    oracle = writer.oracle();
    safeSnapshots = new SafeSnapshots(oracle);
    heldSnapshots = new HeldSnapshots(oracle);
  }

  /** Makes an oracle that reports to {@code changes}. */
  public interface OracleMaker {
    StatusOracle make(Changes changes);
  }

  /** The oracle, for recovery before {@link #start} and for its counters. */
  public StatusOracle oracle() {
    return oracle;
  }

  /**
   * Begins to serve on a log that was taken over: starts its first segment and reserves timestamps.
   * Requests may be handed in at once. For one who is sure that no writer before has a lease.
   *
   * @param lastPosition the position of the last entry that was replayed, 0 if there was none
   */
  public void start(CommitLog takenLog, long lastPosition) {
    owner = Thread.currentThread();
    writer.start(takenLog, lastPosition);
  }

  /**
   * Begins behind a writer that may not know yet that it was deposed: answers to decisions and
   * queries are held until it cannot answer with timestamps any more. {@link #tick} lets them go.
   *
   * @param fencedNanos when all of its ledgers were fenced, by the clock of {@link
   *     SequencerSettings.Timing}
   */
  public void startBehind(CommitLog takenLog, long lastPosition, long fencedNanos) {
    lease.hold(fencedNanos);
    held = true;
    start(takenLog, lastPosition);
  }

  /**
   * The one of these two that the replay of the log calls for.
   *
   * @param replayed the whole log, and {@link Recovery#finish} was called
   */
  public void startAfter(Recovery replayed, CommitLog takenLog, long fencedNanos) {
    if (replayed.hasWriter()) {
      startBehind(takenLog, replayed.lastPosition(), fencedNanos);
    } else {
      start(takenLog, replayed.lastPosition());
    }
  }

  /**
   * Time passes: appends an empty entry if there was none for a while, and lets go of what was
   * held. To be called about every {@value #TICK_MILLIS} ms.
   */
  public void tick() {
    assert isOwner();
    if (held && !lease.held()) {
      held = false;
      replies.durable(writer.durable());
    }
    writer.heartbeat();
  }

  private boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  /**
   * Whether requests of so many bytes on the wire can be taken now. If not, the caller keeps them
   * and asks again when something became durable.
   */
  public boolean canTake(int frameBytes) {
    assert isOwner();
    if (writer.isStopped() || writer.hasEnded()) {
      return false;
    }
    return writer.hasRoomFor(frameBytes);
  }

  /** Issues start timestamps; see {@link StatusOracle#begin}. */
  public long begin(int count) {
    return begin(count, 0);
  }

  /** Issues them for a client host that has a number; see {@link StatusOracle#begin(int, int)}. */
  public long begin(int count, int host) {
    long first = oracle.begin(count, host);
    writer.reserveAhead();
    replyPosition = startsPosition();
    return first;
  }

  /**
   * Where the reply to the request that was handed in last may leave: when {@link #durable()} has
   * reached it. The request itself sets it, so before the next one there is no wrong moment to ask.
   */
  public long replyPosition() {
    return replyPosition;
  }

  /**
   * Where the reply with timestamps that were just issued may leave: at once if the lease lasts and
   * their reservation is not late; otherwise with an entry.
   */
  private long startsPosition() {
    assert isOwner();
    return Math.max(writer.positionOfStarts(), leasePosition());
  }

  private long leasePosition() {
    if (!settings.durable()) {
      return 0;
    }
    long position = lease.position();
    if (position == writer.filling()) {
      writer.mustWrite();
    }
    return position;
  }

  /**
   * Issues a timestamp that is no transaction; see {@link StatusOracle#timestamp}. The answer may
   * leave with that to a begin at the same moment: once the timestamp is reserved, no successor
   * commits below it.
   */
  public long timestamp() {
    long timestamp = oracle.timestamp();
    writer.reserveAhead();
    replyPosition = startsPosition();
    return timestamp;
  }

  /**
   * The snapshot that serializable readers without reports of reads share; see {@link
   * SafeSnapshots}. As with {@link #timestamp} the answer may leave once the snapshot is reserved:
   * no successor places a commit below what was reserved.
   *
   * @param nowNanos a monotonic clock's time
   */
  public long safeSnapshot(long nowNanos) {
    long snapshot = safeSnapshots.current(nowNanos);
    writer.reserveAhead();
    replyPosition = startsPosition();
    return snapshot;
  }

  /** Lets go of safe snapshots whose time is over; to be called some times a second. */
  public void releaseSafeSnapshots(long nowNanos) {
    safeSnapshots.release(nowNanos);
  }

  /**
   * Holds a snapshot; see {@link StatusOracle#hold}. The answer waits for its record in the log: a
   * successor that lacked it would let the low watermark pass.
   *
   * @param nowNanos a monotonic clock's time
   */
  public long hold(String name, long call, long ttlMillis, long nowNanos) {
    if (!writer.takesHolds()) {
      replyAt(queryPosition());
      return Outcome.HOLDS_NOT_UNDERSTOOD;
    }
    long wallMillis = settings.timing().wallClock().getAsLong();
    long outcome = heldSnapshots.hold(name, call, ttlMillis, wallMillis, nowNanos);
    writer.reserveAhead();
    replyAt(decisionPosition());
    return outcome;
  }

  /** Lets the time of a held snapshot begin anew; a number of {@link Outcome}. */
  public long renewHeld(long timestamp, long nowNanos) {
    replyAt(queryPosition());
    return heldSnapshots.renew(timestamp, nowNanos);
  }

  /** Holds a snapshot no longer; a number of {@link Outcome}. */
  public long releaseHeld(long timestamp) {
    long outcome = heldSnapshots.release(timestamp);
    replyAt(decisionPosition()); // behind the record
    return outcome;
  }

  /** All snapshots that are held. */
  public List<Holding.Report> heldSnapshots(long nowNanos) {
    replyAt(queryPosition());
    return heldSnapshots.reports(nowNanos);
  }

  /**
   * Ends the held snapshots whose time is over; to be called some times a second. While the log is
   * behind they last longer.
   */
  public void expireHeld(long nowNanos) {
    long expired;
    while ((expired = heldSnapshots.expired(nowNanos)) != 0 && canTake(0)) {
      heldSnapshots.release(expired);
      flush();
    }
  }

  /**
   * Lets time pass until {@code timestamp} is the next one, or some of the way if it is far; see
   * {@link StatusOracle#pass}. Nothing of it is logged but reservations; while the log is behind,
   * time stands. Call {@link #flush} at the end of the burst.
   *
   * @return whether it got there; if not, call again after other requests had their turn
   */
  public boolean passTo(long timestamp) {
    long missing = timestamp - oracle.nextTimestamp() >> Timestamps.GAP_BITS;
    if (missing <= 0) {
      return true;
    }
    if (!canTake(0)) {
      return false;
    }
    // Half a reservation is left after each request, and must not be used up before the next.
    int count = (int) Math.min(missing, Math.min(PASS_MAX, writer.reservedAhead() / 2));
    int passed = oracle.pass(count);
    writer.reserveAhead();
    return passed == missing;
  }

  /** Decides commit requests; see {@link StatusOracle#commit}. */
  public void commit(CommitBatch batch) {
    oracle.commit(batch);
    writer.reserveAhead();
    replyAt(decisionPosition());
  }

  /** Answers a status query; see {@link StatusOracle#status}. */
  public long status(long writerStart, long readerStart) {
    replyAt(queryPosition());
    return oracle.status(writerStart, readerStart);
  }

  /** Aborts a transaction; see {@link StatusOracle#abort}. */
  public long abort(long start) {
    replyAt(decisionPosition());
    return oracle.abort(start);
  }

  /** Notes a cleanup; see {@link StatusOracle#cleaned}. */
  public long cleaned(long start) {
    replyAt(decisionPosition());
    return oracle.cleaned(start);
  }

  /** The low watermark; see {@link StatusOracle#lowWatermark}. */
  public long lowWatermark() {
    replyAt(queryPosition()); // it rests on what is under way, as an answer to a status query does
    return oracle.lowWatermark();
  }

  /** Notes a sweep; see {@link StatusOracle#swept}. */
  public long swept(long timestamp) {
    replyAt(decisionPosition());
    return oracle.swept(timestamp);
  }

  /** Takes in the sweeps that were noted, some of the way; see {@link StatusOracle#sweepOn}. */
  public void sweepOn() {
    oracle.sweepOn();
  }

  /**
   * Aborts what started below {@code timestamp} and is not committed; see {@link
   * StatusOracle#expire}. Call {@link #flush} at the end of the burst.
   *
   * @return whether all is done; if not, call again after other requests had their turn
   */
  public boolean expireBelow(long timestamp) {
    // While the log is behind nothing is added to it, so this needs no bound of its own.
    return canTake(0) && oracle.expire(timestamp);
  }

  /** The reply waits for an entry, if only an empty one. */
  private void replyAt(long position) {
    assert isOwner();
    assert position <= writer.filling() : "a reply waits for an entry behind the current one";
    writer.mustWrite();
    replyPosition = position;
  }

  /** The position at which replies to requests that change something may leave. */
  private long decisionPosition() {
    return settings.durable() ? writer.filling() : 0;
  }

  /**
   * The position at which answers to status queries may leave. The same, because of the null write:
   * an answer may rest on a commit that is not durable yet, and a crash would make it false; or
   * this writer may be deposed without knowing it, and only an append finds out.
   */
  private long queryPosition() {
    return decisionPosition();
  }

  /** Decisions and answers to queries that wait for this position or less may leave. */
  public long released() {
    return held ? 0 : writer.durable();
  }

  /** Everything up to this position is durable: timestamps that wait for it may leave. */
  public long durable() {
    return writer.durable();
  }

  /** Ends a burst of requests: writes what there is, now or when it is worthwhile. */
  public void flush() {
    assert isOwner();
    writer.flush();
  }

  @Override
  public void durable(long position) {
    assert isOwner();
    if (writer.isStopped()) {
      return;
    }
    writer.durable(position);
    replies.durable(position);
    flush();
  }

  @Override
  public void stalled(LogException cause) {
    assert isOwner();
    writer.stall(cause);
  }

  /** First what is outstanding is on its way again: an answer may make room for more behind it. */
  @Override
  public void resumed(long position) {
    assert isOwner();
    if (!writer.isStopped()) {
      writer.resume(position);
      durable(Math.max(position, writer.durable()));
    }
  }

  /** Whether the log cannot be appended to for now: requests wait, and so do replies. */
  public boolean isStalled() {
    return writer.stall() != null;
  }

  /** Why the log cannot be appended to for now; null if it can. */
  public LogException stall() {
    return writer.stall();
  }

  /**
   * Takes nothing any more, and logs the next timestamp, from which a successor goes on: it skips
   * none of those that were reserved for nothing.
   *
   * <p>A successor does not wait for this server's lease then. So this server must not be waiting
   * itself for that of the one before.
   *
   * <p>This is safe since all timestamps that were issued are below it, and none is issued from
   * here on: not by this server, which takes no request and passes no time, nor by a deposed one
   * before it, whose reservations ended where this one began. Whether the record reaches the log or
   * not: without it, a successor skips what was reserved.
   *
   * @return the position of that record, to be waited for; {@code Long.MAX_VALUE} if this must be
   *     called again when something more is durable; 0 if there is no log any more
   */
  public long finish() {
    assert isOwner();
    if (writer.isStopped() || !settings.durable()) {
      return 0;
    }
    return held ? Long.MAX_VALUE : writer.end();
  }

  /**
   * Whether the log has everything that the oracle has, for good: the record of {@link #finish} is
   * durable, and so is what was logged before it. Behind it nothing is taken, so the oracle does
   * not change. Without that record the oracle may be ahead of the log, and it cannot be told by
   * what.
   */
  public boolean hasLoggedAll() {
    return writer.hasLoggedAll();
  }

  /**
   * Appends, takes and answers nothing any more: an error left the oracle in an unknown state, or
   * another server leads.
   */
  public void stop() {
    assert owner == null || isOwner();
    writer.stop();
  }

  @Override
  public void failed(LogException cause) {
    assert owner == null || isOwner();
    if (!writer.isStopped()) { // one that was stopped is not heard any more
      writer.stop();
      replies.failed(cause);
    }
  }

  /** What was counted; the oracle's counters are its own. */
  public SequencerCounters counters() {
    return writer.counters();
  }

  /** For how long timestamps still leave at once if the log acknowledges nothing; nanoseconds. */
  public long leaseNanos() {
    return lease.leftNanos();
  }
}
