package io.retso.sequencer;

import io.retso.log.IgnoringVisitor;
import io.retso.log.LedgerLog;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.Hold;
import io.retso.oracle.OracleCounters;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Limits;
import io.retso.protocol.Timestamps;
import io.retso.text.ErrorText;
import java.nio.ByteBuffer;

/**
 * Applies the log to an empty oracle, or to that of a leader which handed over, entry by entry;
 * {@link #finish} comes when there is no writer any more that could write another one. What was
 * decided is not judged again, so recovery gives the answers that were given, whatever the version
 * that gave them.
 *
 * <p>The first complete list of uncleaned commits that is replayed brings those of all time before;
 * those of later segments are known by then. A list is incomplete at the end of a log whose writer
 * died, so in the middle of one that was taken over then: what there is of it is true, the changes
 * among and behind its records are applied to it, and the list of the next segment brings the rest.
 * Single-threaded.
 */
public final class Recovery implements LedgerLog.Replay {
  /** Places that a standby looks at in a tick, if a sweep left any to do. */
  private static final int STEPS = 1 << 16;

  private final StatusOracle oracle;
  private final long[] rows = new long[Limits.TRANSACTION_ROWS_MAX];
  private final Applier applier = new Applier();
  private final Head newestHead = new Head();

  /** Commits that were read and not applied yet; applied before anything else is. */
  private final CommitBatch batch = new CommitBatch(Limits.TRANSACTION_ROWS_MAX);

  private long lastPosition = -1;
  private long transactions;
  private long bytes;
  private long reserved;

  /** The window of the server that wrote what was read last; 0 if it is not known. */
  private long windowTimestamps;

  /** The last writer's last reservation is followed by its end. */
  private boolean ended;

  /** The first segment's first record was seen. */
  private boolean started;

  /** The end of a list of uncleaned commits was seen. */
  private boolean complete;

  public Recovery(StatusOracle oracle) {
    this.oracle = oracle;
  }

  @Override
  public void restart() {
    oracle.replay().restart();
    batch.clear();
    lastPosition = -1;
    transactions = 0;
    bytes = 0;
    reserved = 0;
    windowTimestamps = 0;
    ended = false;
    started = false;
    complete = false;
  }

  /**
   * Goes on with the oracle of a leader, instead of reading its log: that has everything that the
   * oracle has ({@link Sequencer#hasLoggedAll}). From here on this is like one that has replayed
   * everything up to its end. What that end says is that the next timestamp is where a successor
   * begins; the oracle knows all uncleaned commits; and its window is that of the log's last
   * writer.
   *
   * @param position that of the last entry
   */
  public void goOnBehind(long position) {
    oracle.replay().goOn();
    batch.clear();
    lastPosition = position;
    reserved = oracle.nextTimestamp();
    windowTimestamps = oracle.windowTimestamps();
    ended = true;
    started = true;
    complete = true;
  }

  @Override
  public long segmentStart(ByteBuffer firstEntry) throws LogException {
    long[] start = {-1};
    LogEntry.read(
        firstEntry,
        rows,
        new IgnoringVisitor() {
          @Override
          public void segment(long timestamp) {
            start[0] = timestamp;
          }
        });
    if (start[0] < 0) {
      throw new LogException(
          LogException.Reason.CORRUPT, "a ledger of the log does not begin with a segment record");
    }
    return start[0];
  }

  /**
   * Counts the commits that the newest segment begins with and that are older than this oracle's
   * window: whatever the replay does to them later, it must find room for them first.
   */
  @Override
  public boolean look(ByteBuffer entry) throws LogException {
    LogEntry.read(entry, rows, newestHead);
    if (newestHead.uncleaned > oracle.uncleanedMax()) {
      throw tooLarge();
    }
    return !newestHead.isComplete;
  }

  @Override
  public boolean endsSnapshot(ByteBuffer entry) throws LogException {
    boolean[] ends = {false};
    LogEntry.read(
        entry,
        rows,
        new IgnoringVisitor() {
          @Override
          public void continued() {
            ends[0] = true;
          }
        });
    return ends[0];
  }

  private LogException tooLarge() {
    return new LogException(
        LogException.Reason.TOO_LARGE,
        "the log holds more commits that are not cleaned up than uncleaned.max = "
            + oracle.uncleanedMax());
  }

  private final class Head extends IgnoringVisitor {
    private long windowLow;
    private long uncleaned;
    private boolean isComplete;

    @Override
    public void segment(long timestamp) {
      windowLow = timestamp - ((long) oracle.windowTimestamps() << Timestamps.GAP_BITS);
      uncleaned = 0; // what an earlier look has counted
      isComplete = false;
    }

    @Override
    public void uncleaned(long start, long commit) {
      uncleaned += start < windowLow ? 1 : 0;
    }

    /** For each that is removed from the table, one may be listed twice. */
    @Override
    public void cleaned(long start) {
      uncleaned -= start < windowLow ? 1 : 0;
    }

    /** A sweep removes many; the replay will count. */
    @Override
    public void swept(long below) {
      isComplete = true;
    }

    @Override
    public void continued() {
      isComplete = true;
    }
  }

  @Override
  public void entry(ByteBuffer entry) throws LogException {
    bytes += entry.remaining();
    long position;
    try {
      position = LogEntry.read(entry, rows, applier);
      applyBatch();
    } catch (IllegalStateException e) { // the entry is intact, but the oracle cannot have made it
      throw misfit(e);
    }
    if (lastPosition >= 0 && position != lastPosition + 1) {
      throw new LogException(
          LogException.Reason.CORRUPT,
          "log position " + position + " follows " + lastPosition + ": an entry is missing");
    }
    lastPosition = position;
  }

  /** What the oracle has no room for, or cannot be. */
  private LogException misfit(IllegalStateException e) {
    OracleCounters counters = oracle.counters();
    return counters.uncleaned >= counters.uncleanedCapacity
        ? tooLarge()
        : new LogException(
            LogException.Reason.CORRUPT,
            "the log does not fit this server behind position "
                + lastPosition
                + ": "
                + ErrorText.of(e),
            e);
  }

  /** Time passes for a standby: does some of what {@link #finish} would have to do, below 1 ms. */
  public void proceed() {
    oracle.replay().sweepOn(STEPS);
  }

  /**
   * Ends the recovery: no timestamp that was reserved will be issued again.
   *
   * @param firstTimestamp where a log without entries begins: the first start timestamp of all. No
   *     timestamp below it was ever issued: one leaves only after its reservation is in the log,
   *     which then has an entry
   * @throws LogException if more commits that are not cleaned up leave the window than fit
   */
  public void finish(long firstTimestamp) throws LogException {
    if (!started) {
      oracle.replay().start(firstTimestamp);
    } else if (!complete) {
      throw new LogException(
          LogException.Reason.CORRUPT,
          "no segment of the log that is left lists all commits that were not cleaned up");
    }
    try {
      oracle.replay().time(reserved);
      leaveWindow(reserved);
      oracle.replay().end();
    } catch (IllegalStateException e) {
      throw misfit(e);
    }
  }

  /**
   * The writer before may have had a smaller window than this one. What had left it by {@code
   * timestamp} was aborted, and readers got that answer.
   */
  private void leaveWindow(long timestamp) {
    if (windowTimestamps > 0) {
      oracle.replay().windowLow(timestamp - (windowTimestamps - 1 << Timestamps.GAP_BITS));
    }
  }

  /**
   * Whether the writer of the log may believe that it leads: there is one, and its last record is
   * not its end.
   */
  public boolean hasWriter() {
    return started && !ended;
  }

  /** Whether the last record is the end that the log's writer left when it went. */
  public boolean hasEnded() {
    return ended;
  }

  /** The position of the last entry, 0 if the log was empty. */
  public long lastPosition() {
    return Math.max(lastPosition, 0);
  }

  /** Commits that were replayed. */
  public long transactions() {
    return transactions;
  }

  /** Bytes of entries that were replayed. */
  public long bytes() {
    return bytes;
  }

  private void applyBatch() {
    oracle.replay().committed(batch);
    batch.clear();
  }

  private final class Applier implements LogEntry.Visitor {
    @Override
    public void segment(long timestamp) {
      applyBatch();
      if (started) {
        oracle.replay().time(timestamp);
        leaveWindow(timestamp);
      } else {
        started = true;
        oracle.replay().start(timestamp);
      }
    }

    @Override
    public void uncleaned(long start, long commit) {
      if (!complete) {
        applyBatch(); // it may be of a commit among them
        oracle.replay().uncleaned(start, commit);
      }
    }

    @Override
    public void continued() {
      complete = true;
    }

    @Override
    public void window(long timestamps) {
      windowTimestamps = timestamps;
    }

    @Override
    public void reserved(long timestamp) {
      reserved = Math.max(reserved, timestamp);
      ended = false;
    }

    /** Its writer issued no timestamp from here on; the writer after it reserved anew. */
    @Override
    public void ended(long timestamp) {
      reserved = timestamp;
      ended = true;
    }

    @Override
    public void committed(long start, long commit, long[] commitRows, int from, int to) {
      transactions++;
      if (!batch.hasRoomFor(to - from)) {
        applyBatch();
      }
      batch.addLogged(start, commit, commitRows, from, to);
    }

    @Override
    public void aborted(long start) {
      applyBatch();
      oracle.replay().aborted(start);
    }

    @Override
    public void cleaned(long start) {
      applyBatch();
      oracle.replay().cleaned(start);
    }

    @Override
    public void swept(long below) {
      applyBatch();
      oracle.replay().swept(below);
    }

    @Override
    public void expired(long below) {
      applyBatch();
      oracle.replay().expired(below);
    }

    @Override
    public void watermark(long below) {
      applyBatch();
      oracle.replay().watermark(below);
    }

    @Override
    public void held(Hold hold) {
      applyBatch();
      oracle.replay().held(hold);
    }

    @Override
    public void released(long timestamp) {
      oracle.replay().released(timestamp);
    }
  }
}
