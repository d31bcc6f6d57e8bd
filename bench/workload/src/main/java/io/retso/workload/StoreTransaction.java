package io.retso.workload;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A transaction. For one thread. Every method that talks to the store may throw {@link
 * RefusedException}: then it is rolled back. Whatever else a method throws that is not {@link
 * #commit} and {@link #close}, the transaction is not committed.
 */
public interface StoreTransaction extends AutoCloseable {
  /** A limit of rows that is none. */
  int NO_LIMIT = Integer.MAX_VALUE;

  /** The value of a row, its own writes included; {@code null} if there is none. */
  byte[] get(Row row) throws IOException;

  /**
   * The values of rows of a table, as {@link #get} has them; in one round trip, where the store
   * can.
   */
  default List<byte[]> getAll(String table, List<String> keys) throws IOException {
    List<byte[]> values = new ArrayList<>(keys.size());
    for (String key : keys) {
      values.add(get(new Row(table, key)));
    }
    return values;
  }

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

  /**
   * Writes a row that never was there before, as the caller knows without a read. So a recorded
   * history knows what it replaces.
   */
  default void insert(Row row, byte[] value) throws IOException {
    put(row, value);
  }

  /** Takes a row away. */
  void delete(Row row) throws IOException;

  /**
   * The first rows of a range with their keys, in the order of these; its own writes may be left
   * out. A serializable transaction has read the range up to the last row that it was given, or all
   * of it if there were no more.
   *
   * @param limit most rows; 1 or more, {@link #NO_LIMIT} for all
   */
  void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException;

  /** All rows of a table with their keys, in the order of these; its own writes may be left out. */
  default void scan(String table, BiConsumer<String, byte[]> each) throws IOException {
    scan(Range.all(table), NO_LIMIT, each);
  }

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
