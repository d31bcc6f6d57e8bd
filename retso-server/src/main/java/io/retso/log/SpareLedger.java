package io.retso.log;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An empty ledger that a standby has made before it takes over: to create one would take longer
 * than the other steps of a take-over together.
 *
 * <p>When a ledger was created makes no difference to what is safe: no other server knows of it
 * until it is in the catalog, so none has written to it, and only its maker deletes it. Its bookies
 * are those of the time when it was created. If some are gone by then, or BookKeeper's automatic
 * recovery has fenced it, the first append fails and the log goes on in another ledger; so that
 * this is rare, a ledger that was not needed is replaced after {@link #AGE_NANOS_MAX}.
 *
 * <p>A process that is killed leaves its ledger behind: a node of ZooKeeper, and nothing on the
 * bookies. Of the executor's thread.
 */
final class SpareLedger {
  static final long AGE_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);

  /** From an attempt that failed to the next one. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final Logger LOG = LoggerFactory.getLogger(SpareLedger.class);

  private final LedgerStore store;
  private final Executor executor;
  private final LongSupplier nanoClock;

  /** The ledger, or its creation; null if there is none. */
  private CompletableFuture<LedgerStore.Ledger> ledger;

  /** When it was asked for, or was found to be impossible. */
  private long sinceNanos;

  private boolean failed;

  SpareLedger(LedgerStore store, LedgerLog.Threads threads) {
    this.store = store;
    this.executor = threads.writer();
    this.nanoClock = threads.nanoClock();
  }

  /** Makes one if there is none, or it is old; to be called again and again. */
  void keep() {
    long age = nanoClock.getAsLong() - sinceNanos;
    if (ledger != null && ledger.isDone() && age >= AGE_NANOS_MAX) {
      close();
    }
    if (ledger == null && (!failed || age >= RETRY_NANOS)) {
      failed = false;
      sinceNanos = nanoClock.getAsLong();
      CompletableFuture<LedgerStore.Ledger> creation = store.create();
      ledger = creation;
      creation.whenCompleteAsync((made, e) -> created(creation, e), executor);
    }
  }

  private void created(CompletableFuture<LedgerStore.Ledger> creation, Throwable e) {
    if (e != null && ledger == creation) {
      LOG.debug("no ledger could be made ahead", e);
      ledger = null;
      failed = true;
      sinceNanos = nanoClock.getAsLong();
    }
  }

  /** Gives away the ledger that is there, or a new one. */
  CompletableFuture<LedgerStore.Ledger> take() {
    CompletableFuture<LedgerStore.Ledger> taken = ledger;
    ledger = null;
    return taken == null ? store.create() : taken.exceptionallyCompose(e -> store.create());
  }

  /** Gives the ledger back, if there is one. */
  void close() {
    if (ledger != null) {
      ledger.thenCompose(made -> giveBack(store, made));
      ledger = null;
    }
  }

  /**
   * Deletes a ledger that no other server knows of: it is not in the catalog, and cannot get there.
   *
   * @return completes when that was tried
   */
  static CompletableFuture<Void> giveBack(LedgerStore store, LedgerStore.Ledger unused) {
    return store.delete(unused.id()).exceptionally(e -> null);
  }
}
