package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import io.retso.workload.rubis.Rows.Purchase;
import java.io.IOException;

/**
 * Buys some pieces at the price of the seller, if no bid has reached it. With the last piece the
 * item is taken from the lists.
 */
final class BuyNow extends Visit {
  private final int buyer;
  private final int place;
  private final int number;
  private final int wanted;
  private int pieces;
  private boolean soldOut;

  /**
   * A purchase.
   *
   * @param place where the item is shown
   * @param wanted pieces, if there are so many
   */
  BuyNow(Options options, Journal journal, int buyer, int place, int wanted) {
    super(options, journal);
    this.buyer = buyer;
    this.place = place;
    this.number = journal.itemAt(place);
    this.wanted = wanted;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    tx.get(Tables.user(buyer));
    Row row = Tables.item(number);
    Item item = Item.of(tx.get(row));
    Current current = Current.of(tx.get(Tables.current(number)));
    if (!item.isOpen() || current.most() >= item.price()) {
      return false;
    }
    pieces = Math.min(wanted, item.left());
    Item now = item.without(pieces);
    tx.put(row, now.bytes());
    tx.insert(
        Tables.of(Tables.PURCHASE, number, now.purchases()), new Purchase(buyer, pieces).bytes());
    soldOut = now.isSoldOut();
    if (soldOut) {
      for (Row listed : Tables.lists(item, number)) {
        tx.delete(listed);
      }
    }
    return true;
  }

  @Override
  public void committed() {
    journal.add(Total.PURCHASES, 1);
    journal.add(Total.PIECES_SOLD, pieces);
    if (soldOut) {
      journal.soldOut(place, number);
    }
  }
}
