package io.retso.hbase;

import java.util.concurrent.CompletableFuture;

/**
 * The transaction that follows another one: its begin is sent behind the other's commit and not
 * after the answer, so that both take one round trip. Whatever becomes of the begin, what the
 * caller is told first is what became of the commit.
 */
final class NextTransaction {
  private final TransactionManager manager;

  /** Null before {@link #begin}. */
  private volatile CompletableFuture<Transaction> begun;

  NextTransaction(TransactionManager manager) {
    this.manager = manager;
  }

  /** The commit has been asked for, or there is nothing to ask. Never throws. */
  void begin() {
    begun = ask();
  }

  private CompletableFuture<Transaction> ask() {
    try {
      return manager.beginAsync();
    } catch (RuntimeException e) { // closed while the commit was on its way
      return Failures.failed(e);
    }
  }

  /**
   * What follows a commit: a transaction whose snapshot contains it. Fails with a {@link
   * CommittedException} if there is none.
   *
   * @param committed name of the transaction that is committed
   */
  CompletableFuture<Transaction> after(String committed, long commit) {
    return begun
        .thenCompose(
            next -> {
              if (next.version() > commit) {
                return CompletableFuture.completedFuture(next);
              }
              next.rollbackAsync();
              return ask(); // invoked after the commit's answer: it is above
            })
        .exceptionallyCompose(
            failure ->
                Failures.failed(
                    new CommittedException(committed, commit, Failures.unwrap(failure))));
  }

  /** There is nothing to follow: the commit failed. */
  void abandon() {
    if (begun != null) {
      begun.thenAccept(Transaction::rollbackAsync);
    }
  }
}
