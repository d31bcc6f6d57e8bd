package io.retso.bench.hbase;

import java.io.IOException;

/** What a thread of a measurement does again and again. For one thread. */
interface Operation extends AutoCloseable {
  /**
   * Does it once.
   *
   * @return false if it was aborted by a conflict
   */
  boolean run() throws IOException;

  /** Gives back what it holds. */
  @Override
  default void close() throws IOException {}

  /** Makes the operation of a thread with rows of its own. */
  interface Maker {
    Operation make(Rows rows) throws IOException;
  }
}
