package io.retso.log;

import io.retso.log.LedgerStore.Entries;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Looks at the ledgers behind the one that a {@link LogTail} reads, in the order of a catalog: to
 * which of them it goes on, and whether one of them has an entry. Ledgers that are being deleted or
 * are gone are passed over. Stateless; of the executor's thread.
 */
final class LedgersBehind {
  private final LedgerStore store;
  private final Executor executor;

  LedgersBehind(LedgerStore store, Executor executor) {
    this.store = store;
    this.executor = executor;
  }

  /** A ledger to go on to. */
  record Found(long ledger, Entries entries) {}

  /**
   * Opens the ledger of this index, or the next one that is there.
   *
   * @param beyondAGap a ledger before is gone: then only an entry behind it, which must follow what
   *     was shown, says that nothing is missing, and that no writer goes on in that ledger
   * @return null if there is none: the log has not been taken over yet
   */
  CompletableFuture<Found> first(List<Long> ledgers, int index, boolean beyondAGap) {
    if (index == ledgers.size()) {
      return CompletableFuture.completedFuture(null);
    }
    long id = ledgers.get(index);
    if (TakeOver.isCondemned(id)) {
      return first(ledgers, index + 1, beyondAGap);
    }
    return orNull(store.openUnfenced(id))
        .thenComposeAsync(
            entries -> {
              if (entries == null || beyondAGap && entries.count() == 0) {
                close(entries);
                return first(ledgers, index + 1, true);
              }
              return CompletableFuture.completedFuture(new Found(id, entries));
            },
            executor);
  }

  /** Whether a ledger behind the one of this index has an entry; looks from the newest on. */
  CompletableFuture<Boolean> haveEntry(List<Long> ledgers, int index) {
    return haveEntry(ledgers, index, ledgers.size() - 1);
  }

  private CompletableFuture<Boolean> haveEntry(List<Long> ledgers, int index, int at) {
    if (at == index) {
      return CompletableFuture.completedFuture(false);
    }
    long id = ledgers.get(at);
    if (TakeOver.isCondemned(id)) {
      return haveEntry(ledgers, index, at - 1);
    }
    return orNull(store.openUnfenced(id))
        .thenComposeAsync(
            later -> {
              boolean isEmpty = later == null || later.count() == 0;
              close(later);
              return isEmpty
                  ? haveEntry(ledgers, index, at - 1)
                  : CompletableFuture.completedFuture(true);
            },
            executor);
  }

  /** Null if it is gone. */
  static CompletableFuture<Entries> orNull(CompletableFuture<Entries> opening) {
    return opening.exceptionallyCompose(
        e ->
            Gone.isCauseOf(e)
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(e));
  }

  private static void close(Entries entries) {
    if (entries != null) {
      entries.close();
    }
  }
}
