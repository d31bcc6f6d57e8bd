package io.retso.log;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A store whose calls fail while asked to, before they take effect or after; or throw. */
final class FailingStore extends ForwardingStore {
  boolean fails;
  boolean takesEffect;
  int failures;

  /** What calls fail with that they should not, if anything. */
  Throwable unexpected;

  /** Whether they throw it instead of an answer. */
  boolean throwsIt;

  FailingStore(LedgerStore store) {
    super(store);
  }

  private <T> CompletableFuture<T> call(
      boolean canTakeEffect, Supplier<CompletableFuture<T>> call) {
    if (!fails) {
      return call.get();
    }
    failures++;
    if (takesEffect && canTakeEffect) {
      call.get();
    }
    if (unexpected instanceof RuntimeException exception && throwsIt) {
      throw exception;
    }
    return CompletableFuture.failedFuture(
        unexpected == null
            ? new LogException(LogException.Reason.UNAVAILABLE, "nobody answers")
            : unexpected);
  }

  @Override
  public CompletableFuture<Catalog> readCatalog() {
    return call(false, super::readCatalog);
  }

  @Override
  public CompletableFuture<Catalog> readNewestCatalog() {
    return call(false, super::readNewestCatalog);
  }

  @Override
  public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
    return call(true, () -> super.replaceCatalog(expected, wanted));
  }

  /** A ledger that is not heard of is one that is not deleted. */
  @Override
  public CompletableFuture<Ledger> create() {
    return takesEffect ? super.create() : call(false, super::create);
  }

  @Override
  public CompletableFuture<Void> delete(long ledger) {
    return call(true, () -> super.delete(ledger));
  }
}
