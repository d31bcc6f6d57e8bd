package io.retso.oracle;

/**
 * What the oracle decided, in the order in which it decided: everything that the log must hold for
 * the state to be rebuilt. All timestamps are full timestamps.
 */
public interface Changes {
  /** Nobody listens: for the WAL-disabled mode and for replay. */
  Changes NONE =
      new Changes() {
        @Override
        public void committed(long start, long commit, long[] rows, int from, int to) {}

        @Override
        public void aborted(long start) {}

        @Override
        public void cleaned(long start) {}
      };

  /** A transaction committed; its rows are {@code rows[from..to)}. */
  void committed(long start, long commit, long[] rows, int from, int to);

  /** A transaction was aborted, by a conflict or by request. */
  void aborted(long start);

  /** A decided transaction has no pending marks left. */
  void cleaned(long start);
}
