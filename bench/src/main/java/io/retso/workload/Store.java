package io.retso.workload;

import java.io.IOException;
import java.util.List;

/** Keeps rows, and isolates transactions on them in its way. Thread-safe. */
public interface Store extends AutoCloseable {
  /** Makes empty tables; those of the same names and all that is in them are dropped. */
  void create(List<String> tables) throws IOException;

  /**
   * Begins a transaction.
   *
   * @throws IllegalArgumentException if the store does not have that isolation
   */
  StoreTransaction begin(Options options) throws IOException;

  /** Returns when nothing is left to do behind the replies. */
  default void awaitQuiet() {}

  @Override
  void close() throws IOException;
}
