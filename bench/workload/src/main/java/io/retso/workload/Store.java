package io.retso.workload;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Keeps rows, and isolates transactions on them in its way. Thread-safe. */
public interface Store extends AutoCloseable {
  /** Rows of a transaction that fills tables. */
  int FILLED_AT_ONCE = 1000;

  /** Makes empty tables; those of the same names and all that is in them are dropped. */
  void create(List<String> tables) throws IOException;

  /**
   * Begins a transaction.
   *
   * @throws IllegalArgumentException if the store does not have that isolation
   */
  StoreTransaction begin(Options options) throws IOException;

  /** Writes rows while nothing else runs, a thousand in a transaction. */
  default void fill(Map<Row, byte[]> rows) throws IOException {
    Iterator<Map.Entry<Row, byte[]>> left = rows.entrySet().iterator();
    while (left.hasNext()) {
      try (StoreTransaction tx = begin(Options.ALONE)) {
        for (int i = 0; i < FILLED_AT_ONCE && left.hasNext(); i++) {
          Map.Entry<Row, byte[]> row = left.next();
          tx.put(row.getKey(), row.getValue());
        }
        tx.commit();
      }
    }
  }

  /**
   * Returns when nothing is left to do behind the replies, and transactions that begin from then on
   * see all that was committed before; readers of recent snapshots would otherwise lack the last of
   * it.
   */
  default void awaitQuiet() throws IOException {}

  /** What else decides how fast it is, such as settings of its server, for reports. */
  default Map<String, String> facts() throws IOException {
    return Map.of();
  }

  @Override
  void close() throws IOException;
}
