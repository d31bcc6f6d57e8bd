package io.retso.sequencer;

import io.retso.log.CommitLog;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.ForwardedChanges;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.util.concurrent.TimeUnit;

/**
 * Writes what the oracle changes into entries, appends these to the log, and begins a new segment
 * now and then. Which reply waits for which entry is the {@link Sequencer}'s part.
 *
 * <p>How entries grow: while nothing is outstanding a burst is written at once, so an idle system
 * adds no delay. While entries are outstanding, smaller bursts wait for company until an
 * acknowledgement comes; so entries grow with the load by themselves.
 *
 * <p>While the log is stalled nothing is appended and no request fits: what is outstanding stays in
 * the ring, and beside it there is one entry of which a part is filled.
 *
 * <p>Of the sequencer's thread. Allocates nothing after construction.
 */
final class LogWriter {
  /** Bytes of a segment after which the log rolls, whatever its age. */
  private static final long SEGMENT_BYTES_MAX = 1L << 30;

  /** A window spans at least so many segments, so that little more than it is replayed. */
  private static final int SEGMENTS_PER_WINDOW = 4;

  /** Heartbeats of an idle server are so many times rarer than the first is late. */
  static final int IDLE_FACTOR = 5;

  /**
   * An idle server appends an entry several times a second. One that has appended none for so long
   * stood still, and its ledger may have been deleted by a successor together with its fence: then
   * bookies would acknowledge what will never be read. It looks at the catalog first. A ledger is
   * deleted a window and an hour after its successor began, at the earliest.
   */
  static final long STOOD_STILL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SequencerSettings settings;
  private final Lease lease;
  private final StatusOracle oracle;
  private final EntryRing ring;
  private final Reservation reservation;
  private final SegmentSnapshot snapshot;
  private final int entryBytesEnough;
  private final SequencerCounters counters = new SequencerCounters();

  private CommitLog log;
  private LogEntry entry;

  /** The entry must be written although it may be empty. */
  private boolean nullWrite;

  /** The entry that was written last was empty. */
  private boolean idle;

  private boolean stopped;

  /** An append failed: none is sent before {@link #resume}. */
  private LogException stall;

  /** The entry that says that no timestamp is issued any more; 0 before that. */
  private long endedAt;

  /** Time at which the current segment began. */
  private long segmentStart;

  /** A new segment is ready; requests wait until everything in the old one is durable. */
  private boolean rolling;

  /** Makes the writer, and the oracle that reports to it. */
  LogWriter(SequencerSettings settings, Lease lease, Sequencer.OracleMaker sizes) {
    this.settings = settings;
    this.lease = lease;
    entryBytesEnough = settings.entryBytes().enough();
    int entryBytes = settings.durable() ? settings.entryBytes().capacity() : LogEntry.HEADER_BYTES;
    ring = new EntryRing(settings.entriesInFlight(), entryBytes);
    reservation = new Reservation(settings.reservationTimestamps());
    oracle = sizes.make(settings.durable() ? new Recorder() : Changes.NONE);
    snapshot = new SegmentSnapshot(oracle, entryBytesEnough);
  }

  /** Writes what the oracle changes into the entry that is being filled. */
  private final class Recorder extends ForwardedChanges {
    @Override
    protected Changes target() {
      return entry;
    }
  }

  StatusOracle oracle() {
    return oracle;
  }

  SequencerCounters counters() {
    return counters;
  }

  /** Begins behind the last position of an earlier writer, 0 if there was none. */
  void start(CommitLog takenLog, long lastPosition) {
    log = takenLog;
    ring.startBehind(lastPosition);
    lease.startBehind(lastPosition);
    entry = ring.next();
    if (settings.durable()) {
      startSegment();
    } else {
      reservation.everything();
    }
  }

  /** Whether requests of so many bytes on the wire fit into the entry that is being filled. */
  boolean hasRoomFor(int frameBytes) {
    if (!settings.durable()) {
      return true;
    }
    if (entry.bytes() >= entryBytesEnough && !rolling && stall == null && !ring.isFull()) {
      flushNow();
    }
    return !rolling
        && stall == null
        && entry.bytes() < entryBytesEnough
        && entry.remaining() >= 2 * frameBytes + Long.BYTES;
  }

  /** Whether records of held snapshots may be written: all servers that read the log know them. */
  boolean takesHolds() {
    return !settings.durable() || log.version() >= LogEntry.HOLDS_VERSION;
  }

  /** Position of the entry that is being filled. */
  long filling() {
    return ring.filling();
  }

  /** Everything up to this position is durable. */
  long durable() {
    return ring.durable();
  }

  /** The entry that is being filled must be written, if only as an empty one. */
  void mustWrite() {
    nullWrite = true;
  }

  /** Timestamps that are reserved ahead at a time. */
  int reservedAhead() {
    return reservation.timestamps();
  }

  /** Where timestamps below the next one may leave: 0 at once, or with their reservation. */
  long positionOfStarts() {
    return reservation.positionOfStarts(oracle.nextTimestamp());
  }

  /** To be called after timestamps were issued: reserves more when half of them are used. */
  void reserveAhead() {
    assert endedAt == 0 : "a timestamp was issued behind the last";
    if (reservation.isDue(oracle.nextTimestamp())) {
      reservation.grow();
      reserve();
    }
  }

  /** No timestamp is used before a successor is sure to skip it. */
  private void reserve() {
    entry.reserved(reservation.renew(oracle.nextTimestamp(), ring.filling()));
  }

  /** Ends a burst of requests: writes what there is, now or when it is worthwhile. */
  void flush() {
    assert reservation.covers(oracle.nextTimestamp()) : "a timestamp was issued unreserved";
    boolean nothing = !nullWrite && entry.isEmpty();
    if (stopped || stall != null || !settings.durable() || nothing || rolling || ring.isFull()) {
      return;
    }
    if (ring.isIdle() || entry.bytes() >= settings.entryBytes().worthwhile()) {
      flushNow();
    }
  }

  /** Writes the current entry; the ring must have another one. */
  private void flushNow() {
    assert !ring.isFull();
    appendEntry(entry);
    entry = ring.next();
    nullWrite = false;
    if (endedAt == 0 && snapshot.isComplete() && segmentIsDue()) {
      log.prepareSegment();
      rolling = log.isSegmentReady();
    }
  }

  private void appendEntry(LogEntry full) {
    idle = full.isEmpty();
    counters.entries++;
    counters.entryBytes += full.bytes();
    long since = lease.sending(ring.filling());
    if (since > STOOD_STILL_NANOS) {
      log.doubt(
          "nothing was appended for "
              + TimeUnit.NANOSECONDS.toSeconds(since)
              + " s: this process stood still, or a clock was set; another server may lead by now");
    }
    log.append(ring.filling(), full.seal(ring.filling()));
    ring.appended();
  }

  /** What is outstanding may have to be appended again. */
  void stall(LogException cause) {
    stall = cause;
    // A segment that was ready goes on with the one before, if it is needed for that.
    rolling = false;
    counters.stalls++;
    counters.stalledBy = cause.getMessage();
  }

  /**
   * Appends what is outstanding behind a position again: the same bytes at the same positions. Such
   * an entry counts for the lease from now on. One that turned out to be durable counts from when
   * it was sent, which was before any server could fence the ledger that it is in.
   */
  void resume(long position) {
    stall = null;
    counters.stalledBy = "";
    for (long each = position + 1; each < ring.filling(); each++) {
      lease.sending(each);
      log.append(each, ring.outstanding(each));
    }
  }

  /**
   * Writes an empty entry if none was sent for a while: what was sent before is confirmed by it to
   * those who read the log, and the lease goes on.
   */
  void heartbeat() {
    if (stall != null) {
      log.proceed();
      return;
    }
    long nanos = settings.timing().heartbeatNanos();
    boolean isWanted = nanos > 0 && settings.durable() && !stopped && endedAt == 0;
    if (isWanted && ring.isIdle() && lease.isSilentFor(idle ? IDLE_FACTOR * nanos : nanos)) {
      nullWrite = true;
      flush();
    }
  }

  private boolean segmentIsDue() {
    long span = (long) oracle.windowTimestamps() << Timestamps.GAP_BITS;
    return oracle.nextTimestamp() - segmentStart > span / SEGMENTS_PER_WINDOW
        || log.segmentBytes() > SEGMENT_BYTES_MAX;
  }

  /**
   * Starts a segment: its time, a reservation, all commits that are not cleaned up. Nothing is
   * outstanding and the current entry is empty, so everything that changed before is durable in the
   * segments before: no entry of this segment can survive a crash that one of those does not.
   */
  private void startSegment() {
    assert ring.isIdle() && entry.isEmpty();
    long span = (long) oracle.windowTimestamps() << Timestamps.GAP_BITS;
    segmentStart = oracle.nextTimestamp();
    log.require(oracle.holds().size() > 0 ? LogEntry.HOLDS_VERSION : LogEntry.VERSION);
    log.startSegment(segmentStart, segmentStart - span);
    entry.segment(segmentStart);
    entry.window(oracle.windowTimestamps());
    reserve();
    snapshot.begin(entry);
    appendEntry(entry);
    entry = ring.next();
    counters.segments++;
  }

  /** Everything up to {@code position} is durable. */
  void durable(long position) {
    ring.durable(position);
    lease.acknowledged(position);
    reservation.durable(position);
    if (rolling && ring.isIdle()) {
      rolling = false;
      startSegment();
    } else if (endedAt == 0
        && snapshot.proceed(entry)) { // before the requests that waited: they fill entries
      nullWrite = true;
    }
  }

  /**
   * Logs the next timestamp as the one from which a successor goes on; see {@link
   * Sequencer#finish}.
   *
   * @return the position of that record; {@code Long.MAX_VALUE} if this must be called again when
   *     something more is durable
   */
  long end() {
    if (rolling || stall != null) {
      return Long.MAX_VALUE; // the segment that begins next would reserve again
    }
    if (endedAt == 0) {
      endedAt = ring.filling();
      entry.ended(oracle.nextTimestamp());
      if (!ring.isFull()) {
        flushNow(); // no company comes: nothing is taken any more
      }
    }
    return endedAt;
  }

  /** Whether the log has been given its end. */
  boolean hasEnded() {
    return endedAt > 0;
  }

  /** Whether that end is durable. */
  boolean hasLoggedAll() {
    return endedAt > 0 && ring.durable() >= endedAt;
  }

  /** Appends nothing any more. */
  void stop() {
    stopped = true;
    counters.stalledBy = "";
  }

  boolean isStopped() {
    return stopped;
  }

  /** Why nothing can be appended for now; null if it can. */
  LogException stall() {
    return stall;
  }
}
