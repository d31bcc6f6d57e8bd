package io.retso.log;

import io.retso.log.LogException.Reason;
import java.util.ArrayList;
import java.util.List;
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
 * <p>Of the writer's thread, but for the work itself, which runs in the background executor and
 * owns the catalog.
 */
final class Housekeeping {
  static final long PAUSE_NANOS_MIN = 10_000_000;
  static final long PAUSE_NANOS_MAX = 10_000_000_000L;

  /** Few, so that an attempt gets somewhere although one call in some hundred fails. */
  private static final int DELETED_AT_ONCE = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  /** What is done in the background; may be done again from its beginning. */
  private interface Work {
    void run() throws LogException;
  }

  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Consumer<LogException> fenced;
  private final Task preparation;
  private final Task deletion;

  // Of the background executor.
  private LedgerStore.Catalog catalog;
  private LedgerStore.Ledger made;
  private boolean catalogIsKnown = true;

  // Of the writer's thread.
  private LedgerStore.Ledger prepared;
  private final List<Long> dead = new ArrayList<>();
  private boolean stopped;

  /**
   * Makes it for a log that was just taken over.
   *
   * @param prepared a ledger of the catalog for the first segment
   * @param fenced is told, on the writer's thread, when another server has taken the log over
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
    this.preparation =
        new Task("prepare a ledger for the log's next segment", () -> this::prepareNow);
    this.deletion = new Task("delete old ledgers of the log", this::deletionOfTheDead);
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

  private void prepareNow() throws LogException {
    learnCatalog();
    if (made == null) {
      made = store.create();
    }
    // In the catalog before its first append: a successor must know of every ledger in use.
    if (!catalog.ledgers().contains(made.id())) {
      List<Long> ledgers = new ArrayList<>(catalog.ledgers());
      ledgers.add(made.id());
      replaceCatalog(ledgers);
    }
    LedgerStore.Ledger ready = made;
    made = null;
    threads.writer().execute(() -> prepared = ready);
  }

  private Work deletionOfTheDead() {
    List<Long> condemned = List.copyOf(dead.subList(0, Math.min(dead.size(), DELETED_AT_ONCE)));
    return () -> {
      deleteNow(condemned);
      threads
          .writer()
          .execute(
              () -> {
                dead.removeAll(condemned);
                deletion.wanted = !dead.isEmpty();
              });
    };
  }

  /**
   * Condemns ledgers in the catalog, deletes them, and takes them out. So a crash leaves neither a
   * name that recovery would try to open nor a ledger that nobody would ever delete; and a writer
   * that was deposed cannot condemn, and deletes nothing.
   */
  private void deleteNow(List<Long> condemned) throws LogException {
    learnCatalog();
    List<Long> ledgers = new ArrayList<>(catalog.ledgers());
    ledgers.replaceAll(ledger -> condemned.contains(ledger) ? ~ledger : ledger);
    if (!ledgers.equals(catalog.ledgers())) {
      replaceCatalog(ledgers);
    }
    for (long ledger : condemned) {
      store.delete(ledger);
      ledgers.remove(~ledger);
    }
    if (!ledgers.equals(catalog.ledgers())) {
      replaceCatalog(ledgers);
    }
  }

  /**
   * A replacement that was reported as a failure may have succeeded, or may yet. As long as every
   * change since was this writer's own, nobody took the log over.
   */
  private void learnCatalog() throws LogException {
    if (catalogIsKnown) {
      return;
    }
    LedgerStore.Catalog now = store.readCatalog();
    if (now.version() != catalog.version() && !now.isOwn()) {
      throw new LogException(
          Reason.FENCED, "the log's list of ledgers was replaced by another server");
    }
    catalog = now;
    catalogIsKnown = true;
  }

  private void replaceCatalog(List<Long> ledgers) throws LogException {
    catalogIsKnown = false;
    try {
      catalog = store.replaceCatalog(catalog, ledgers);
    } catch (LogException e) {
      if (e.reason() == Reason.FENCED) {
        learnCatalog(); // unless it was a replacement of our own that arrived late
        throw new LogException(Reason.UNAVAILABLE, "the list of ledgers changed late", e);
      }
      throw e;
    }
    catalogIsKnown = true;
  }

  /** One kind of work: at most one attempt at a time. */
  private final class Task {
    private final String what;
    private final Supplier<Work> next;
    private boolean wanted;
    private boolean running;
    private long pauseNanos = PAUSE_NANOS_MIN;
    private long notBefore;
    private LogException failure;

    /**
     * Makes a task.
     *
     * @param what completes the sentence "cannot ..."
     * @param next takes the work on the writer's thread
     */
    Task(String what, Supplier<Work> next) {
      this.what = what;
      this.next = next;
    }

    void begin() {
      if (!wanted || running || stopped || isPaused()) {
        return;
      }
      wanted = false;
      running = true;
      Work work = next.get();
      threads.background().execute(() -> runInBackground(work));
    }

    private boolean isPaused() {
      return failure != null && threads.nanoClock().getAsLong() - notBefore < 0;
    }

    private void runInBackground(Work work) {
      LogException result = null;
      try {
        work.run();
      } catch (LogException e) {
        result = e;
      }
      LogException ended = result;
      threads.writer().execute(() -> ended(ended));
    }

    private void ended(LogException result) {
      running = false;
      failure = result;
      if (result == null) {
        pauseNanos = PAUSE_NANOS_MIN;
        begin();
      } else if (result.reason() == Reason.FENCED) {
        fenced.accept(result);
      } else {
        LOG.warn(
            "cannot {}; tries again in {} ms: {}",
            what,
            TimeUnit.NANOSECONDS.toMillis(pauseNanos),
            result.getMessage());
        wanted = true;
        notBefore = threads.nanoClock().getAsLong() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
      }
    }
  }
}
