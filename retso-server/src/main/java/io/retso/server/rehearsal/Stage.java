package io.retso.server.rehearsal;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A log that belongs to no server: its ledgers are real, its catalog is forgotten with it.
 * Thread-safe.
 */
final class Stage implements LedgerStore {
  private final LedgerStore world;
  private final Supplier<CompletableFuture<Ledger>> ledgers;
  private final List<CompletableFuture<Ledger>> made = new ArrayList<>();
  private boolean closed;
  private Catalog catalog = new Catalog(0, new Content(0, "", List.of()));

  /**
   * Makes an empty one.
   *
   * @param world has the ledgers
   * @param ledgers makes them; they must belong to no log
   */
  Stage(LedgerStore world, Supplier<CompletableFuture<Ledger>> ledgers) {
    this.world = world;
    this.ledgers = ledgers;
  }

  @Override
  public synchronized CompletableFuture<Catalog> readCatalog() {
    return CompletableFuture.completedFuture(catalog);
  }

  @Override
  public CompletableFuture<Catalog> readNewestCatalog() {
    return readCatalog();
  }

  @Override
  public synchronized CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
    if (expected.version() != catalog.version()) {
      return CompletableFuture.failedFuture(new LogException(Reason.FENCED, "it was replaced"));
    }
    catalog = new Catalog(catalog.version() + 1, wanted);
    return readCatalog();
  }

  @Override
  public synchronized CompletableFuture<Ledger> create() {
    if (closed) {
      return CompletableFuture.failedFuture(new LogException(Reason.FENCED, "the play is over"));
    }
    CompletableFuture<Ledger> ledger = ledgers.get();
    made.add(ledger);
    return ledger;
  }

  @Override
  public CompletableFuture<Entries> openFenced(long ledger) {
    return world.openFenced(ledger);
  }

  @Override
  public CompletableFuture<Entries> openUnfenced(long ledger) {
    return world.openUnfenced(ledger);
  }

  @Override
  public CompletableFuture<Void> delete(long ledger) {
    return world.delete(ledger);
  }

  /** Deletes its ledgers, in the background, and makes no other. */
  @Override
  public synchronized void close() {
    closed = true;
    made.forEach(each -> each.thenCompose(ledger -> world.delete(ledger.id())));
  }
}
