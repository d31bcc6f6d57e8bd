package io.retso.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The log's protocol on a {@link LedgerStore}: take-over by fencing, recovery, appends, rolling to
 * a new segment, deletion of old ones. The reasoning is in the package's description.
 *
 * <p>Appends belong to the writer's thread. {@link Housekeeping} changes the catalog in the
 * background executor, which must run one task at a time.
 */
public final class LedgerLog implements CommitLog {
  /** Sees the log's entries during recovery. */
  public interface Replay {
    void entry(ByteBuffer bytes) throws LogException;

    /**
     * The timestamp at which a segment begins, from its first entry; recovery asks before it
     * replays so that it knows where to start.
     */
    long segmentStart(ByteBuffer firstEntry) throws LogException;
  }

  /**
   * Times that a take-over begins anew because the catalog changed meanwhile. The first attempt
   * fences whoever was writing, so only servers that take over at the same moment go on changing
   * it, and each time one of them succeeds.
   */
  static final int TAKE_OVER_ATTEMPTS_MAX = 20;

  /**
   * Bytes of a segment at which the log fails. Usually a segment ends at a small part of it; it
   * grows further only while no next one can be prepared. A longer one would make the next recovery
   * take many minutes and fill the bookies' disks, which cannot delete a part of a ledger.
   */
  static final long SEGMENT_BYTES_LIMIT = 16L << 30;

  /** How the log's parts are run; a simulator gives its own. */
  public record Threads(Executor writer, Executor background, LongSupplier nanoClock) {}

  private record Segment(long ledger, long start, boolean inherited) {}

  private final Threads threads;
  private final long inheritedRetentionNanos;
  private final long tookOverAt;
  private final long epoch;
  private final LedgerStore.AppendCallback completed = this::onCompleted;
  private final DurableSignal signal;

  // Of the writer's thread.
  private final Housekeeping housekeeping;
  private final List<Segment> segments;
  private LedgerStore.Ledger current;
  private long segmentBytes;

  /** The writer's thread, since the first {@link #startSegment}; {@code assert} only. */
  private Thread owner;

  /** A test makes it smaller. */
  long segmentBytesLimit = SEGMENT_BYTES_LIMIT;

  /** The window's start when the current segment began. */
  private long windowStartOfSegment;

  private LedgerLog(
      LedgerStore store,
      Threads threads,
      Listener listener,
      long inheritedRetentionNanos,
      Taken taken) {
    this.threads = threads;
    this.inheritedRetentionNanos = inheritedRetentionNanos;
    this.tookOverAt = threads.nanoClock().getAsLong();
    this.signal = new DurableSignal(threads.writer(), listener);
    this.segments = taken.segments;
    this.housekeeping =
        new Housekeeping(store, threads, taken.catalog, taken.own, this.signal::failed);
    this.epoch = taken.own.id() + 1; // ledger ids begin at 0, which reads like none
  }

  private record Taken(
      LedgerStore.Catalog catalog, List<Segment> segments, LedgerStore.Ledger own) {}

  /**
   * Takes the log over from whoever wrote it before, and replays it.
   *
   * <p>The replay reaches back over {@code windowSpan} before the newest segment's start, at least;
   * it begins at a segment's first entry. The caller must then call {@link #startSegment} before it
   * appends.
   *
   * @param windowSpan the length of the oracle's window as a distance of timestamps
   * @param inheritedRetentionNanos how long the ledgers of the writer before are kept: a writer
   *     that was deposed and does not know it may still try to append to them, and a bookie that
   *     deleted a ledger has forgotten that it was fenced
   * @throws LogException if the log cannot be read; {@link LogException.Reason#FENCED} if other
   *     servers changed the catalog in each of {@value #TAKE_OVER_ATTEMPTS_MAX} attempts
   */
  public static LedgerLog takeOver(
      LedgerStore store,
      Threads threads,
      Listener listener,
      long windowSpan,
      long inheritedRetentionNanos,
      Replay replay)
      throws LogException {
    for (int attempt = 0; attempt < TAKE_OVER_ATTEMPTS_MAX; attempt++) {
      LedgerStore.Catalog catalog = store.readCatalog();
      List<LedgerStore.Entries> opened = new ArrayList<>();
      try {
        // Newest first, so that the fence stands before anything is read; then back to the start.
        List<Segment> segments = openBackOrNull(store, catalog, opened, windowSpan, replay);
        if (segments == null) {
          continue;
        }
        LedgerStore.Ledger own = store.create();
        List<Long> ledgers = new ArrayList<>(catalog.ledgers());
        ledgers.add(own.id());
        LedgerStore.Catalog ours = replaceOrNull(store, catalog, ledgers);
        if (ours == null) {
          own.closeAsync();
          store.delete(own.id());
          continue; // somebody rolled or took over meanwhile; what was opened may not be the end
        }
        replayAll(store, ours, opened, replay);
        Taken taken = new Taken(ours, segments, own);
        return new LedgerLog(store, threads, listener, inheritedRetentionNanos, taken);
      } finally {
        opened.forEach(LedgerStore.Entries::close);
      }
    }
    throw new LogException(
        LogException.Reason.FENCED,
        "other servers changed the log's list of ledgers in each of "
            + TAKE_OVER_ATTEMPTS_MAX
            + " attempts to take the log over; stop all servers of this log but one");
  }

  /**
   * Opens the ledgers back to the start. Returns null if one could not be read while the catalog
   * was replaced: a writer that is alive rolls on, and deletes ledgers that it needs no more.
   */
  private static List<Segment> openBackOrNull(
      LedgerStore store,
      LedgerStore.Catalog catalog,
      List<LedgerStore.Entries> opened,
      long windowSpan,
      Replay replay)
      throws LogException {
    try {
      return openBack(store, catalog, opened, windowSpan, replay);
    } catch (LogException e) {
      if (store.readCatalog().version() != catalog.version()) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Reads all that was opened, oldest first. A server that took over after this one may delete what
   * is read: then the take-over was lost, and the ledgers are not damaged.
   */
  private static void replayAll(
      LedgerStore store, LedgerStore.Catalog ours, List<LedgerStore.Entries> opened, Replay replay)
      throws LogException {
    try {
      for (int i = opened.size() - 1; i >= 0; i--) {
        opened.get(i).read(0, opened.get(i).count(), replay::entry);
      }
    } catch (LogException e) {
      if (store.readCatalog().version() != ours.version()) {
        throw new LogException(
            LogException.Reason.FENCED,
            "another server took the log over while this one read it",
            e);
      }
      throw e;
    }
  }

  private static LedgerStore.Catalog replaceOrNull(
      LedgerStore store, LedgerStore.Catalog catalog, List<Long> ledgers) throws LogException {
    try {
      return store.replaceCatalog(catalog, ledgers);
    } catch (LogException e) {
      if (e.reason() == LogException.Reason.FENCED) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Opens ledgers from the newest back to the one that begins a full window before the newest
   * segment does, or to the first behind a gap: inherited ledgers stay for a while although some
   * between them and the window are deleted already, and this server's window may be longer than
   * that of the one which deleted them. A replay may begin with any segment; what started before it
   * counts as too old. Returns all segments of the catalog, oldest first; those that are not needed
   * have start 0: they are deleted at the first opportunity.
   */
  private static List<Segment> openBack(
      LedgerStore store,
      LedgerStore.Catalog catalog,
      List<LedgerStore.Entries> opened,
      long windowSpan,
      Replay replay)
      throws LogException {
    List<Segment> segments = new ArrayList<>();
    long[] start = new long[1];
    long[] first = new long[1];
    long following = -1; // first position of the segment behind
    long newestStart = -1;
    boolean reached = false;
    for (int i = catalog.ledgers().size() - 1; i >= 0; i--) {
      long ledger = catalog.ledgers().get(i);
      start[0] = 0;
      if (isCondemned(ledger)) {
        segments.add(0, new Segment(~ledger, 0, false));
        continue;
      }
      if (!reached) {
        LedgerStore.Entries entries = store.openFenced(ledger);
        opened.add(entries);
        if (entries.count() == 0) {
          start[0] = Long.MAX_VALUE; // prepared and never used: needed by nobody
          segments.add(0, new Segment(ledger, start[0], true));
          continue;
        }
        entries.read(
            0,
            1,
            bytes -> {
              start[0] = replay.segmentStart(bytes);
              first[0] = LogEntry.position(bytes);
            });
        if (following >= 0 && first[0] + entries.count() != following) {
          opened.remove(opened.size() - 1).close();
          start[0] = 0;
          reached = true;
        } else {
          following = first[0];
          newestStart = newestStart < 0 ? start[0] : newestStart;
          reached = start[0] <= newestStart - windowSpan;
        }
      }
      segments.add(0, new Segment(ledger, start[0], true));
    }
    return segments;
  }

  /** The number of this take-over: grows from each to the next, as ledger ids do. */
  public long epoch() {
    return epoch;
  }

  @Override
  public void append(long position, ByteBuffer entry) {
    assert isOwner();
    segmentBytes += entry.remaining();
    current.append(entry, position, completed);
    housekeeping.proceed();
    if (segmentBytes > segmentBytesLimit) {
      signal.failed(tooLong());
    }
  }

  private boolean isOwner() {
    return Thread.currentThread() == owner;
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

  private void onCompleted(long position, LogException failure) {
    if (failure == null) {
      signal.durable(position);
    } else {
      signal.failed(failure);
    }
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
    LedgerStore.Ledger old = current;
    current = housekeeping.take();
    segmentBytes = 0;
    segments.add(new Segment(current.id(), startTimestamp, false));
    if (old != null) {
      old.closeAsync();
      // By the window of the segment before. A crash may leave the new segment without an entry, or
      // the writer may have been deposed without knowing it: then a recovery starts from the
      // segment before and reaches back over that one's window.
      trim(windowStartOfSegment);
    }
    windowStartOfSegment = windowStart;
  }

  /** Deletes the segments before the newest one that begins at or before {@code windowStart}. */
  private void trim(long windowStart) {
    boolean retained = threads.nanoClock().getAsLong() - tookOverAt < inheritedRetentionNanos;
    int first = -1;
    for (int i = segments.size() - 1; i >= 0 && first < 0; i--) {
      if (segments.get(i).start <= windowStart) {
        first = i;
      }
    }
    List<Segment> dead = new ArrayList<>();
    for (int i = 0; i < first; i++) {
      Segment segment = segments.get(i);
      if (!segment.inherited || !retained) {
        dead.add(segment);
      }
    }
    if (!dead.isEmpty()) {
      segments.removeAll(dead);
      housekeeping.delete(dead.stream().map(Segment::ledger).toList());
    }
  }

  private static boolean isCondemned(long ledger) {
    return ledger < 0;
  }

  @Override
  public long segmentBytes() {
    return segmentBytes;
  }

  @Override
  public void close() {
    housekeeping.stop();
    if (current != null) {
      current.closeAsync();
    }
  }
}
