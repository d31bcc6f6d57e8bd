package io.retso.log;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LogException.Reason;
import java.util.concurrent.CompletableFuture;

/**
 * What it means that a ledger, or an entry of one, is not there: the store cannot tell whether the
 * log's writer deleted it or the bookies lost it, but the catalog can. A ledger is deleted when the
 * catalog names it no more (its complement at most), so what the newest catalog names and is not
 * there is damage; everything else was too slow a reader's.
 *
 * <p><em>One that the catalog names does no harm if it was empty.</em> Claim: if a later ledger has
 * an entry, and the first of that follows the last entry before the ledger that is gone, nothing
 * was ever acknowledged in this one, or will be. Of the writers of later ledgers take the one that
 * had its first entry durable first.
 *
 * <ul>
 *   <li>It is the writer of this ledger, too: then it went on to the later one when this one could
 *       get no more entries, and everything in it was in front of that entry.
 *   <li>It is a successor: it appended when its take-over was complete, which had fenced this
 *       ledger and replayed what was in it, or had read it to its end before. It did not pass over
 *       it for being gone: no later ledger had an entry at that time.
 * </ul>
 *
 * <p>Positions count every entry, so either way one in this ledger would be missing in the count.
 * Without an entry behind it nothing is known: a writer that has the ledger open may go on in it on
 * bookies that have not heard of its deletion. Such a ledger cannot be fenced, so no server may
 * take the log over, or go on reading behind it.
 */
final class Gone {
  /** The epoch of a server that reads the log and does not write it. */
  static final long NO_EPOCH = -1;

  private Gone() {}

  static boolean isCauseOf(Throwable e) {
    return LogException.of(e).reason() == Reason.GONE;
  }

  /**
   * Fails with what a failure means by the newest catalog: {@link Reason#FENCED} if that has
   * another epoch than the reader's own; {@link Reason#CORRUPT} if it names a ledger that is gone.
   *
   * @param epoch of a writer; {@link #NO_EPOCH} of others
   */
  static <T> CompletableFuture<T> judged(LedgerStore store, long epoch, Throwable failure) {
    LogException e = LogException.of(failure);
    return e.reason() == Reason.GONE
        ? store
            .readNewestCatalog()
            .thenCompose(now -> CompletableFuture.failedFuture(judged(now, epoch, e)))
        : CompletableFuture.failedFuture(e);
  }

  private static LogException judged(Catalog now, long epoch, LogException e) {
    if (epoch != NO_EPOCH && now.epoch() != epoch) {
      return new LogException(
          Reason.FENCED, "another server took the log over, and deleted what this one reads", e);
    }
    return now.ledgers().contains(e.ledger())
        ? new LogException(
            Reason.CORRUPT,
            e.getMessage()
                + "; the log's list of ledgers names it: look for failed disks and wiped"
                + " directories of the bookies",
            e)
        : e;
  }
}
