package io.retso.workload;

import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** Programs on tables of its own. Thread-safe, but for {@link #load} and {@link #check}. */
public interface Workload {
  /** Names of the tables. */
  List<String> schema();

  /** Fills the tables as they are before each run, whatever an earlier run has left there. */
  void load(Store store) throws IOException;

  /** The next program to run. */
  Program next(SplittableRandom random);

  /**
   * Compares what is in the tables after a run with what its committed programs say.
   *
   * @return what is wrong; empty if nothing is
   */
  String check(Store store) throws IOException;
}
