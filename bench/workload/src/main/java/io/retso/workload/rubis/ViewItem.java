package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import java.io.IOException;

/** Shows an item, its current bid and its seller. */
final class ViewItem extends Page {
  private final int number;

  ViewItem(Options options, Journal journal, int number) {
    super(options, journal);
    this.number = number;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    byte[] row = tx.get(Tables.item(number));
    byte[] current = tx.get(Tables.current(number));
    if (row == null) {
      isTorn = current != null; // a reader's snapshot may be older than the item
      return true;
    }
    Item item = Item.of(row);
    byte[] seller = tx.get(Tables.user(item.seller()));
    isTorn = current == null || Current.of(current).most() < item.start() || seller == null;
    return true;
  }
}
