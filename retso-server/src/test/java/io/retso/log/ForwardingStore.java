package io.retso.log;

import java.util.List;

/** A store in front of another: a test overrides what it wants to go wrong. */
class ForwardingStore implements LedgerStore {
  private final LedgerStore store;

  ForwardingStore(LedgerStore store) {
    this.store = store;
  }

  @Override
  public Catalog readCatalog() throws LogException {
    return store.readCatalog();
  }

  @Override
  public Catalog replaceCatalog(Catalog expected, List<Long> ledgers) throws LogException {
    return store.replaceCatalog(expected, ledgers);
  }

  @Override
  public Ledger create() throws LogException {
    return store.create();
  }

  @Override
  public Entries openFenced(long ledger) throws LogException {
    return store.openFenced(ledger);
  }

  @Override
  public void delete(long ledger) throws LogException {
    store.delete(ledger);
  }

  @Override
  public void close() {
    store.close();
  }
}
