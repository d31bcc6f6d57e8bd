package io.retso.log;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LedgerStore.Entries;
import io.retso.log.LogException.Reason;
import io.retso.log.TakeOver.Segment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Follows a log that another server writes, and shows its entries in order to a replay: from where
 * a recovery would begin, over one ledger after the other, and never one that could still be lost.
 * When that server is gone, {@link #takeOver} goes on from here: little is left to be read.
 *
 * <p><strong>How it goes on.</strong> A ledger whose end is reached and that is closed is followed
 * by the next one of the catalog. A ledger that its writer left without closing it is noticed by a
 * later one that has an entry: the writer of that was done with this one, so it is opened with
 * recovery, which disturbs no writer. If a ledger that is read, or one behind it, was deleted, as
 * this reader was too slow, it begins again and has the replay emptied ({@link Gone} says what of
 * that is damage).
 *
 * <p>It has no timer: its owner calls {@link #poll} again and again. All methods belong to the
 * executor's thread, which runs one task at a time and waits for nothing.
 */
public final class LogTail implements AutoCloseable {
  /** Polls without a new entry after which the catalog is looked at. */
  private static final int IDLE_POLLS = 16;

  /**
   * How far it has read.
   *
   * @param last the position of the entry before
   */
  record Position(long ledger, long nextEntry, long last, Map<Long, Long> segmentStarts) {}

  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Executor executor;
  private final LedgerLog.Settings settings;
  private final LedgerLog.Replay replay;
  private final LedgersBehind behind;
  private final SpareLedger spare;

  /** When the ledgers begin that were read since it began; some may be deleted by now. */
  private final Map<Long, Long> segmentStarts = new HashMap<>();

  /** What is said below of what was shown is true; otherwise it begins anew. */
  private boolean warm;

  /** The ledger that is read; null if this is not warm, or has not opened it yet. */
  private Entries current;

  private long ledger;

  /** Index of its entry that is shown next. */
  private long next;

  /** Position in the log of the entry that was shown last. */
  private long last;

  /** What the catalog said when it was read last; null before that. */
  private LedgerStore.Content catalog;

  /** The replay has been shown something, which must be forgotten before it begins again. */
  private boolean shown;

  private int idlePolls;
  private boolean closed;

  /** The poll that is under way. */
  private CompletableFuture<Void> polling = CompletableFuture.completedFuture(null);

  /** The look at the catalog that is under way beside it. */
  private CompletableFuture<?> looking = CompletableFuture.completedFuture(null);

  /** Makes a tail that has read nothing; the replay is empty. */
  public LogTail(
      LedgerStore store,
      LedgerLog.Threads threads,
      LedgerLog.Settings settings,
      LedgerLog.Replay replay) {
    this.store = store;
    this.threads = threads;
    this.executor = threads.writer();
    this.settings = settings;
    this.replay = replay;
    this.behind = new LedgersBehind(store, executor);
    this.spare = new SpareLedger(store, threads);
  }

  /**
   * Has this, which is new, go on behind what a writer has durable; the replay has all of that.
   *
   * @param log nothing is appended to it any more
   */
  public void goOnBehind(LedgerLog log) {
    Position position = log.position();
    ledger = position.ledger();
    next = position.nextEntry();
    last = position.last();
    segmentStarts.putAll(position.segmentStarts());
    shown = true;
    warm = true;
  }

  /** Whether it has found where to begin, and shown everything from there to some moment. */
  public boolean isWarm() {
    return warm;
  }

  /** Whether it reads a ledger or one behind it, by the catalog as it was looked at last. */
  public boolean hasReached(long id) {
    return catalog.ledgers().indexOf(ledger) >= catalog.ledgers().indexOf(id);
  }

  /** What the catalog said when this looked at it last; {@code null} if it did not yet. */
  public LedgerStore.Content catalog() {
    return catalog;
  }

  /**
   * Looks at the catalog, whatever the poll under way waits for, and has the next poll look for
   * later ledgers, whether or not there are new entries.
   */
  public void lookAtCatalog() {
    idlePolls = IDLE_POLLS;
    if (looking.isDone()) {
      looking = readCatalog();
    }
  }

  private CompletableFuture<Catalog> readCatalog() {
    return store
        .readCatalog()
        .thenApplyAsync(
            found -> {
              if (catalog == null || found.epoch() >= catalog.epoch()) { // two may cross
                catalog = found.content();
              }
              return found;
            },
            executor);
  }

  /** Entries that are known to be durable and were not shown yet. */
  public long entriesBehind() {
    return current == null ? 0 : Math.max(0, current.count() - next);
  }

  /**
   * Shows what is new, if the last poll is over.
   *
   * @return the poll that is under way; fails with a {@link LogException}, after which the next one
   *     tries again. {@link Reason#GONE} says that this was too slow, and is to begin again
   */
  public CompletableFuture<Void> poll() {
    if (polling.isDone() && !closed) {
      polling =
          (!warm ? begin() : current == null ? reopen() : follow())
              .handleAsync((ended, e) -> e, executor)
              .thenCompose(e -> e == null ? done() : failed(e));
    }
    return polling;
  }

  /** What passes is tried again from where it is; the catalog will say if it does not pass. */
  private CompletableFuture<Void> failed(Throwable e) {
    if (Gap.isCauseOf(e)) {
      startAnew();
      return done();
    }
    LogException failure = LogException.of(e);
    idlePolls++;
    if (failure.reason() != Reason.UNAVAILABLE) {
      startAnew();
    }
    return Gone.judged(store, Gone.NO_EPOCH, failure);
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private void startAnew() {
    warm = false;
    close(current);
    current = null;
    segmentStarts.clear();
  }

  // Beginning.

  private CompletableFuture<Void> begin() {
    emptyReplay();
    SegmentSearch search =
        new SegmentSearch(
            executor,
            settings.windowSpan(),
            replay,
            (id, isFinished) -> isFinished ? store.openFenced(id) : store.openUnfenced(id));
    return readCatalog()
        .thenComposeAsync(found -> search.run(found.ledgers()), executor)
        .thenComposeAsync(searched -> showAll(search.opened(), 0), executor)
        .thenAcceptAsync(all -> stayAtTheLast(search), executor)
        .whenCompleteAsync((began, e) -> search.close(), executor);
  }

  private void emptyReplay() {
    if (shown) {
      replay.restart();
      shown = false;
    }
  }

  private CompletableFuture<Void> showAll(List<SegmentSearch.Opened> opened, int index) {
    if (index == opened.size()) {
      return done();
    }
    Entries entries = opened.get(index).entries();
    return entries
        .read(0, entries.count(), executor, this::show)
        .thenCompose(shownNow -> showAll(opened, index + 1));
  }

  private void stayAtTheLast(SegmentSearch search) {
    List<SegmentSearch.Opened> opened = search.opened();
    if (opened.isEmpty()) {
      return; // the log is empty
    }
    SegmentSearch.Opened newest = opened.remove(opened.size() - 1);
    current = newest.entries();
    ledger = newest.ledger();
    next = current.count();
    warm = true;
    search.segments().forEach(each -> segmentStarts.put(each.ledger(), each.start()));
  }

  private void show(ByteBuffer entry) throws LogException {
    shown = true;
    last = LogEntry.position(entry);
    replay.entry(entry);
  }

  // Going on.

  /** If the ledger was deleted meanwhile, the catalog says so. */
  private CompletableFuture<Void> reopen() {
    return readCatalog()
        .thenComposeAsync(
            found ->
                indexOrAnew(found) < 0
                    ? done()
                    : store.openUnfenced(ledger).thenComposeAsync(this::goOnIn, executor),
            executor);
  }

  private CompletableFuture<Void> goOnIn(Entries entries) {
    current = entries;
    return follow();
  }

  private CompletableFuture<Void> follow() {
    if (idlePolls >= IDLE_POLLS) {
      idlePolls = 0;
      return readCatalog().thenComposeAsync(this::lookForTheNext, executor);
    }
    return current.refresh().thenComposeAsync(this::showNew, executor);
  }

  private CompletableFuture<Void> showNew(boolean isClosed) {
    if (next < current.count()) {
      return current
          .read(next, current.count(), executor, this::showNext)
          .thenComposeAsync(shownNow -> isClosed ? goOn() : done(), executor);
    }
    idlePolls += isClosed ? 0 : 1;
    return isClosed ? goOn() : done();
  }

  private void showNext(ByteBuffer entry) throws LogException {
    if (next == 0) {
      Gap.unlessFollows(entry, last);
      segmentStarts.put(ledger, Segment.start(entry, replay));
    }
    show(entry);
    next++;
    idlePolls = 0;
  }

  /** The current ledger is read to its end. */
  private CompletableFuture<Void> goOn() {
    return readCatalog().thenComposeAsync(this::goOn, executor);
  }

  private CompletableFuture<Void> goOn(Catalog found) {
    if (closed) {
      return done(); // the catalog may name an own ledger, in which there is nothing to read
    }
    int index = indexOrAnew(found);
    return index < 0 ? done() : goOnTo(found.ledgers(), index + 1, false);
  }

  /** Goes on as {@link LedgersBehind#first} says; if none is there, the next poll looks again. */
  private CompletableFuture<Void> goOnTo(List<Long> ledgers, int index, boolean beyondAGap) {
    return behind
        .first(ledgers, index, beyondAGap)
        .thenCompose(found -> found == null ? done() : moveTo(found.ledger(), found.entries(), 0));
  }

  private static void close(Entries entries) {
    if (entries != null) {
      entries.close();
    }
  }

  private CompletableFuture<Void> moveTo(long id, Entries entries, long nextEntry) {
    current.close();
    ledger = id;
    next = nextEntry;
    return goOnIn(entries);
  }

  private int indexOrAnew(Catalog found) {
    int index = found.ledgers().indexOf(ledger);
    segmentStarts.keySet().retainAll(found.ledgers());
    if (index < 0) {
      startAnew();
    }
    return index;
  }

  /** The current ledger is not closed, and has nothing new; or it cannot be read. */
  private CompletableFuture<Void> lookForTheNext(Catalog found) {
    if (closed) {
      return done();
    }
    int index = indexOrAnew(found);
    return index < 0
        ? done()
        : behind
            .haveEntry(found.ledgers(), index)
            .thenCompose(
                haveEntry ->
                    haveEntry
                        ? finish(found.ledgers(), index)
                        : current.refresh().thenComposeAsync(this::showNew, executor));
  }

  /** A later ledger has an entry: the current one has all of its own, and is read to its end. */
  private CompletableFuture<Void> finish(List<Long> ledgers, int ours) {
    return LedgersBehind.orNull(store.openFenced(ledger))
        .thenComposeAsync(
            entries ->
                entries == null ? goOnTo(ledgers, ours + 1, true) : moveTo(ledger, entries, next),
            executor);
  }

  // The end.

  /** Makes a ledger for a take-over ahead; to be called again and again. */
  public void prepareTakeOver() {
    if (!closed) {
      spare.keep();
    }
  }

  /**
   * Takes the log over from where this is, and shows the replay the rest; the tail is closed then.
   * If that fails, the tail can go on.
   *
   * @see LedgerLog#takeOver
   */
  public CompletableFuture<LedgerLog> takeOver(CommitLog.Listener listener) {
    return takeOver(listener, TakeOver.ANY_EPOCH, LogTail::done);
  }

  /**
   * Takes the log over from one epoch's leader only.
   *
   * @param epoch if the catalog has another one by now, this fails with {@link Reason#FENCED}
   * @param leaderEnds is asked in a task of the executor when the next epoch has begun; completes
   *     when that leader need not be let go on any longer
   */
  public CompletableFuture<LedgerLog> takeOver(
      CommitLog.Listener listener, long epoch, Supplier<CompletableFuture<Void>> leaderEnds) {
    closed = true; // the poll under way shows what it reads, and goes on to no other ledger
    CompletableFuture<LogTail> read = polling.handleAsync((polled, e) -> this, executor);
    return warm
        ? takeOverNow(listener, epoch, leaderEnds, read)
        : read.thenComposeAsync(tail -> takeOverNow(listener, epoch, leaderEnds, read), executor);
  }

  /**
   * Where a take-over goes on, once the last poll is over; null if it begins anew. The epoch begins
   * meanwhile: what the poll shows is in the log whichever server leads.
   */
  private Position position() {
    if (!warm) {
      emptyReplay();
    }
    shown = true; // by the take-over, soon
    return warm ? new Position(ledger, next, last, segmentStarts) : null;
  }

  private CompletableFuture<LedgerLog> takeOverNow(
      CommitLog.Listener listener,
      long epoch,
      Supplier<CompletableFuture<Void>> leaderEnds,
      CompletableFuture<LogTail> read) {
    TakeOver takeOver = new TakeOver(store, threads, settings, replay);
    takeOver.onlyOf(epoch);
    takeOver.behind(leaderEnds);
    takeOver.with(spare);
    if (warm) {
      takeOver.from(() -> read.thenApplyAsync(LogTail::position, executor));
    } else {
      position();
    }
    return takeOver
        .run()
        .handleAsync(
            (taken, e) -> {
              if (e == null) {
                startAnew();
                return CompletableFuture.completedFuture(
                    new LedgerLog(store, threads, listener, settings, taken));
              }
              closed = false;
              if (takeOver.hasReplayed()) {
                startAnew();
              }
              return CompletableFuture.<LedgerLog>failedFuture(LogException.of(e));
            },
            executor)
        .thenCompose(result -> result);
  }

  /** Shows nothing any more. */
  @Override
  public void close() {
    closed = true;
    spare.close();
    polling.whenCompleteAsync((polled, e) -> startAnew(), executor);
  }
}
