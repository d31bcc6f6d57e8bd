package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Rows.Bid;
import io.retso.workload.rubis.Rows.Current;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Shows all bids of an item with their bidders. */
final class BidHistory extends Page {
  private final int number;

  BidHistory(Options options, Journal journal, int number) {
    super(options, journal);
    this.number = number;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    byte[] row = tx.get(Tables.current(number)); // none if the snapshot is older than the item
    Current current = row == null ? new Current(0, 0) : Current.of(row);
    List<Bid> bids = new ArrayList<>();
    tx.scan(
        Tables.allOf(Tables.BID, number),
        StoreTransaction.NO_LIMIT,
        (key, value) -> bids.add(Bid.of(value)));
    isTorn = bids.size() != current.bids();
    if (!bids.isEmpty()) {
      isTorn |= bids.get(bids.size() - 1).amount() != current.most();
      tx.getAll(
          Tables.USER, bids.stream().map(bid -> Tables.key(bid.bidder())).distinct().toList());
    }
    return true;
  }
}
