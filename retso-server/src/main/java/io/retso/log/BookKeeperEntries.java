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

/** The entries of a ledger that nobody can append to any more. */
final class BookKeeperEntries implements LedgerStore.Entries {
  private static final int CHUNK_BYTES = 2 << 20;
  private static final int CHUNK_ENTRIES_MAX = 64;

  /** Being visited, and read meanwhile. */
  private static final int CHUNKS = 3;

  private final ReadHandle handle;
  private final Duration timeout;
  private final String what;

  BookKeeperEntries(ReadHandle handle, Duration timeout) {
    this.handle = handle;
    this.timeout = timeout;
    this.what = "read ledger " + handle.getId();
  }

  @Override
  public long count() {
    return handle.getLastAddConfirmed() + 1;
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
        chunks.add(handle.readAsync(next, last - 1));
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
