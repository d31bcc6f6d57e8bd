package io.retso.log;

import io.retso.log.LogException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of the catalog while a log is written: a ledger is prepared for the next segment, old
 * ledgers are deleted. Neither is urgent, so a failure is no reason to end a writer that can
 * append: the work is tried again, after a pause that doubles from {@value #PAUSE_NANOS_MIN} to
 * {@value #PAUSE_NANOS_MAX} ns. Only {@link Reason#FENCED} is final. No timer is needed: the writer
 * calls {@link #proceed} with each append, and without appends nothing needs to be done.
 *
 * <p>An exception that nobody expects is such a failure, too, wherever it is thrown: each attempt
 * begins from what the store has, and nothing of what the oracle answers or logs is touched here.
 * An {@link Error} ends the server, as everywhere on the writer's thread: it is thrown there.
 *
 * <p>Of the writer's thread. One attempt at a time, since both change the catalog; each step of it
 * waits for an answer of the store and goes on on the writer's thread.
 */
final class Housekeeping {
  static final long PAUSE_NANOS_MIN = 10_000_000;
  static final long PAUSE_NANOS_MAX = 10_000_000_000L;

  /** Few, so that an attempt gets somewhere although one call in some hundred fails. */
  private static final int DELETED_AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Consumer<LogException> fenced;
  private final Task preparation;
  private final Task deletion;

  private LedgerStore.Catalog catalog;
  private boolean catalogIsKnown = true;

  /** A ledger that is not in the catalog yet. */
  private LedgerStore.Ledger made;

  private LedgerStore.Ledger prepared;
  private final List<Long> dead = new ArrayList<>();
  private boolean busy;
  private boolean stopped;

  /**
   * Makes it for a log that was just taken over.
   *
   * @param prepared a ledger of the catalog for the first segment
   * @param fenced hears, on the writer's thread, when another server has taken the log over
   */
  Housekeeping(
      LedgerStore store,
      LedgerLog.Threads threads,
      LedgerStore.Catalog catalog,
      LedgerStore.Ledger prepared,
      Consumer<LogException> fenced) {
    this.store = store;
    this.threads = threads;
    this.catalog = catalog;
    this.prepared = prepared;
    this.fenced = fenced;
    this.preparation = new Task("prepare a ledger for the log's next segment", this::prepareNow);
    this.deletion = new Task("delete old ledgers of the log", this::deleteSome);
  }

  /** Begins to prepare a ledger unless one is ready or under way. */
  void prepare() {
    if (prepared == null) {
      preparation.wanted = true;
      preparation.begin();
    }
  }

  boolean isReady() {
    return prepared != null;
  }

  /** Gives away the ledger that is ready. */
  LedgerStore.Ledger take() {
    LedgerStore.Ledger taken = prepared;
    prepared = null;
    return taken;
  }

  /** Begins to delete ledgers. */
  void delete(List<Long> ledgers) {
    dead.addAll(ledgers);
    deletion.wanted = true;
    deletion.begin();
  }

  /** Tries again what failed, if its pause is over. */
  void proceed() {
    preparation.begin();
    deletion.begin();
  }

  /** The last failure to prepare a ledger; null if the last attempt was a success. */
  LogException failure() {
    return preparation.failure;
  }

  /** Begins nothing any more. */
  void stop() {
    stopped = true;
  }

  /** An answer of the store, on the writer's thread. */
  private <T> CompletableFuture<T> onWriter(CompletableFuture<T> answer) {
    return answer.thenApplyAsync(value -> value, threads.writer());
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> prepareNow() {
    return learnCatalog()
        .thenCompose(known -> make())
        .thenCompose(ledger -> addMade())
        .thenRun(
            () -> {
              prepared = made;
              made = null;
              preparation.wanted = false; // whoever asked meanwhile asked for this one
            });
  }

  private CompletableFuture<Void> make() {
    return made != null ? done() : onWriter(store.create()).thenAccept(ledger -> made = ledger);
  }

  /** In the catalog before its first append: a successor must know of every ledger in use. */
  private CompletableFuture<Void> addMade() {
    List<Long> ledgers = new ArrayList<>(catalog.ledgers());
    if (!ledgers.contains(made.id())) {
      ledgers.add(made.id());
    }
    return replaceCatalog(ledgers);
  }

  /**
   * Condemns ledgers in the catalog, deletes them, and takes them out. So a crash leaves neither a
   * name that recovery would try to open nor a ledger that nobody would ever delete; and a writer
   * that was deposed cannot condemn, and deletes nothing.
   */
  private CompletableFuture<Void> deleteSome() {
    List<Long> condemned = List.copyOf(dead.subList(0, Math.min(dead.size(), DELETED_AT_ONCE)));
    return learnCatalog()
        .thenCompose(known -> replaceCatalog(withCondemned(condemned)))
        .thenCompose(replaced -> onWriter(deleteAll(condemned)))
        .thenCompose(deleted -> replaceCatalog(without(condemned)))
        .thenRun(
            () -> {
              dead.removeAll(condemned);
              deletion.wanted = !dead.isEmpty();
            });
  }

  private List<Long> withCondemned(List<Long> condemned) {
    List<Long> ledgers = new ArrayList<>(catalog.ledgers());
    ledgers.replaceAll(ledger -> condemned.contains(ledger) ? ~ledger : ledger);
    return ledgers;
  }

  private CompletableFuture<Void> deleteAll(List<Long> condemned) {
    return CompletableFuture.allOf(
        condemned.stream().map(store::delete).toArray(CompletableFuture<?>[]::new));
  }

  private List<Long> without(List<Long> condemned) {
    List<Long> ledgers = new ArrayList<>(catalog.ledgers());
    condemned.forEach(ledger -> ledgers.remove(~ledger));
    return ledgers;
  }

  /**
   * A replacement that was reported as a failure may have succeeded, or may yet. As long as the
   * epoch is this writer's own, every change was, too, and nobody took the log over.
   */
  private CompletableFuture<Void> learnCatalog() {
    return catalogIsKnown ? done() : onWriter(store.readCatalog()).thenCompose(this::learned);
  }

  private CompletableFuture<Void> learned(LedgerStore.Catalog now) {
    if (now.epoch() != catalog.epoch()) {
      return CompletableFuture.failedFuture(
          new LogException(
              Reason.FENCED,
              "another server took the log over: the catalog has epoch "
                  + now.epoch()
                  + ", this server's is "
                  + catalog.epoch()));
    }
    catalog = now;
    catalogIsKnown = true;
    return done();
  }

  private CompletableFuture<Void> replaceCatalog(List<Long> ledgers) {
    if (ledgers.equals(catalog.ledgers())) {
      return done();
    }
    catalogIsKnown = false;
    return onWriter(store.replaceCatalog(catalog, ledgers))
        .thenCompose(this::learned)
        .exceptionallyComposeAsync(e -> notReplaced(LogException.of(e)), threads.writer());
  }

  /** It is fenced, unless it was a replacement of our own that arrived late. */
  private CompletableFuture<Void> notReplaced(LogException e) {
    if (e.reason() != Reason.FENCED) {
      return CompletableFuture.failedFuture(e);
    }
    return learnCatalog()
        .thenCompose(
            known ->
                CompletableFuture.failedFuture(
                    new LogException(Reason.UNAVAILABLE, "the list of ledgers changed late", e)));
  }

  /** One kind of work; may be done again from its beginning. */
  private final class Task {
    private final String what;
    private final Supplier<CompletableFuture<Void>> work;
    private boolean wanted;
    private long pauseNanos = PAUSE_NANOS_MIN;
    private long notBefore;
    private LogException failure;

    /**
     * Makes a task.
     *
     * @param what completes the sentence "cannot ..."
     */
    Task(String what, Supplier<CompletableFuture<Void>> work) {
      this.what = what;
      this.work = work;
    }

    void begin() {
      if (!wanted || busy || stopped || isPaused()) {
        return;
      }
      wanted = false;
      busy = true;
      attempt().whenComplete((done, e) -> threads.writer().execute(() -> ended(e)));
    }

    private CompletableFuture<Void> attempt() {
      try {
        return work.get();
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private boolean isPaused() {
      return failure != null && threads.nanoClock().getAsLong() - notBefore < 0;
    }

    private void ended(Throwable e) {
      busy = false;
      failure = e == null ? null : LogException.of(e);
      if (failure != null && failure.getCause() instanceof Error error) {
        throw error;
      }
      if (failure == null) {
        pauseNanos = PAUSE_NANOS_MIN;
      } else if (failure.reason() == Reason.FENCED) {
        stopped = true;
        fenced.accept(failure);
      } else if (!stopped) {
        LOG.warn(
            "cannot {}; tries again in {} ms: {}",
            what,
            TimeUnit.NANOSECONDS.toMillis(pauseNanos),
            failure.getMessage(),
            failure.getCause() instanceof RuntimeException unexpected ? unexpected : null);
        wanted = true;
        notBefore = threads.nanoClock().getAsLong() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
      }
      proceed();
    }
  }
}
