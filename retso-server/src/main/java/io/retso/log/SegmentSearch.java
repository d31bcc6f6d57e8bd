package io.retso.log;

import io.retso.log.LedgerStore.Entries;
import io.retso.log.TakeOver.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Opens a log's ledgers, newest first, back to the one where a replay begins: that of the segment
 * which begins a full window before the newest one does, or further, one with a complete list of
 * uncleaned commits, or the first behind a gap. Inherited ledgers stay for a while although some
 * between them and the window are deleted already, and this server's window may be longer than that
 * of the one which deleted them. A replay may begin with any segment; what started before it counts
 * as too old. Ledgers that are not needed are deleted at the first opportunity.
 *
 * <p>A segment may go on in further ledgers, which say so in their first entry and have no start of
 * their own. No replay begins with one of these.
 *
 * <p>Runs in one executor, which must run one task at a time, and blocks no thread. Used once.
 */
final class SegmentSearch {
  /** Entries of a segment's list of uncleaned commits, mostly of 64 KiB. */
  private static final int LOOKED_AT_ONCE = 16;

  /**
   * A ledger that has entries.
   *
   * @param start as in {@link Segment}
   */
  record Opened(long ledger, long start, Entries entries) {}

  /** How a ledger is opened. */
  interface Opener {
    /**
     * Opens a ledger.
     *
     * @param isFinished whether a later ledger has entries: then this one has all of its own
     */
    CompletableFuture<Entries> open(long ledger, boolean isFinished);
  }

  /** Whether a walk over the entries of a ledger goes on behind this one. */
  interface Step {
    boolean goesOn(ByteBuffer entry) throws LogException;
  }

  private final Executor executor;
  private final long windowSpan;
  private final LedgerLog.Replay replay;
  private final Opener opener;

  /** Oldest first; filled from the end. */
  private final List<Segment> segments = new ArrayList<>();

  /** What is to be replayed, oldest first; filled from the end. */
  private final List<Opened> opened = new ArrayList<>();

  /** First position of the segment behind the one that is looked into; -1 at the end. */
  private long following = -1;

  /** When the newest segment begins; {@link Segment#NO_START} until that is known. */
  private long newestStart = Segment.NO_START;

  /** The end of a segment's list of uncleaned commits was seen. */
  private boolean listed;

  /** Older ledgers are not needed. */
  private boolean reached;

  /** A ledger that is not there, until the one before shows that it was empty; or null. */
  private LogException missing;

  SegmentSearch(Executor executor, long windowSpan, LedgerLog.Replay replay, Opener opener) {
    this.executor = executor;
    this.windowSpan = windowSpan;
    this.replay = replay;
    this.opener = opener;
  }

  /** All ledgers of the list, oldest first. */
  List<Segment> segments() {
    return segments;
  }

  /** What is to be replayed, oldest first: each from its first entry. */
  List<Opened> opened() {
    return opened;
  }

  void close() {
    opened.forEach(each -> each.entries().close());
  }

  /** Searches a list of ledgers, oldest first. */
  CompletableFuture<Void> run(List<Long> ledgers) {
    return openBack(ledgers, ledgers.size() - 1)
        .thenRunAsync(this::dropTheMiddleOfASegment, executor);
  }

  /** The beginning of a segment was deleted, and what goes on with it was not yet. */
  private void dropTheMiddleOfASegment() {
    while (!opened.isEmpty() && opened.get(0).start() == Segment.NO_START) {
      opened.remove(0).entries().close();
    }
  }

  private CompletableFuture<Void> openBack(List<Long> ledgers, int newest) {
    for (int i = newest; i >= 0; i--) {
      long ledger = ledgers.get(i);
      if (TakeOver.isCondemned(ledger)) {
        segments.add(0, new Segment(~ledger, 0, false));
      } else if (reached) {
        segments.add(0, new Segment(ledger, 0, true));
      } else {
        int next = i - 1;
        return opener
            .open(ledger, following >= 0)
            .handleAsync(
                (entries, e) -> e == null ? lookInto(ledger, entries) : miss(ledger, e), executor)
            .thenCompose(looked -> looked)
            .thenComposeAsync(done -> openBack(ledgers, next), executor);
      }
    }
    // In front of the log's first entry there was none that could be missing.
    return missing == null || following == 1
        ? TakeOver.done()
        : CompletableFuture.failedFuture(missing);
  }

  /** One that was empty does no harm: {@link Gone} has the argument. */
  private CompletableFuture<Void> miss(long ledger, Throwable e) {
    if (following < 0 || !Gone.isCauseOf(e)) {
      return CompletableFuture.failedFuture(e);
    }
    missing = LogException.of(e);
    segments.add(0, new Segment(ledger, Segment.NO_START, true));
    return TakeOver.done();
  }

  /** What the first entry of a ledger says. */
  private final class Head implements LedgerStore.EntryVisitor {
    long start;
    long position;

    @Override
    public void entry(ByteBuffer bytes) throws LogException {
      start = Segment.start(bytes, replay);
      position = LogEntry.position(bytes);
    }
  }

  private CompletableFuture<Void> lookInto(long ledger, Entries entries) {
    if (entries.count() == 0) { // prepared and never used: not needed
      entries.close();
      segments.add(0, new Segment(ledger, Segment.NO_START, true));
      return TakeOver.done();
    }
    Head head = new Head();
    return entries
        .read(0, 1, executor, head)
        .thenComposeAsync(read -> seekListEnd(entries), executor)
        .whenCompleteAsync(
            (sought, e) -> {
              if (e != null) {
                entries.close();
              }
            },
            executor)
        .thenCompose(sought -> addSegment(new Opened(ledger, head.start, entries), head.position));
  }

  /** In the newest segment, and in those before it as long as their writers died too early. */
  private CompletableFuture<Void> seekListEnd(Entries entries) {
    return listed
        ? TakeOver.done()
        : walk(
            entries,
            executor,
            bytes -> {
              listed = replay.endsSnapshot(bytes);
              return !listed;
            });
  }

  private CompletableFuture<Void> addSegment(Opened head, long position) {
    if (following >= 0 && position + head.entries.count() != following) { // a gap
      head.entries.close();
      reached = true;
      segments.add(0, new Segment(head.ledger, 0, true));
      return missing == null ? TakeOver.done() : CompletableFuture.failedFuture(missing);
    }
    missing = null;
    opened.add(0, head);
    segments.add(0, new Segment(head.ledger, head.start, true));
    following = position;
    if (head.start != Segment.NO_START) {
      newestStart = newestStart == Segment.NO_START ? head.start : newestStart;
      reached = listed && head.start <= newestStart - windowSpan;
    }
    return TakeOver.done();
  }

  /** Shows the entries of a ledger until a step does not go on. */
  static CompletableFuture<Void> walk(Entries entries, Executor executor, Step step) {
    return walk(0, entries, executor, step);
  }

  private static CompletableFuture<Void> walk(
      long index, Entries entries, Executor executor, Step step) {
    if (index == entries.count()) {
      return TakeOver.done();
    }
    boolean[] goesOn = {true};
    long to = Math.min(index + LOOKED_AT_ONCE, entries.count());
    return entries
        .read(index, to, executor, bytes -> goesOn[0] = goesOn[0] && step.goesOn(bytes))
        .thenComposeAsync(
            read -> goesOn[0] ? walk(to, entries, executor, step) : TakeOver.done(), executor);
  }
}
