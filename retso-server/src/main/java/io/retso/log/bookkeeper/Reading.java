package io.retso.log.bookkeeper;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;

/**
 * Reads a stretch of a ledger, and shows its entries in order. It reads ahead: a few chunks are
 * asked for while one is shown.
 *
 * <p>A chunk is one request to one bookie if that can be, a <em>batch</em>. An idle leader's
 * entries are small and many, and a request for each costs more than all else that a recovery does.
 * What is shown is the same in both ways: BookKeeper compares each entry with its digest, which
 * names its ledger and index. If a batch fails or is late, the rest is read entry by entry, each of
 * them from another bookie, too, if the first does not answer soon.
 *
 * <p>Of the executor's thread, which runs one task at a time. Used once.
 */
final class Reading {
  /** As many are asked for at a time, of which one is being shown. */
  private static final int CHUNKS = 4;

  /** Bytes of a chunk, about; of a batch at most, unless one entry has more. */
  private static final int CHUNK_BYTES = 1 << 20;

  /** A bookie reads a batch without a pause: about a millisecond. */
  private static final int BATCH_ENTRIES_MAX = 256;

  /** In all chunks a fifth of the requests that a bookie lets wait. */
  private static final int CHUNK_ENTRIES_MAX = 128;

  /** A batch that is not there by then is not waited for. */
  private static final long LATE_MILLIS = 1_000;

  /** The entries {@code from} (inclusive) to {@code to} (exclusive). */
  private record Chunk(
      long from, long to, boolean isBatch, CompletableFuture<LedgerEntries> answer) {
    /** It is not shown, whenever it comes. */
    void drop() {
      answer.thenAccept(LedgerEntries::close);
    }
  }

  final CompletableFuture<Void> end = new CompletableFuture<>();

  private final ReadHandle handle;
  private final Duration timeout;
  private final String what;
  private final long to;
  private final Executor executor;
  private final LedgerStore.EntryVisitor visitor;
  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();

  /** A handle of this ledger to read batches from; null to read entry by entry. */
  private ReadHandle batches;

  private long next;
  private long bytesPerEntry;

  /**
   * A reading of the entries {@code from} (inclusive) to {@code to} (exclusive).
   *
   * @param batches of {@link BookKeeperClients#batches}; null if it cannot be had
   * @param bytesPerEntry about
   * @param timeout of a chunk
   * @param what completes the sentence "cannot ..."
   */
  Reading(
      ReadHandle handle,
      ReadHandle batches,
      long from,
      long to,
      long bytesPerEntry,
      Duration timeout,
      String what,
      Executor executor,
      LedgerStore.EntryVisitor visitor) {
    this.handle = handle;
    this.batches = batches;
    this.next = from;
    this.to = to;
    this.bytesPerEntry = bytesPerEntry;
    this.timeout = timeout;
    this.what = what;
    this.executor = executor;
    this.visitor = visitor;
  }

  void proceed() {
    while (next < to && chunks.size() < CHUNKS) {
      long last = Math.min(to, next + entriesOfChunk());
      chunks.add(request(next, last));
      next = last;
    }
    if (chunks.isEmpty()) {
      end.complete(null);
    } else if (chunks.peek().isBatch()) {
      await(chunks.peek());
    } else {
      BookKeeperFailure.bounded(chunks.peek().answer(), timeout, handle.getId(), what)
          .thenAcceptAsync(this::arrived, executor)
          .exceptionally(this::failed);
    }
  }

  /** Entries are of similar size in a stretch of the log; a chunk learns from the one before. */
  private long entriesOfChunk() {
    int max = batches == null ? CHUNK_ENTRIES_MAX : BATCH_ENTRIES_MAX;
    return Math.max(1, Math.min(max, CHUNK_BYTES / (bytesPerEntry + 1)));
  }

  /** What is beyond the handle's own idea of the end is not beyond ours. */
  private Chunk request(long from, long behind) {
    CompletableFuture<LedgerEntries> answer =
        batches == null
            ? handle.readUnconfirmedAsync(from, behind - 1)
            : batches.batchReadUnconfirmedAsync(from, (int) (behind - from), CHUNK_BYTES);
    return new Chunk(from, behind, batches != null, answer);
  }

  private void await(Chunk batch) {
    batch
        .answer()
        .copy()
        .orTimeout(LATE_MILLIS, TimeUnit.MILLISECONDS)
        .handleAsync((entries, e) -> entries, executor)
        .thenAccept(
            entries -> {
              if (entries == null) {
                readSingly(batch.from());
              } else {
                arrived(entries);
              }
            })
        .exceptionally(this::failed);
  }

  private void readSingly(long from) {
    batches = null;
    chunks.forEach(Chunk::drop);
    chunks.clear();
    next = from;
    proceed();
  }

  /** A batch may be shorter than was asked for, if its entries are larger. */
  private void arrived(LedgerEntries entries) {
    Chunk chunk = chunks.remove();
    long reached;
    try {
      reached = visit(entries, chunk.from());
    } catch (LogException e) {
      throw new CompletionException(e);
    }
    if (reached == chunk.from()) {
      readSingly(reached);
      return;
    }
    if (reached < chunk.to()) {
      chunks.addFirst(request(reached, chunk.to()));
    }
    proceed();
  }

  /** Returns the index behind the last one that was shown. */
  private long visit(LedgerEntries entries, long from) throws LogException {
    long bytes = 0;
    long index = from;
    try (entries) {
      for (LedgerEntry entry : entries) {
        ByteBuffer buffer = entry.getEntryNioBuffer();
        bytes += buffer.remaining();
        index++;
        visitor.entry(buffer);
      }
    }
    bytesPerEntry = bytes / Math.max(1, index - from);
    return index;
  }

  private Void failed(Throwable e) {
    chunks.forEach(Chunk::drop);
    end.completeExceptionally(e);
    return null;
  }
}
