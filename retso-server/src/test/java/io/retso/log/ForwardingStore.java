package io.retso.log;

import java.util.concurrent.CompletableFuture;

/** A store in front of another: a test overrides what it wants to go wrong. */
public class ForwardingStore implements LedgerStore {
  private final LedgerStore store;

  public ForwardingStore(LedgerStore store) {
    this.store = store;
  }

  @Override
  public CompletableFuture<Catalog> readCatalog() {
    return store.readCatalog();
  }

  @Override
  public CompletableFuture<Catalog> readNewestCatalog() {
    return store.readNewestCatalog();
  }

  @Override
  public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
    return store.replaceCatalog(expected, wanted);
  }

  @Override
  public CompletableFuture<Ledger> create() {
    return store.create();
  }

  @Override
  public CompletableFuture<Entries> openFenced(long ledger) {
    return store.openFenced(ledger);
  }

  @Override
  public CompletableFuture<Entries> openUnfenced(long ledger) {
    return store.openUnfenced(ledger);
  }

  @Override
  public CompletableFuture<Void> delete(long ledger) {
    return store.delete(ledger);
  }

  @Override
  public void close() {
    store.close();
  }
}
