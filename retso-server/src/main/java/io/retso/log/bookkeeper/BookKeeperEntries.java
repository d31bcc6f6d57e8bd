package io.retso.log.bookkeeper;

import io.retso.log.LedgerStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.bookkeeper.client.api.ReadHandle;

/**
 * The entries of a ledger: of one that no writer can append to any more, or of one that was opened
 * unfenced, as far as they are confirmed.
 *
 * <p>An entry is confirmed to a reader by a later one: each carries the last that its writer had
 * heard to be durable when it sent it. The last entries of a burst are confirmed by the entry after
 * it, which is why an idle writer appends empty ones.
 */
final class BookKeeperEntries implements LedgerStore.Entries {
  /** So many entries and more are worth another handle. */
  private static final long MANY = 256;

  private final ReadHandle handle;
  private final Supplier<CompletableFuture<ReadHandle>> opener;
  private final Duration timeout;
  private final String what;
  private volatile long count;

  /** For batches; null as long as that was never worth it. */
  private CompletableFuture<ReadHandle> batches;

  /**
   * Makes it of an open handle.
   *
   * @param opener opens the same ledger, unfenced, to read batches from
   */
  BookKeeperEntries(
      ReadHandle handle, Supplier<CompletableFuture<ReadHandle>> opener, Duration timeout) {
    this.handle = handle;
    this.opener = opener;
    this.count = handle.getLastAddConfirmed() + 1;
    this.timeout = timeout;
    this.what = "read ledger " + handle.getId();
  }

  @Override
  public long count() {
    return count;
  }

  /** The handle hears from ZooKeeper when the ledger is closed. */
  @Override
  public CompletableFuture<Boolean> refresh() {
    boolean isClosed = handle.isClosed(); // asked first: what is read then is the end
    return BookKeeperFailure.bounded(
            handle.readLastAddConfirmedAsync(), timeout, handle.getId(), what)
        .thenApply(
            last -> {
              count = Math.max(count, last + 1);
              return isClosed;
            });
  }

  @Override
  public CompletableFuture<Void> read(
      long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
    if (from < 0 || to > count()) {
      throw new IllegalArgumentException(
          "entries " + from + " to " + to + " of a ledger of " + count());
    }
    if (to - from < MANY) {
      return read(null, from, to, executor, visitor);
    }
    if (batches == null) {
      batches = opener.get();
    }
    return batches
        .exceptionally(e -> null)
        .thenComposeAsync(opened -> read(opened, from, to, executor, visitor), executor);
  }

  private CompletableFuture<Void> read(
      ReadHandle opened, long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
    long bytesPerEntry = count() == 0 ? 0 : handle.getLength() / count();
    Reading reading =
        new Reading(handle, opened, from, to, bytesPerEntry, timeout, what, executor, visitor);
    reading.proceed();
    return reading.end;
  }

  @Override
  public void close() {
    handle.closeAsync().exceptionally(e -> null);
    if (batches != null) {
      batches.thenCompose(ReadHandle::closeAsync).exceptionally(e -> null);
    }
  }
}
