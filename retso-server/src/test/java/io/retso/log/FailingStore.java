package io.retso.log;

import java.util.List;

/** A store whose calls fail while told to, before they take effect or after. */
final class FailingStore extends ForwardingStore {
  boolean fails;
  boolean takesEffect;
  int failures;

  FailingStore(LedgerStore store) {
    super(store);
  }

  private void mayFail() throws LogException {
    if (fails) {
      failures++;
      throw new LogException(LogException.Reason.UNAVAILABLE, "nobody answers");
    }
  }

  @Override
  public Catalog readCatalog() throws LogException {
    mayFail();
    return super.readCatalog();
  }

  @Override
  public Catalog replaceCatalog(Catalog expected, List<Long> wanted) throws LogException {
    if (!takesEffect) {
      mayFail();
    }
    Catalog replaced = super.replaceCatalog(expected, wanted);
    mayFail();
    return replaced;
  }

  @Override
  public Ledger create() throws LogException {
    if (!takesEffect) {
      mayFail();
    }
    return super.create();
  }

  @Override
  public void delete(long ledger) throws LogException {
    if (!takesEffect) {
      mayFail();
    }
    super.delete(ledger);
    mayFail();
  }
}
