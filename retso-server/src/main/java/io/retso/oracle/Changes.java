package io.retso.oracle;

/**
 * What the oracle decided, in the order in which it decided: everything that the log must hold for
 * the state to be rebuilt. All timestamps are full timestamps.
 */
public interface Changes {
  /** Changes are not listened to: for the WAL-disabled mode and for replay. */
  Changes NONE =
      new Changes() {
        @Override
        public void committed(long start, long commit, long[] rows, int from, int to) {}

        @Override
        public void aborted(long start) {}

        @Override
        public void cleaned(long start) {}

        @Override
        public void swept(long below) {}

        @Override
        public void expired(long below) {}

        @Override
        public void watermark(long below) {}

        @Override
        public void held(Hold hold) {}

        @Override
        public void released(long timestamp) {}
      };

  /** A transaction committed; its rows are {@code rows[from..to)}. */
  void committed(long start, long commit, long[] rows, int from, int to);

  /** A transaction was aborted, by a conflict or by request. */
  void aborted(long start);

  /** A decided transaction has no pending marks left. */
  void cleaned(long start);

  /** Nor has any transaction that committed below a timestamp. */
  void swept(long below);

  /** Transactions that started below a timestamp are aborted, unless they are committed. */
  void expired(long below);

  /**
   * The low watermark is about to be answered, and passed timestamps that belong to no transaction:
   * below it everything is finished. Otherwise that follows from the other changes.
   */
  void watermark(long below);

  /** A snapshot is held from now on. */
  void held(Hold hold);

  /** It is held no longer: it was released, or its time is over. */
  void released(long timestamp);
}
