package io.retso.workload;

import java.io.IOException;
import java.util.function.BiConsumer;

/**
 * A transaction. For one thread. Every method that talks to the store may throw {@link
 * RefusedException}: then it is rolled back. Whatever else a method throws that is not {@link
 * #commit} and {@link #close}, the transaction is not committed.
 */
public interface StoreTransaction extends AutoCloseable {
  /** The value of a row, its own writes included; {@code null} if there is none. */
  byte[] get(Row row) throws IOException;

  /** Like {@link #get}; conflicts with all that write or lock the row (SELECT FOR UPDATE). */
  byte[] lock(Row row) throws IOException;

  /**
   * Like {@link #get}; the commit is refused if the row has changed until then.
   *
   * @throws UnsupportedOperationException if the store has no such reads
   */
  byte[] validate(Row row) throws IOException;

  /** Writes a row. */
  void put(Row row, byte[] value) throws IOException;

  /** All rows of a table with their keys, in the order of these; its own writes may be left out. */
  void scan(String table, BiConsumer<String, byte[]> each) throws IOException;

  /**
   * Makes its writes last.
   *
   * @throws UnknownOutcomeException if it may be committed, and that is not known
   * @throws IOException if anything else went wrong; then it is not committed
   */
  void commit() throws IOException;

  /**
   * When it was learned that it is committed or refused, by the clock of the JVM. Asked for after
   * that only.
   */
  default long decidedNanos() {
    return System.nanoTime();
  }

  /** Rolls back unless it is committed. */
  @Override
  void close() throws IOException;
}
