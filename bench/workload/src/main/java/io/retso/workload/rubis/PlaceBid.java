package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.Bid;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import java.io.IOException;

/**
 * Bids more than the current bid of an item that is not sold.
 *
 * <p>It reads the item that BuyNow writes, and writes the current bid that BuyNow reads: two that
 * do not see each other are write skew.
 */
final class PlaceBid extends Visit {
  private final int bidder;
  private final int number;
  private final int raise;

  PlaceBid(Options options, Journal journal, int bidder, int number, int raise) {
    super(options, journal);
    this.bidder = bidder;
    this.number = number;
    this.raise = raise;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    tx.get(Tables.user(bidder));
    if (!Item.of(tx.get(Tables.item(number))).isOpen()) {
      return false;
    }
    Row row = Tables.current(number);
    Current now = Current.of(tx.get(row)).plus(raise);
    tx.put(row, now.bytes());
    tx.insert(Tables.of(Tables.BID, number, now.bids()), new Bid(bidder, now.most()).bytes());
    return true;
  }

  @Override
  public void committed() {
    journal.add(Total.BIDS, 1);
  }
}
