package io.retso.hbase;

import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TableNotPreparedException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A transaction as far as it reads, and the whole of one that only reads: its tables have no
 * methods that write.
 *
 * <pre>{@code
 * try (ReadTransaction tx = manager.beginReadOnly()) {
 *   ReadTable accounts = tx.table("accounts");
 *   ...
 * }
 * }</pre>
 *
 * <p>All that it reads is one snapshot: what was committed below one timestamp. A read-only
 * transaction has nothing to commit; it ends with {@link #close}.
 *
 * <p><strong>Threads.</strong> A transaction is for one thread at a time. Its blocking methods, and
 * those of its tables, throw {@link IllegalStateException} if another thread is within one of them.
 * Asynchronous operations may be outstanding together, from any thread. Blocking methods throw
 * {@link IllegalStateException} in callbacks, too ({@link TransactionManager} has the threads).
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface ReadTransaction extends AutoCloseable {
  /** What it was begun with. */
  TransactionOptions options();

  /**
   * The table, for use in this transaction.
   *
   * @throws TableNotPreparedException if it is missing, not prepared, or prepared for another
   *     oracle
   * @throws IOException if HBase does not answer
   * @throws IllegalStateException if the transaction has ended
   */
  ReadTable table(TableName name) throws IOException;

  /** The table of that name, {@code namespace:name} if it is not in the default namespace. */
  ReadTable table(String name) throws IOException;

  /**
   * The table, for asynchronous use in this transaction; fails like {@link #table(TableName)}.
   * {@link TransactionManager} says on which threads the future completes.
   */
  CompletableFuture<? extends AsyncReadTable> asyncTable(TableName name);

  /** The table of that name, {@code namespace:name} if it is not in the default namespace. */
  CompletableFuture<? extends AsyncReadTable> asyncTable(String name);

  /**
   * The timestamp of its snapshot: it sees what was committed below. May ask the oracle, as a
   * read-only transaction mostly reads without one: then this takes it, one at which all is as it
   * was read. Before the first read, it makes this moment the one of the snapshot; that of a
   * serializable transaction is the one that its options say.
   *
   * @throws OracleUnavailableException if the oracle does not answer
   * @throws IOException if HBase does not answer what changed since the first read
   * @throws IllegalStateException if it ended without having read anything
   */
  long readTimestamp() throws IOException;

  /**
   * Like {@link #readTimestamp}; the future fails. {@link TransactionManager} says on which threads
   * it completes.
   */
  CompletableFuture<Long> readTimestampAsync();

  /** Ends it; one that can write is rolled back unless it has ended. Never throws. */
  @Override
  void close();
}
