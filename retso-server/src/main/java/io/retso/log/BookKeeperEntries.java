package io.retso.log;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
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
  public void read(long from, long to, LedgerStore.EntryVisitor visitor) throws LogException {
    if (from < 0 || to > count()) {
      throw new IllegalArgumentException(
          "entries " + from + " to " + to + " of a ledger of " + count());
    }
    ArrayDeque<CompletableFuture<LedgerEntries>> chunks = new ArrayDeque<>();
    try {
      long bytesPerEntry = count() == 0 ? 0 : handle.getLength() / count();
      long next = from;
      while (next < to || !chunks.isEmpty()) {
        while (next < to && chunks.size() < CHUNKS) {
          long end = Math.min(to, next + entriesOf(bytesPerEntry));
          chunks.add(handle.readAsync(next, end - 1));
          next = end;
        }
        LedgerEntries entries = BookKeeperFailure.await(chunks.peek(), timeout, what);
        chunks.remove();
        bytesPerEntry = visit(entries, visitor);
      }
    } finally {
      chunks.forEach(chunk -> chunk.thenAccept(LedgerEntries::close));
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
