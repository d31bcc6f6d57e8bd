package io.retso.log;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LedgerStore.Entries;
import io.retso.log.LogException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Takes the log over from the server that writes it: begins an epoch in the catalog with a ledger
 * of its own, fences the ledgers that may still be written, and replays. The reasoning is in the
 * package's description.
 *
 * <p>Runs in one executor, which must run one task at a time, and blocks no thread. Used once.
 */
final class TakeOver {
  /**
   * A ledger of the log.
   *
   * @param start the timestamp at which it begins; 0 if it is not needed; {@link #NO_START} if it
   *     has no entry, or continues the segment of the ledger before it: no recovery begins with it
   * @param inherited whether another server wrote it
   */
  record Segment(long ledger, long start, boolean inherited) {
    static final long NO_START = Long.MAX_VALUE;

    /** Where a ledger begins of which the first entry is known. */
    static long start(ByteBuffer firstEntry, LedgerLog.Replay replay) throws LogException {
      return LogEntry.continues(firstEntry) ? NO_START : replay.segmentStart(firstEntry);
    }
  }

  /**
   * What was taken over.
   *
   * @param segments all of the catalog's but the own one, oldest first
   * @param own an empty ledger for the first segment
   */
  record Taken(
      Catalog catalog, List<Segment> segments, LedgerStore.Ledger own, TakeOverTimes times) {}

  static final long ANY_EPOCH = -1;

  private final LedgerStore store;
  private final Executor executor;
  private final LongSupplier nanoClock;
  private final LedgerLog.Settings settings;
  private final LedgerLog.Replay replay;
  private Supplier<CompletableFuture<LedgerStore.Ledger>> ledgers;
  private long onlyOf = ANY_EPOCH;
  private Supplier<CompletableFuture<Void>> leaderEnds = TakeOver::done;

  /** Null if the replay has been shown nothing, and the log is looked at first. */
  private Supplier<CompletableFuture<LogTail.Position>> reader;

  /** What the replay has been shown; null if nothing. */
  private LogTail.Position position;

  private LedgerStore.Ledger own;
  private int attempts;
  private boolean replayed;

  /** The position of the entry that was shown last, if it goes on from a position. */
  private long last;

  /** A ledger that is not there, until an entry behind it shows that it was empty; or null. */
  private LogException missing;

  private long enteredNanos;
  private long endedNanos;
  private long fencedNanos;

  /** Makes one whose replay has been shown nothing. */
  TakeOver(
      LedgerStore store,
      LedgerLog.Threads threads,
      LedgerLog.Settings settings,
      LedgerLog.Replay replay) {
    this.nanoClock = threads.nanoClock();
    this.store = store;
    this.ledgers = store::create;
    this.executor = threads.writer();
    this.settings = settings;
    this.replay = replay;
  }

  /** Is lost if a server leads in another epoch by now. */
  void onlyOf(long epoch) {
    onlyOf = epoch;
  }

  /** Once the epoch has begun, lets the leader go on in its ledgers until then. */
  void behind(Supplier<CompletableFuture<Void>> end) {
    leaderEnds = end;
  }

  /** Has its own ledger from somewhere else than the store. */
  void with(SpareLedger spare) {
    ledgers = spare::take;
  }

  /**
   * Goes on behind what a reader has shown the replay.
   *
   * @param from is asked once the leader has ended, and completes when that reader shows no more:
   *     with null if it has found that it must begin anew, and has emptied the replay
   */
  void from(Supplier<CompletableFuture<LogTail.Position>> from) {
    reader = from;
  }

  /** Looks at the log, and takes it over if it is not refused. */
  CompletableFuture<Taken> run() {
    return (reader == null ? look() : done())
        .thenComposeAsync(looked -> beginEpoch(), executor)
        .thenComposeAsync(this::awaitTheLeadersEnd, executor)
        .thenComposeAsync(this::awaitTheReader, executor)
        .thenComposeAsync(this::fenceAndReplay, executor);
  }

  /** Whether the replay was shown something, or emptied. */
  boolean hasReplayed() {
    return replayed;
  }

  static boolean isCondemned(long ledger) {
    return ledger < 0;
  }

  /** Settings that no longer fit the log must not cost it its writer. */
  private CompletableFuture<Void> look() {
    return store
        .readCatalog()
        .thenComposeAsync(now -> lookBack(now.ledgers(), now.ledgers().size() - 1), executor)
        .exceptionallyCompose(
            e ->
                LogException.of(e).reason() == Reason.TOO_LARGE
                    ? CompletableFuture.failedFuture(e)
                    : done());
  }

  private CompletableFuture<Void> lookBack(List<Long> ledgers, int index) {
    if (index < 0) {
      return done();
    }
    if (isCondemned(ledgers.get(index))) {
      return lookBack(ledgers, index - 1);
    }
    return store
        .openUnfenced(ledgers.get(index))
        .thenComposeAsync(
            entries -> {
              boolean[] isHead = {false};
              return SegmentSearch.walk(
                      entries,
                      executor,
                      entry -> {
                        isHead[0] |= !LogEntry.continues(entry);
                        return isHead[0] && replay.look(entry);
                      })
                  .whenComplete((looked, e) -> entries.close())
                  .thenCompose(looked -> isHead[0] ? done() : lookBack(ledgers, index - 1));
            },
            executor);
  }

  // The epoch.

  /** The catalog is read while the ledger is created, if none is there. */
  private CompletableFuture<Catalog> beginEpoch() {
    CompletableFuture<Catalog> reading = store.readCatalog();
    return ledgers
        .get()
        .thenComposeAsync(
            made -> {
              own = made;
              return reading;
            },
            executor)
        .thenComposeAsync(
            found -> enter(found, onlyOf == ANY_EPOCH ? found.epoch() : onlyOf), executor);
  }

  /**
   * Replaces the catalog. The writer, which is alive, may do so at the same time: then this is
   * tried again. If another server has begun an epoch, this one has lost.
   */
  private CompletableFuture<Catalog> enter(Catalog found, long epoch) {
    if (found.epoch() != epoch) {
      return giveBack(found, "another server took the log over at the same time");
    }
    if (attempts++ == LedgerLog.TAKE_OVER_ATTEMPTS_MAX) {
      return giveBack(
          found,
          "the log's catalog was changed during each of "
              + LedgerLog.TAKE_OVER_ATTEMPTS_MAX
              + " attempts to take the log over");
    }
    return store
        .replaceCatalog(found, found.content().takenOver(settings.leader(), own.id()))
        .exceptionallyCompose(
            e ->
                LogException.of(e).reason() == Reason.FENCED
                    ? store
                        .readCatalog()
                        .thenComposeAsync(changed -> enter(changed, epoch), executor)
                    : CompletableFuture.failedFuture(e));
  }

  /**
   * Each replacement was refused. But what was refused may have been a repetition, and its first
   * copy have entered the own ledger before another server took over: then it is that one's to
   * delete, like all that the catalog names.
   */
  private CompletableFuture<Catalog> giveBack(Catalog found, String why) {
    return (found.ledgers().contains(own.id()) ? done() : SpareLedger.giveBack(store, own))
        .thenCompose(tried -> CompletableFuture.failedFuture(new LogException(Reason.FENCED, why)));
  }

  static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Catalog> awaitTheLeadersEnd(Catalog ours) {
    enteredNanos = nanoClock.getAsLong();
    return leaderEnds.get().thenApply(ended -> ours);
  }

  private CompletableFuture<Catalog> awaitTheReader(Catalog ours) {
    endedNanos = nanoClock.getAsLong();
    if (reader == null) {
      return CompletableFuture.completedFuture(ours);
    }
    return reader
        .get()
        .thenApplyAsync(
            reached -> {
              position = reached;
              last = reached == null ? 0 : reached.last();
              return ours;
            },
            executor);
  }

  // What others wrote.

  /**
   * Opens, newest first, so that the fence stands before anything is read; then reads, oldest
   * first. A server that takes over after this one may delete what is opened or read: then this
   * take-over was lost, and the ledgers are not damaged ({@link Gone}).
   */
  private CompletableFuture<Taken> fenceAndReplay(Catalog ours) {
    replayed = true;
    List<Long> others = ours.ledgers().subList(0, ours.ledgers().size() - 1);
    int reached = position == null ? -1 : others.indexOf(position.ledger());
    return (position == null
            ? fromTheBeginning(others)
            : reached < 0
                ? anew(others)
                : fromThePosition(others, reached)
                    .exceptionallyComposeAsync(
                        e -> Gap.isCauseOf(e) ? anew(others) : CompletableFuture.failedFuture(e),
                        executor))
        .thenApply(segments -> new Taken(ours, segments, own, times()))
        .exceptionallyCompose(e -> Gone.judged(store, ours.epoch(), e));
  }

  private TakeOverTimes times() {
    return new TakeOverTimes(enteredNanos, endedNanos, fencedNanos, nanoClock.getAsLong());
  }

  /** What the position is in, or something behind it, was deleted: its reader was too slow. */
  private CompletableFuture<List<Segment>> anew(List<Long> others) {
    replay.restart();
    return fromTheBeginning(others);
  }

  private CompletableFuture<List<Segment>> fromTheBeginning(List<Long> others) {
    SegmentSearch search =
        new SegmentSearch(
            executor,
            settings.windowSpan(),
            replay,
            (ledger, isFinished) -> store.openFenced(ledger));
    return search
        .run(others)
        .thenComposeAsync(
            searched -> {
              fencedNanos = nanoClock.getAsLong();
              return replayAll(search.opened());
            },
            executor)
        .thenApply(all -> search.segments())
        .whenCompleteAsync((segments, e) -> search.close(), executor);
  }

  /**
   * What is in front of the ledger that the position is in has all of its entries, and they were
   * shown. The others are fenced at once, in no order.
   */
  private CompletableFuture<List<Segment>> fromThePosition(List<Long> others, int reached) {
    List<Segment> segments = new ArrayList<>();
    for (long ledger : others.subList(0, reached)) {
      // One of which nothing was shown, behind others of which something was, has no entry.
      long start = position.segmentStarts().getOrDefault(ledger, Segment.NO_START);
      segments.add(
          isCondemned(ledger) ? new Segment(~ledger, 0, false) : new Segment(ledger, start, true));
    }
    List<Rest> rests =
        others.stream().skip(reached).filter(id -> !isCondemned(id)).map(Rest::new).toList();
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            rests.stream().map(Rest::fenced).toArray(CompletableFuture<?>[]::new));
    all = all.thenRunAsync(() -> fencedNanos = nanoClock.getAsLong(), executor);
    for (Rest rest : rests) {
      all = all.thenComposeAsync(before -> rest.show(), executor);
    }
    return all.thenComposeAsync(
            shown -> missing == null ? done() : CompletableFuture.failedFuture(missing), executor)
        .thenApply(
            whole -> {
              rests.forEach(rest -> segments.add(new Segment(rest.ledger, rest.start, true)));
              return segments;
            })
        .whenCompleteAsync((done, e) -> rests.forEach(Rest::close), executor);
  }

  /** A ledger of which entries may not have been shown. */
  private final class Rest {
    final long ledger;
    final CompletableFuture<Entries> opening;

    /** The timestamp at which it begins, once that is known; it stays so if it has no entry. */
    long start = Segment.NO_START;

    private boolean begun;

    Rest(long ledger) {
      this.ledger = ledger;
      this.opening = store.openFenced(ledger);
    }

    /**
     * Completes when no writer can append to it any more; whether one can is open if it is gone.
     */
    CompletableFuture<Void> fenced() {
      return opening
          .<Void>thenApply(entries -> null)
          .exceptionallyCompose(
              e -> Gone.isCauseOf(e) ? done() : CompletableFuture.failedFuture(e));
    }

    /** Shows what was not shown yet of a ledger that is fenced. */
    CompletableFuture<Void> show() {
      return opening
          .handle((entries, e) -> e == null ? show(entries) : miss(e))
          .thenCompose(s -> s);
    }

    private CompletableFuture<Void> miss(Throwable e) {
      missing = LogException.of(e);
      return done();
    }

    private CompletableFuture<Void> show(Entries entries) {
      boolean isFirst = ledger == position.ledger();
      begun = isFirst && position.nextEntry() > 0;
      long next = isFirst ? position.nextEntry() : 0;
      start = isFirst ? position.segmentStarts().getOrDefault(ledger, start) : start;
      if (entries.count() < next) {
        return CompletableFuture.failedFuture(
            new LogException(
                Reason.CORRUPT,
                "ledger "
                    + ledger
                    + " ends with "
                    + entries.count()
                    + " entries, and "
                    + next
                    + " were confirmed; look for wiped directories of the bookies"));
      }
      return entries.read(next, entries.count(), executor, this::show);
    }

    private void show(ByteBuffer entry) throws LogException {
      if (!begun) {
        begun = true;
        Gap.unlessFollows(entry, last);
        missing = null;
        start = Segment.start(entry, replay);
      }
      last = LogEntry.position(entry);
      replay.entry(entry);
    }

    void close() {
      opening.thenAccept(Entries::close);
    }
  }

  private CompletableFuture<Void> replayAll(List<SegmentSearch.Opened> opened) {
    CompletableFuture<Void> all = done();
    for (SegmentSearch.Opened each : opened) {
      Entries entries = each.entries();
      all = all.thenCompose(done -> entries.read(0, entries.count(), executor, replay::entry));
    }
    return all;
  }
}
