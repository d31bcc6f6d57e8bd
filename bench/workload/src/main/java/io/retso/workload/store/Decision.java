package io.retso.workload.store;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What becomes of a transaction that asks to commit. Thread-safe. */
class Decision {
  static final long OPEN = 0;
  static final long ABORTED = -1;

  final long start;
  private final CompletableFuture<Long> decided = new CompletableFuture<>();

  Decision(long start) {
    this.start = start;
  }

  /** Says how it ended: with its commit timestamp, or {@link #ABORTED}. */
  void decide(long commit) {
    decided.complete(commit);
  }

  /** Says that it is not known how it ended; a reader that needs to know fails. */
  void lose(Exception why) {
    decided.completeExceptionally(why);
  }

  /** Its commit timestamp, or one of the constants. */
  long commit() {
    return decided.isCompletedExceptionally() ? OPEN : decided.getNow(OPEN);
  }

  /** Whether it may still commit, if it is not decided, and no reader is older than a timestamp. */
  boolean mayCommit(long oldestReader) {
    return true;
  }

  /** Its commit timestamp if that is before another timestamp, which it may wait for; or 0. */
  long commitBefore(long timestamp) throws IOException {
    if (start >= timestamp) {
      return 0; // so it commits later
    }
    try {
      long commit = decided.join();
      return commit > 0 && commit < timestamp ? commit : 0;
    } catch (CompletionException e) {
      throw new IOException("it is not known how a writer of the row ended", e.getCause());
    }
  }
}
