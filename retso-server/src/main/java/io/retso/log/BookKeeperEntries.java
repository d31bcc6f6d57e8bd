package io.retso.log;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;

/**
 * The entries of a ledger: of one that nobody can append to any more, or of one that was opened
 * unfenced, as far as they are confirmed.
 *
 * <p>An entry is confirmed to a reader by a later one: each carries the last that its writer had
 * heard to be durable when it sent it. The last entries of a burst are confirmed by the entry after
 * it, which is why an idle writer appends empty ones.
 */
final class BookKeeperEntries implements LedgerStore.Entries {
  private static final int CHUNK_BYTES = 2 << 20;
  private static final int CHUNK_ENTRIES_MAX = 64;

  /** Being visited, and read meanwhile. */
  private static final int CHUNKS = 3;

  private final ReadHandle handle;
  private final Duration timeout;
  private final String what;
  private volatile long count;

  BookKeeperEntries(ReadHandle handle, Duration timeout) {
    this.handle = handle;
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
    return BookKeeperFailure.bounded(handle.readLastAddConfirmedAsync(), timeout, what)
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
    Reading reading = new Reading(from, to, executor, visitor);
    reading.proceed();
    return reading.end;
  }

  /** One call of {@link #read}; reads ahead while the visitor is shown what came. */
  private final class Reading {
    final CompletableFuture<Void> end = new CompletableFuture<>();

    private final ArrayDeque<CompletableFuture<LedgerEntries>> chunks = new ArrayDeque<>();
    private final long to;
    private final Executor executor;
    private final LedgerStore.EntryVisitor visitor;
    private long next;
    private long bytesPerEntry = count() == 0 ? 0 : handle.getLength() / count();

    Reading(long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
      this.next = from;
      this.to = to;
      this.executor = executor;
      this.visitor = visitor;
    }

    void proceed() {
      while (next < to && chunks.size() < CHUNKS) {
        long last = Math.min(to, next + entriesOf(bytesPerEntry));
        // What is beyond the handle's own idea of the end is not beyond ours.
        chunks.add(handle.readUnconfirmedAsync(next, last - 1));
        next = last;
      }
      if (chunks.isEmpty()) {
        end.complete(null);
        return;
      }
      BookKeeperFailure.bounded(chunks.peek(), timeout, what)
          .thenAcceptAsync(this::arrived, executor)
          .exceptionally(this::failed);
    }

    private void arrived(LedgerEntries entries) {
      chunks.remove();
      try {
        bytesPerEntry = visit(entries, visitor);
      } catch (LogException e) {
        throw new CompletionException(e);
      }
      proceed();
    }

    private Void failed(Throwable e) {
      chunks.forEach(chunk -> chunk.thenAccept(LedgerEntries::close));
      end.completeExceptionally(e);
      return null;
    }
  }

  /** Entries are of similar size in a stretch of the log; a chunk learns from the one before. */
  private static int entriesOf(long bytesPerEntry) {
    return (int) Math.max(1, Math.min(CHUNK_ENTRIES_MAX, CHUNK_BYTES / (bytesPerEntry + 1)));
  }

  /** Returns the mean size. */
  private static long visit(LedgerEntries entries, LedgerStore.EntryVisitor visitor)
      throws LogException {
    long bytes = 0;
    int count = 0;
    try (entries) {
      for (LedgerEntry entry : entries) {
        ByteBuffer buffer = entry.getEntryNioBuffer();
        bytes += buffer.remaining();
        count++;
        visitor.entry(buffer);
      }
    }
    return bytes / count;
  }

  @Override
  public void close() {
    handle.closeAsync().exceptionally(e -> null);
  }
}
