package io.retso.oracle;

/**
 * Why requests of a batch were aborted: filled only for those that are. Memory is allocated once.
 * Not thread-safe.
 */
public final class Refusals {
  /** In place of an id. */
  public static final int NONE = -1;

  private final int[] offending;
  private final int[] alsoRead;
  private final long[] met;

  Refusals(int requests) {
    offending = new int[requests];
    alsoRead = new int[requests];
    met = new long[requests];
  }

  /** Nothing is known of the i-th request: what the arrays have is of an earlier batch. */
  void clear(int i) {
    offending[i] = NONE;
  }

  /** See {@link CommitBatch#offending}, {@link CommitBatch#met}, {@link CommitBatch#alsoRead}. */
  void set(int i, int offendingId, long commit, int alsoReadId) {
    offending[i] = offendingId;
    met[i] = commit;
    alsoRead[i] = alsoReadId;
  }

  int offending(int i) {
    return offending[i];
  }

  long met(int i) {
    return offending[i] == NONE ? 0 : met[i];
  }

  int alsoRead(int i) {
    return offending[i] == NONE ? NONE : alsoRead[i];
  }
}
