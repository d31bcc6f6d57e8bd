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
}
