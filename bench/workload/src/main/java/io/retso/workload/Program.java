package io.retso.workload;

import java.io.IOException;

/** One transaction of a workload, with its parameters. For one thread, once. */
public interface Program {
  /** How it begins; the name is the same for all of a kind. */
  Options options();

  /**
   * Does the work, without the commit.
   *
   * @return false if it is to be rolled back, as its own rules say
   */
  boolean run(StoreTransaction tx) throws IOException;

  /** Called once it is committed. */
  default void committed() {}

  /**
   * Runs it once, as a transaction of a store.
   *
   * @return whether it is committed; otherwise its own rules rolled it back
   * @throws RefusedException if the store rolled it back
   * @throws UnknownOutcomeException if it may be committed, and that is not known
   * @throws IOException if anything else went wrong; then it is not committed
   */
  default boolean runOn(Store store) throws IOException {
    try (StoreTransaction tx = store.begin(options())) {
      if (!run(tx)) {
        return false;
      }
      tx.commit();
    }
    committed();
    return true;
  }
}
