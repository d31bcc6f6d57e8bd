package io.retso.workload.rubis;

import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;

/** Offers another item, in the region of its seller. */
final class RegisterItem extends Visit {
  private final Item offered;
  private final int place;
  private final int number;

  /**
   * An offer.
   *
   * @param offered its region counts for nothing
   * @param place where it is shown if no other one is free
   */
  RegisterItem(Options options, Journal journal, Item offered, int place) {
    super(options, journal);
    this.offered = offered;
    this.place = place;
    this.number = journal.nextItem();
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    Item item = offered.in(User.of(tx.get(Tables.user(offered.seller()))).region());
    tx.insert(Tables.item(number), item.bytes());
    tx.insert(Tables.current(number), new Current(0, item.start()).bytes());
    for (Row listed : Tables.lists(item, number)) {
      tx.insert(listed, Numbers.bytes(number));
    }
    return true;
  }

  @Override
  public void committed() {
    journal.add(Total.ITEMS, 1);
    journal.show(number, place);
  }
}
