package io.retso.log;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The log's protocol on a {@link LedgerStore}: take-over by fencing, recovery, appends, rolling to
 * a new segment, going on in another ledger when one cannot be appended to any more, deletion of
 * old ones. The reasoning is in the package's description.
 *
 * <p>All of it belongs to the writer's thread, which waits for nothing.
 */
public final class LedgerLog implements CommitLog {
  /** Sees the log's entries during recovery. */
  public interface Replay {
    void entry(ByteBuffer bytes) throws LogException;

    /** What was shown is to be forgotten: entries will be shown from a segment's first one on. */
    default void restart() {}

    /**
     * The timestamp at which a segment begins, from its first entry; recovery asks before it
     * replays so that it knows where to start.
     */
    long segmentStart(ByteBuffer firstEntry) throws LogException;

    /**
     * Looks at the newest segment, from its first entry on, before any writer is fenced; may refuse
     * the log, which then remains with its writer.
     *
     * @return whether the next entry is wanted
     * @throws LogException {@link LogException.Reason#TOO_LARGE} to refuse; other failures may pass
     *     and will show in the replay
     */
    default boolean look(ByteBuffer entry) throws LogException {
      return false;
    }

    /**
     * Whether an entry ends the list of uncleaned commits that its segment begins with. A segment
     * whose writer died before may lack it, and recovery needs one that does not.
     */
    default boolean endsSnapshot(ByteBuffer entry) throws LogException {
      return true;
    }
  }

  /**
   * Times that a take-over tries to enter the catalog although that changes all the time. The
   * writer changes it some times for each segment, so that is a matter of chance.
   */
  static final int TAKE_OVER_ATTEMPTS_MAX = 20;

  /**
   * Bytes of a segment at which the log fails. Usually a segment ends at a small part of it; it
   * grows further only while no next one can be prepared. A longer one would make the next recovery
   * take many minutes and fill the bookies' disks, which cannot delete a part of a ledger.
   */
  static final long SEGMENT_BYTES_LIMIT = 16L << 30;

  /**
   * What a take-over needs to know.
   *
   * @param windowSpan the length of the oracle's window as a distance of timestamps
   * @param inheritedRetentionNanos how long the ledgers of the writer before are kept: a writer
   *     that was deposed and does not know it may still try to append to them, and a bookie that
   *     deleted a ledger has forgotten that it was fenced
   * @param leader this server's name and address as the catalog is to show them; one line
   */
  public record Settings(long windowSpan, long inheritedRetentionNanos, String leader) {}

  /**
   * How the log is run; a simulator gives its own.
   *
   * @param writer the writer's thread
   * @param nanoClock monotonic time
   */
  public record Threads(Executor writer, LongSupplier nanoClock) {}

  private static final Logger LOG = LoggerFactory.getLogger(LedgerLog.class);

  private final LedgerStore store;
  private final Threads threads;
  private final Listener listener;
  private final long inheritedRetentionNanos;
  private final long tookOverAt;
  private final long epoch;
  private final TakeOverTimes times;

  // Touched by the writer's thread only.
  private final Housekeeping housekeeping;
  private final SegmentList segments;
  private LedgerStore.Ledger current;
  private long segmentBytes;

  /** Appends to the current ledger; late news of those to the ones before is not heard. */
  private Appends appends;

  /** The position of the first entry that was appended to the current ledger; -1 without any. */
  private long firstPosition = -1;

  /** The current ledger continues the segment of the one before. */
  private boolean continuing;

  /** Everything up to this position is durable. */
  private long durable;

  /** Since when nothing can be appended; meaningful while {@link #stalled}. */
  private long stalledNanos;

  private boolean stalled;

  /** The end of the ledger that cannot be appended to, once it is known; -1 before. */
  private long sealedCount;

  /** See {@link #writeAtMost}. */
  private int versionMax = LogEntry.newestVersion();

  /** See {@link #require}. */
  private int versionMin = LogEntry.VERSION;

  /** The version of the entries of the current segment. */
  private int version = LogEntry.VERSION;

  /** Nothing is reported any more. */
  private boolean over;

  /** The sealing of the last ledger; null before {@link #closeAsync}. */
  private CompletableFuture<Void> sealing;

  /** The writer's thread, since the first {@link #startSegment}; {@code assert} only. */
  private Thread owner;

  /** A test makes it smaller. */
  long segmentBytesLimit = SEGMENT_BYTES_LIMIT;

  /** The window's start when the current segment began. */
  private long windowStartOfSegment;

  LedgerLog(
      LedgerStore store,
      Threads threads,
      Listener listener,
      Settings settings,
      TakeOver.Taken taken) {
    this.store = store;
    this.threads = threads;
    this.listener = listener;
    this.inheritedRetentionNanos = settings.inheritedRetentionNanos();
    this.tookOverAt = threads.nanoClock().getAsLong();
    this.segments = new SegmentList(taken.segments());
    this.housekeeping = new Housekeeping(store, threads, taken.catalog(), taken.own(), this::end);
    this.epoch = taken.catalog().epoch();
    this.times = taken.times();
  }

  /**
   * Takes the log over from the writer before, and replays it.
   *
   * <p>The replay reaches back over a window before the newest segment's start, at least; it begins
   * at a segment's first entry. The caller must then call {@link #startSegment} before it appends.
   *
   * @return completes on the writer's thread, which also replays; fails with a {@link LogException}
   *     if the log cannot be read, of {@link LogException.Reason#FENCED} if another server began an
   *     epoch meanwhile, or the catalog changed in each of {@value #TAKE_OVER_ATTEMPTS_MAX}
   *     attempts
   */
  public static CompletableFuture<LedgerLog> takeOver(
      LedgerStore store, Threads threads, Listener listener, Settings settings, Replay replay) {
    return new TakeOver(store, threads, settings, replay)
        .run()
        .thenApplyAsync(
            taken -> new LedgerLog(store, threads, listener, settings, taken), threads.writer());
  }

  /** The number of this take-over, which the catalog has; grows from each to the next. */
  public long epoch() {
    return epoch;
  }

  /** When the steps of the take-over were done. */
  public TakeOverTimes times() {
    return times;
  }

  /** Hears of the appends to one ledger, until one fails. */
  private final class Appends implements LedgerStore.AppendCallback, Listener {
    final DurableSignal signal = new DurableSignal(threads.writer(), this);

    @Override
    public void completed(long position, LogException failure) {
      if (failure == null) {
        signal.durable(position);
      } else {
        signal.failed(failure);
      }
    }

    @Override
    public void durable(long position) {
      if (!over) {
        durable = position;
        listener.durable(position);
      }
    }

    @Override
    public void failed(LogException cause) {
      if (!over) {
        stall(cause);
      }
    }
  }

  @Override
  public void append(long position, ByteBuffer entry) {
    assert isOwner() && !stalled;
    LogEntry.stamp(entry, version);
    ByteBuffer bytes = entry;
    if (firstPosition < 0) {
      firstPosition = position;
      bytes = continuing ? LogEntry.continuing(entry) : entry;
    }
    segmentBytes += entry.remaining();
    current.append(bytes, position, appends);
    housekeeping.proceed();
    if (segmentBytes > segmentBytesLimit) {
      appends.signal.failed(tooLong());
    }
  }

  private boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  @Override
  public void doubt(String why) {
    assert isOwner() && !stalled;
    appends.signal.failed(new LogException(LogException.Reason.UNAVAILABLE, why));
  }

  private LogException tooLong() {
    LogException failure = housekeeping.failure();
    return new LogException(
        LogException.Reason.UNAVAILABLE,
        "a ledger of the log has grown to "
            + segmentBytes
            + " bytes because no next one could be prepared"
            + (failure == null ? "" : ": " + failure.getMessage()),
        failure);
  }

  @Override
  public void prepareSegment() {
    assert isOwner();
    housekeeping.prepare();
  }

  @Override
  public boolean isSegmentReady() {
    return housekeeping.isReady();
  }

  @Override
  public void startSegment(long startTimestamp, long windowStart) {
    owner = owner == null ? Thread.currentThread() : owner;
    assert isOwner();
    assert !stalled;
    LedgerStore.Ledger old = current;
    continuing = false;
    version = Math.max(versionMin, versionMax);
    write(startTimestamp);
    if (old != null) {
      old.closeAsync();
      // By the window of the segment before. A crash may leave the new segment without an entry, or
      // the writer may have been deposed without knowing it: then a recovery starts from the
      // segment before and reaches back over that one's window.
      trim(windowStartOfSegment);
    }
    windowStartOfSegment = windowStart;
  }

  /**
   * The ledger that is ready is written from now on.
   *
   * @param start as in {@link TakeOver.Segment}
   */
  private void write(long start) {
    current = housekeeping.take();
    appends = new Appends();
    firstPosition = -1;
    segmentBytes = 0;
    segments.add(current.id(), start);
  }

  @Override
  public void require(int needed) {
    versionMin = needed;
  }

  @Override
  public int version() {
    return version;
  }

  /**
   * The segments that begin from now on are for readers of this version of {@link LogEntry}: all of
   * their entries have it, also where they stand in a ledger that continues another.
   */
  public void writeAtMost(int version) {
    versionMax = version;
  }

  // Going on in another ledger: see the package's description.

  /** Nothing is appended until {@link #goOn}; or another server has the log. */
  private void stall(LogException cause) {
    stalled = true;
    stalledNanos = threads.nanoClock().getAsLong();
    sealedCount = -1;
    LOG.atLevel(cause.reason() == LogException.Reason.FENCED ? Level.INFO : Level.WARN)
        .log(
            "the log stalls: {}; nothing is acknowledged until it goes on, which is tried again"
                + " and again",
            cause.getMessage());
    listener.stalled(cause);
    housekeeping.replace(this::seal, this::goOn);
  }

  /** Finds out which of the entries are in the current ledger, once for all. */
  private CompletableFuture<Void> seal() {
    if (sealedCount >= 0) {
      return CompletableFuture.completedFuture(null);
    }
    return store
        .openFenced(current.id())
        .exceptionallyCompose(e -> Gone.judged(store, epoch, e))
        .thenComposeAsync(
            entries -> {
              long count = entries.count();
              entries.close();
              if (count < durable - firstPosition + 1) {
                return CompletableFuture.failedFuture(lost(count));
              }
              sealedCount = count;
              return CompletableFuture.completedFuture(null);
            },
            threads.writer());
  }

  private LogException lost(long count) {
    return new LogException(
        LogException.Reason.CORRUPT,
        "ledger "
            + current.id()
            + " ends with "
            + count
            + " entries, and "
            + (durable - firstPosition + 1)
            + " were acknowledged; look for wiped directories of the bookies");
  }

  private void goOn() {
    if (over) {
      return;
    }
    LedgerStore.Ledger old = current;
    durable = Math.max(durable, firstPosition + sealedCount - 1);
    continuing = continuing || sealedCount > 0;
    stalled = false;
    write(continuing ? TakeOver.Segment.NO_START : segments.last().start());
    old.closeAsync();
    LOG.info(
        "the log goes on after {} ms: position {} is the last in ledger {}, the next is in {}",
        TimeUnit.NANOSECONDS.toMillis(threads.nanoClock().getAsLong() - stalledNanos),
        durable,
        old.id(),
        current.id());
    listener.resumed(durable);
  }

  @Override
  public void proceed() {
    housekeeping.proceed();
  }

  /** Another server has the log, or it is damaged. */
  private void end(LogException cause) {
    if (!over) {
      over = true;
      listener.failed(cause);
    }
  }

  /** Deletes the segments that no recovery from {@code windowStart} on needs. */
  private void trim(long windowStart) {
    boolean retained = threads.nanoClock().getAsLong() - tookOverAt < inheritedRetentionNanos;
    List<Long> dead = segments.trim(windowStart, retained);
    if (!dead.isEmpty()) {
      housekeeping.delete(dead);
    }
  }

  /** Behind what is durable: where a reader goes on that has been shown all of it. */
  LogTail.Position position() {
    assert firstPosition <= durable : "position " + firstPosition + " is not durable yet";
    Map<Long, Long> starts = segments.starts();
    if (firstPosition < 0) { // its start is known with its first entry
      starts.remove(current.id());
    }
    long nextEntry = firstPosition < 0 ? 0 : durable - firstPosition + 1;
    return new LogTail.Position(current.id(), nextEntry, durable, starts);
  }

  /** Everything up to this position is durable. */
  public long durable() {
    return durable;
  }

  @Override
  public long segmentBytes() {
    return segmentBytes;
  }

  @Override
  public int ledgers() {
    return segments.size();
  }

  /**
   * Leaves the catalog to a successor that is about to be named: no ledger is prepared or deleted
   * from now on, which a log does without for some seconds. A change that is under way would be
   * refused as soon as the successor has begun its epoch, and this writer would be deposed.
   *
   * @return completes on the writer's thread when no change is under way
   */
  public CompletableFuture<Void> leaveTheCatalog() {
    return housekeeping.rest();
  }

  /**
   * Closes the log, behind its last entry, which is durable. A server that opens a sealed ledger
   * finds its end at once; otherwise a recovery looks for it.
   *
   * @return completes when the ledger is sealed, or could not be, on any thread
   */
  public CompletableFuture<Void> closeAsync() {
    if (sealing == null) {
      housekeeping.stop();
      sealing =
          current == null
              ? CompletableFuture.completedFuture(null)
              : current.closeAsync().exceptionally(e -> null);
    }
    return sealing;
  }

  @Override
  public void close() {
    closeAsync();
  }
}
