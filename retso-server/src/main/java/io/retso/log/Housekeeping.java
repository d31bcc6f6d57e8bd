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
 * ledgers are deleted, and one that can be appended to no more is replaced. The first two are not
 * urgent, so a failure is no reason to end a writer that can append: all work is tried again, after
 * a pause that doubles from {@value #PAUSE_NANOS_MIN} to {@value #PAUSE_NANOS_MAX} ns, for the
 * third to {@value #REPLACEMENT_PAUSE_NANOS_MAX}. Only {@link Reason#FENCED} is final, and {@link
 * Reason#CORRUPT} for the third. No timer is needed: the writer calls {@link #proceed} with each
 * append, and while it cannot append.
 *
 * <p>An exception that is not expected is such a failure, too, wherever it is thrown: each attempt
 * begins from what the store has, and nothing of what the oracle answers or logs is touched here.
 * An {@link Error} ends the server, as everywhere on the writer's thread: it is thrown there.
 *
 * <p>Of the writer's thread. One attempt at a time, since both change the catalog; each step of it
 * waits for an answer of the store and goes on on the writer's thread.
 */
final class Housekeeping {
  static final long PAUSE_NANOS_MIN = 10_000_000;
  static final long PAUSE_NANOS_MAX = 10_000_000_000L;
  static final long REPLACEMENT_PAUSE_NANOS_MAX = 1_000_000_000;

  /** Few, so that an attempt gets somewhere although one call in some hundred fails. */
  private static final int DELETED_AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Consumer<LogException> ended;
  private final Task preparation;
  private final Task deletion;

  /** Null unless a ledger is being replaced: then nothing else is begun. */
  private Task replacement;

  private LedgerStore.Catalog catalog;
  private boolean catalogIsKnown = true;

  /** A ledger that is not in the catalog yet. */
  private LedgerStore.Ledger made;

  private LedgerStore.Ledger prepared;
  private final List<Long> dead = new ArrayList<>();
  private boolean busy;
  private boolean stopped;

  /** Completes when nothing is under way that may wait; null as long as such work is begun. */
  private CompletableFuture<Void> rest;

  /**
   * Makes it for a log that was just taken over.
   *
   * @param prepared a ledger of the catalog for the first segment
   * @param ended hears, on the writer's thread, when another server has taken the log over, or what
   *     was acknowledged is lost
   */
  Housekeeping(
      LedgerStore store,
      LedgerLog.Threads threads,
      LedgerStore.Catalog catalog,
      LedgerStore.Ledger prepared,
      Consumer<LogException> ended) {
    this.store = store;
    this.threads = threads;
    this.catalog = catalog;
    this.prepared = prepared;
    this.ended = ended;
    this.preparation =
        new Task(
            "prepare a ledger for the log's next segment",
            PAUSE_NANOS_MAX,
            this::prepareNow,
            () -> {});
    this.deletion =
        new Task("delete old ledgers of the log", PAUSE_NANOS_MAX, this::deleteSome, () -> {});
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

  /**
   * Begins to replace the ledger that is written: has it sealed, and a ledger ready.
   *
   * @param seal finds out what the old ledger has; may be asked again
   * @param replaced hears when {@link #take} will give the new one
   */
  void replace(Supplier<CompletableFuture<Void>> seal, Runnable replaced) {
    replacement =
        new Task(
            "go on with the log in another ledger",
            REPLACEMENT_PAUSE_NANOS_MAX,
            () -> replaceNow(seal),
            () -> {
              replacement = null;
              replaced.run();
            });
    replacement.wanted = true;
    replacement.begin();
  }

  /** Tries again what failed, if its pause is over. */
  void proceed() {
    if (replacement != null) {
      replacement.begin();
    } else {
      preparation.begin();
      deletion.begin();
    }
  }

  /** The last failure to prepare a ledger; null if the last attempt was a success. */
  LogException failure() {
    return preparation.failure;
  }

  /**
   * From now on only what cannot wait is begun, so that the catalog is left to others.
   *
   * @return completes on the writer's thread when nothing is under way
   */
  CompletableFuture<Void> rest() {
    if (rest == null) {
      rest = busy ? new CompletableFuture<>() : done();
    }
    return rest;
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
              preparation.wanted = false; // what was asked for meanwhile is this one
            });
  }

  /** A writer that was deposed learns it first. */
  private CompletableFuture<Void> replaceNow(Supplier<CompletableFuture<Void>> seal) {
    catalogIsKnown = false;
    return learnCatalog()
        .thenCompose(known -> seal.get())
        .thenCompose(done -> isReady() ? done() : prepareNow());
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
   * name that recovery would try to open nor a ledger that would never be deleted; and a writer
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
   * epoch is this writer's own, every change was, too, and no other took the log over.
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
    private final long pauseNanosMax;
    private final Supplier<CompletableFuture<Void>> work;
    private final Runnable done;
    private boolean wanted;
    private long pauseNanos = PAUSE_NANOS_MIN;
    private long notBefore;
    private LogException failure;

    /**
     * Makes a task.
     *
     * @param what completes the sentence "cannot ..."
     * @param done is called after each success
     */
    Task(String what, long pauseNanosMax, Supplier<CompletableFuture<Void>> work, Runnable done) {
      this.what = what;
      this.pauseNanosMax = pauseNanosMax;
      this.work = work;
      this.done = done;
    }

    void begin() {
      boolean mustWait = rest != null && this != replacement;
      if (!wanted || busy || stopped || mustWait || isPaused()) {
        return;
      }
      wanted = false;
      busy = true;
      attempt().whenComplete((value, e) -> threads.writer().execute(() -> ended(e)));
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
      if (rest != null) {
        rest.complete(null);
      }
      LogException before = failure;
      failure = e == null ? null : LogException.of(e);
      if (failure != null && failure.getCause() instanceof Error error) {
        throw error;
      }
      if (failure == null) {
        pauseNanos = PAUSE_NANOS_MIN;
        if (!stopped) {
          done.run();
        }
      } else if (isFinal()) {
        stopped = true;
        Housekeeping.this.ended.accept(failure);
      } else if (!stopped) {
        if (before == null || !before.getMessage().equals(failure.getMessage())) {
          warn();
        }
        wanted = true;
        notBefore = threads.nanoClock().getAsLong() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, pauseNanosMax);
      }
      proceed();
    }

    /** What is not there, or damaged, of a ledger that was written is not mended by waiting. */
    private boolean isFinal() {
      return failure.reason() == Reason.FENCED
          || failure.reason() == Reason.CORRUPT && this == replacement;
    }

    private void warn() {
      LOG.warn(
          "cannot {}; tries until it can, after pauses of up to {} ms: {}",
          what,
          TimeUnit.NANOSECONDS.toMillis(pauseNanosMax),
          failure.getMessage(),
          failure.getCause() instanceof RuntimeException unexpected ? unexpected : null);
    }
  }
}
