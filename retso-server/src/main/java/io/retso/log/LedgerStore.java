package io.retso.log;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The little that the log needs of BookKeeper and ZooKeeper: ledgers that can be fenced, and one
 * list of them that is replaced by compare-and-set. A simulator can give the same.
 *
 * <p>Blocking methods are called from one background thread, or before the log serves.
 */
public interface LedgerStore extends AutoCloseable {
  /**
   * The list of the log's ledgers, oldest first. The complement of an id, a negative number, names
   * a ledger that is being deleted.
   *
   * @param version changes with every replacement
   * @param isOwn whether it was this store, and no other, that replaced the catalog last
   */
  record Catalog(int version, List<Long> ledgers, boolean isOwn) {}

  /** Reads the catalog; an empty one is created if there is none. */
  Catalog readCatalog() throws LogException;

  /**
   * Replaces the catalog if it still has the version of {@code expected}.
   *
   * <p>After {@link LogException.Reason#UNAVAILABLE} it may or may not be replaced, or be replaced
   * later.
   *
   * @throws LogException {@link LogException.Reason#FENCED} if it was replaced by somebody else
   */
  Catalog replaceCatalog(Catalog expected, List<Long> ledgers) throws LogException;

  /** Creates an empty ledger. */
  Ledger create() throws LogException;

  /**
   * Opens a ledger with recovery: afterwards no writer of old can append to it, and everything that
   * was acknowledged to one is readable.
   */
  Entries openFenced(long ledger) throws LogException;

  /** Deletes a ledger; it need not exist. */
  void delete(long ledger) throws LogException;

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

    /** Seals the ledger in the background. */
    void closeAsync();
  }

  /** Told of an append, on any thread. */
  interface AppendCallback {
    /** {@code failure} is null if the entry is durable. */
    void completed(long context, LogException failure);
  }

  /** The entries of a fenced ledger. */
  interface Entries extends AutoCloseable {
    /** The number of entries. */
    long count();

    /** Shows the entries {@code from} (inclusive) to {@code to} (exclusive) in order. */
    void read(long from, long to, EntryVisitor visitor) throws LogException;

    @Override
    void close();
  }

  /** Sees one entry; its bytes are valid during the call. */
  interface EntryVisitor {
    void entry(ByteBuffer bytes) throws LogException;
  }
}
