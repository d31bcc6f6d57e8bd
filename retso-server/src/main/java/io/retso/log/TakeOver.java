package io.retso.log;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LedgerStore.Entries;
import io.retso.log.LogException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Takes the log over from whoever writes it: fences the ledgers that matter, adds one of its own to
 * the catalog, and replays. The reasoning is in the package's description.
 *
 * <p>Runs in one executor, which must run one task at a time, and blocks nobody. Used once.
 */
final class TakeOver {
  /** Entries of a segment's list of uncleaned commits, mostly of 64 KiB. */
  private static final int LOOKED_AT_ONCE = 16;

  /**
   * A ledger of the log.
   *
   * @param start the timestamp at which it begins; 0 if nobody needs it
   * @param inherited whether somebody else wrote it
   */
  record Segment(long ledger, long start, boolean inherited) {}

  /**
   * What was taken over.
   *
   * @param segments all of the catalog's but the own one, oldest first
   * @param own an empty ledger for the first segment
   */
  record Taken(Catalog catalog, List<Segment> segments, LedgerStore.Ledger own) {}

  /** Somebody changed the catalog: what was opened may not be the end of the log. */
  private static final class CatalogChanged extends Exception {
    private static final long serialVersionUID = 1L;

    CatalogChanged() {
      super("the catalog changed", null, false, false);
    }
  }

  private final LedgerStore store;
  private final Executor executor;
  private final long windowSpan;
  private final LedgerLog.Replay replay;
  private int attempts;

  TakeOver(LedgerStore store, Executor executor, long windowSpan, LedgerLog.Replay replay) {
    this.store = store;
    this.executor = executor;
    this.windowSpan = windowSpan;
    this.replay = replay;
  }

  /** Looks at the log, and takes it over if it is not refused. */
  CompletableFuture<Taken> run() {
    return look().thenComposeAsync(looked -> take(), executor);
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
                    : CompletableFuture.completedFuture(null));
  }

  private CompletableFuture<Void> lookBack(List<Long> ledgers, int index) {
    if (index < 0) {
      return CompletableFuture.completedFuture(null);
    }
    if (isCondemned(ledgers.get(index))) {
      return lookBack(ledgers, index - 1);
    }
    return store
        .openUnfenced(ledgers.get(index))
        .thenComposeAsync(
            entries ->
                walk(0, entries, replay::look)
                    .whenComplete((looked, e) -> entries.close())
                    .thenCompose(
                        looked ->
                            entries.count() == 0
                                ? lookBack(ledgers, index - 1)
                                : CompletableFuture.completedFuture(null)),
            executor);
  }

  /** Whether a walk over the entries of a ledger goes on behind this one. */
  private interface Step {
    boolean goesOn(ByteBuffer entry) throws LogException;
  }

  private CompletableFuture<Void> walk(long index, Entries entries, Step step) {
    if (index == entries.count()) {
      return CompletableFuture.completedFuture(null);
    }
    boolean[] goesOn = {true};
    long to = Math.min(index + LOOKED_AT_ONCE, entries.count());
    return entries
        .read(index, to, executor, bytes -> goesOn[0] = goesOn[0] && step.goesOn(bytes))
        .thenComposeAsync(
            read -> goesOn[0] ? walk(to, entries, step) : CompletableFuture.completedFuture(null),
            executor);
  }

  /** Begins, and begins anew as long as the catalog changes meanwhile. */
  private CompletableFuture<Taken> take() {
    if (attempts++ == LedgerLog.TAKE_OVER_ATTEMPTS_MAX) {
      return CompletableFuture.failedFuture(
          new LogException(
              Reason.FENCED,
              "other servers changed the log's list of ledgers in each of "
                  + LedgerLog.TAKE_OVER_ATTEMPTS_MAX
                  + " attempts to take the log over; stop all servers of this log but one"));
    }
    Attempt attempt = new Attempt();
    return attempt
        .run()
        .whenCompleteAsync((taken, e) -> attempt.close(), executor)
        .exceptionallyCompose(
            e -> hasCause(e, CatalogChanged.class) ? take() : CompletableFuture.failedFuture(e));
  }

  private static boolean hasCause(Throwable e, Class<? extends Throwable> type) {
    return type.isInstance(e) || type.isInstance(e.getCause());
  }

  /** What to fail with after a failure: {@code ifChanged} if the catalog is not as it was. */
  private <T> CompletableFuture<T> failure(Throwable e, Catalog before, Exception ifChanged) {
    return store
        .readCatalog()
        .thenCompose(
            now ->
                CompletableFuture.failedFuture(now.version() == before.version() ? e : ifChanged));
  }

  /** What the first entry of a ledger says. */
  private final class Head implements LedgerStore.EntryVisitor {
    long start;
    long position;

    @Override
    public void entry(ByteBuffer bytes) throws LogException {
      start = replay.segmentStart(bytes);
      position = LogEntry.position(bytes);
    }
  }

  /** One attempt, from reading the catalog to the end of the replay. */
  private final class Attempt {
    private Catalog catalog;

    /** Oldest first; filled from the end. */
    private final List<Segment> segments = new ArrayList<>();

    /** Newest first. */
    private final List<Entries> opened = new ArrayList<>();

    /** First position of the segment behind the one that is looked into; -1 at the end. */
    private long following = -1;

    private long newestStart;

    /** The end of a segment's list of uncleaned commits was seen. */
    private boolean listed;

    /** Older ledgers are not needed. */
    private boolean reached;

    CompletableFuture<Taken> run() {
      return store
          .readCatalog()
          .thenComposeAsync(this::openAll, executor)
          .thenComposeAsync(done -> store.create(), executor)
          .thenComposeAsync(this::enterCatalog, executor);
    }

    void close() {
      opened.forEach(Entries::close);
    }

    /**
     * Opens, newest first, so that the fence stands before anything is read. A ledger may fail to
     * open because the catalog was replaced: a writer that is alive rolls on, and deletes ledgers
     * that it needs no more.
     */
    private CompletableFuture<Void> openAll(Catalog read) {
      catalog = read;
      return openBack(read.ledgers().size() - 1)
          .exceptionallyCompose(e -> failure(e, catalog, new CatalogChanged()));
    }

    /**
     * Opens ledgers back to the one that begins a full window before the newest segment does, or
     * further, to one with a complete list of uncleaned commits, or to the first behind a gap:
     * inherited ledgers stay for a while although some between them and the window are deleted
     * already, and this server's window may be longer than that of the one which deleted them. A
     * replay may begin with any segment; what started before it counts as too old. Ledgers that are
     * not needed are deleted at the first opportunity.
     */
    private CompletableFuture<Void> openBack(int newest) {
      for (int i = newest; i >= 0; i--) {
        long ledger = catalog.ledgers().get(i);
        if (isCondemned(ledger)) {
          segments.add(0, new Segment(~ledger, 0, false));
        } else if (reached) {
          segments.add(0, new Segment(ledger, 0, true));
        } else {
          int next = i - 1;
          return store
              .openFenced(ledger)
              .thenComposeAsync(entries -> lookInto(ledger, entries), executor)
              .thenComposeAsync(done -> openBack(next), executor);
        }
      }
      return CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<Void> lookInto(long ledger, Entries entries) {
      opened.add(entries);
      if (entries.count() == 0) { // prepared and never used: needed by nobody
        segments.add(0, new Segment(ledger, Long.MAX_VALUE, true));
        return CompletableFuture.completedFuture(null);
      }
      Head head = new Head();
      return entries
          .read(0, 1, executor, head)
          .thenComposeAsync(read -> seekListEnd(entries), executor)
          .thenAccept(sought -> addSegment(ledger, entries, head));
    }

    /** In the newest segment, and in those before it as long as their writers died too early. */
    private CompletableFuture<Void> seekListEnd(Entries entries) {
      return listed
          ? CompletableFuture.completedFuture(null)
          : walk(
              0,
              entries,
              bytes -> {
                listed = replay.endsSnapshot(bytes);
                return !listed;
              });
    }

    private void addSegment(long ledger, Entries entries, Head head) {
      if (following >= 0 && head.position + entries.count() != following) { // a gap
        opened.remove(opened.size() - 1).close();
        reached = true;
        segments.add(0, new Segment(ledger, 0, true));
        return;
      }
      newestStart = following < 0 ? head.start : newestStart;
      following = head.position;
      reached = listed && head.start <= newestStart - windowSpan;
      segments.add(0, new Segment(ledger, head.start, true));
    }

    private CompletableFuture<Taken> enterCatalog(LedgerStore.Ledger own) {
      List<Long> ledgers = new ArrayList<>(catalog.ledgers());
      ledgers.add(own.id());
      return store
          .replaceCatalog(catalog, ledgers)
          .exceptionallyCompose(e -> giveBack(own, LogException.of(e)))
          .thenComposeAsync(
              ours -> replayAll(ours).thenApply(done -> new Taken(ours, segments, own)), executor);
    }

    private <T> CompletableFuture<T> giveBack(LedgerStore.Ledger own, LogException failure) {
      if (failure.reason() != Reason.FENCED) {
        return CompletableFuture.failedFuture(failure);
      }
      own.closeAsync();
      return store
          .delete(own.id())
          .thenCompose(done -> CompletableFuture.failedFuture(new CatalogChanged()));
    }

    /**
     * Reads all that was opened, oldest first. A server that took over after this one may delete
     * what is read: then the take-over was lost, and the ledgers are not damaged.
     */
    private CompletableFuture<Void> replayAll(Catalog ours) {
      CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
      for (int i = opened.size() - 1; i >= 0; i--) {
        Entries entries = opened.get(i);
        all = all.thenCompose(done -> entries.read(0, entries.count(), executor, replay::entry));
      }
      return all.exceptionallyCompose(
          e ->
              failure(
                  e,
                  ours,
                  new LogException(
                      Reason.FENCED,
                      "another server took the log over while this one read it",
                      e)));
    }
  }

  private static boolean isCondemned(long ledger) {
    return ledger < 0;
  }
}
