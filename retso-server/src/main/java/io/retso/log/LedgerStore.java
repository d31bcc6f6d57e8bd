package io.retso.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The little that the log needs of BookKeeper and ZooKeeper: ledgers that can be fenced, and one
 * list of them that is replaced by compare-and-set. A simulator can give the same.
 *
 * <p>No call blocks. A future completes on any thread, within a bounded time, and fails with a
 * {@link LogException} ({@link LogException#of} takes it out of what futures wrap it in). A call
 * that failed with {@link LogException.Reason#UNAVAILABLE} may have taken effect, or may yet. What
 * reads a ledger that does not exist fails with {@link LogException.Reason#GONE}; only an append
 * and the replacement of the catalog fail with {@link LogException.Reason#FENCED}.
 */
public interface LedgerStore extends AutoCloseable {
  /**
   * What the catalog says.
   *
   * @param epoch the number of the take-over that its writer began with; 0 before the first
   * @param leader that writer's name and address, for people; one line, may be empty
   * @param ledgers the log's ledgers, oldest first. The complement of an id, a negative number,
   *     names a ledger that is being deleted
   */
  record Content(long epoch, String leader, List<Long> ledgers) {
    /** This content with other ledgers. */
    public Content with(List<Long> others) {
      return new Content(epoch, leader, List.copyOf(others));
    }

    /** The next epoch, in which a new leader writes to a ledger of its own. */
    public Content takenOver(String newLeader, long ownLedger) {
      List<Long> all = new ArrayList<>(ledgers);
      all.add(ownLedger);
      return new Content(epoch + 1, newLeader, List.copyOf(all));
    }
  }

  /**
   * The catalog as it was read.
   *
   * @param version changes with every replacement
   */
  record Catalog(int version, Content content) {
    /** See {@link Content}. */
    public long epoch() {
      return content.epoch();
    }

    /** See {@link Content}. */
    public List<Long> ledgers() {
      return content.ledgers();
    }
  }

  /**
   * Reads the catalog; an empty one is created if there is none. It may be one that was replaced a
   * moment ago, but is never older than what this store has read or written before.
   */
  CompletableFuture<Catalog> readCatalog();

  /** Reads the catalog as it is at some time between this call and its answer. */
  CompletableFuture<Catalog> readNewestCatalog();

  /**
   * Replaces the catalog if it still has the version of {@code expected}. Fails with {@link
   * LogException.Reason#FENCED} if it was replaced since. That may have been this very replacement,
   * if a reply was lost, the request was repeated, and another server has replaced the catalog
   * again: what the catalog says then, {@link #readCatalog} shows.
   */
  CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted);

  /** Replaces the ledgers of the catalog so, in the same epoch. */
  default CompletableFuture<Catalog> replaceCatalog(Catalog expected, List<Long> ledgers) {
    return replaceCatalog(expected, expected.content().with(ledgers));
  }

  /** Creates an empty ledger. */
  CompletableFuture<Ledger> create();

  /**
   * Opens a ledger with recovery: afterwards no writer of old can append to it, and everything that
   * was acknowledged to one is readable.
   */
  CompletableFuture<Entries> openFenced(long ledger);

  /**
   * Opens a ledger as it is: its writer goes on. Entries that were acknowledged to it lately may be
   * missing, until it appends another one.
   */
  CompletableFuture<Entries> openUnfenced(long ledger);

  /** Deletes a ledger; it need not exist. */
  CompletableFuture<Void> delete(long ledger);

  @Override
  void close();

  /** A ledger being written. */
  interface Ledger {
    long id();

    /**
     * Appends asynchronously. Acknowledgements come in order, on any thread.
     *
     * @param entry untouched until the callback
     */
    void append(ByteBuffer entry, long context, AppendCallback callback);

    /**
     * Seals the ledger in the background.
     *
     * @return completes when that is done, on any thread; fails if it cannot be done, and then a
     *     server that fences the ledger seals it
     */
    CompletableFuture<Void> closeAsync();
  }

  /** Hears what became of an append, on any thread. */
  interface AppendCallback {
    /** {@code failure} is null if the entry is durable. */
    void completed(long context, LogException failure);
  }

  /** The entries of a ledger that can be read. */
  interface Entries extends AutoCloseable {
    /** The number of entries that can be read: none of them can be lost any more. */
    long count();

    /**
     * Asks how many entries there are by now, if the ledger was opened unfenced: {@link #count}
     * says it from then on. It never falls.
     *
     * @return whether no entry can be added any more, and {@link #count} is final
     */
    CompletableFuture<Boolean> refresh();

    /**
     * Shows the entries {@code from} (inclusive) to {@code to} (exclusive) in order.
     *
     * @param executor where the visitor is called; the future completes there, too, unless nothing
     *     is to be read
     */
    CompletableFuture<Void> read(long from, long to, Executor executor, EntryVisitor visitor);

    @Override
    void close();
  }

  /** Sees one entry; its bytes are valid during the call. */
  interface EntryVisitor {
    void entry(ByteBuffer bytes) throws LogException;
  }
}
