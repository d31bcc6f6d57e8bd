package io.retso.workload.rubis;

import io.retso.workload.Findings;
import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.Bid;
import io.retso.workload.rubis.Rows.Comment;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import io.retso.workload.rubis.Rows.Purchase;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Reads all tables in one snapshot, and compares them with each other. */
final class Audit {
  /** A category or region of an item that is in no list. */
  private static final int IN_NONE = -1;

  private final Map<Integer, OfItem> items = new TreeMap<>();
  private final Map<Integer, OfUser> users = new TreeMap<>();

  /** What the tables say of an item. */
  private static final class OfItem {
    private Item item;
    private Current current;
    private int bids;
    private int lastBid;
    private int most;
    private int purchases;
    private int pieces;
    private int lists;
    private int category = IN_NONE;
    private int region = IN_NONE;

    private void bid(String key, byte[] row) {
      bids++;
      lastBid = Tables.ordinalIn(key);
      most = Math.max(most, Bid.of(row).amount());
    }

    private void purchase(byte[] row) {
      purchases++;
      pieces += Purchase.of(row).pieces();
    }

    private void compare(String name, Findings findings) {
      if (item == null || current == null) {
        findings.add(name + ": there is no row of it, or none of its current bid");
        return;
      }
      findings.equal(name, "number of bids", current.bids(), bids);
      findings.equal(name, "last bid", lastBid, bids);
      findings.equal(name, "highest bid", current.most(), bids == 0 ? item.start() : most);
      findings.equal(name, "purchases", item.purchases(), purchases);
      findings.equal(name, "pieces that are left", item.left(), item.quantity() - pieces);
      if (item.left() < 0) {
        findings.add(name + ": more pieces are sold than there were");
      }
      boolean open = item.isOpen();
      findings.equal(name, "lists it is in", lists, open ? 2 : 0);
      findings.equal(name, "category by list", category, open ? item.category() : IN_NONE);
      findings.equal(name, "region by list", region, open ? item.region() : IN_NONE);
    }
  }

  /** What the tables say of a user. */
  private static final class OfUser {
    private User user;
    private int comments;
    private int rating;
    private int names;
    private int name;

    private void comment(byte[] row) {
      comments++;
      rating += Comment.of(row).rating();
    }

    private void name(String key) {
      names++;
      name = Tables.numberIn(key);
    }

    private void compare(String name, Findings findings) {
      if (user == null) {
        findings.add(name + ": there is no row of it");
        return;
      }
      findings.equal(name, "comments", user.comments(), comments);
      findings.equal(name, "rating", user.rating(), rating);
      findings.equal(name, "names", names, 1);
      findings.equal(name, "name", this.name, user.name());
    }
  }

  private Audit() {}

  /** Reads everything; to be called while nothing else runs. */
  static Audit of(Store store) throws IOException {
    Audit audit = new Audit();
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.scan(Tables.USER, (key, row) -> audit.user(Tables.numberIn(key)).user = User.of(row));
      tx.scan(Tables.USER_OF_NAME, (key, row) -> audit.user((int) Numbers.number(row)).name(key));
      tx.scan(Tables.COMMENT, (key, row) -> audit.user(Tables.ownerIn(key)).comment(row));
      tx.scan(Tables.ITEM, (key, row) -> audit.item(Tables.numberIn(key)).item = Item.of(row));
      tx.scan(
          Tables.CURRENT, (key, row) -> audit.item(Tables.numberIn(key)).current = Current.of(row));
      tx.scan(Tables.BID, (key, row) -> audit.item(Tables.ownerIn(key)).bid(key, row));
      tx.scan(Tables.PURCHASE, (key, row) -> audit.item(Tables.ownerIn(key)).purchase(row));
      tx.scan(
          Tables.ITEM_OF_CATEGORY, (key, row) -> audit.listed(key).category = Tables.groupIn(key));
      tx.scan(Tables.ITEM_OF_REGION, (key, row) -> audit.listed(key).region = Tables.groupIn(key));
    }
    return audit;
  }

  private OfItem item(int number) {
    return items.computeIfAbsent(number, key -> new OfItem());
  }

  private OfUser user(int number) {
    return users.computeIfAbsent(number, key -> new OfUser());
  }

  private OfItem listed(String key) {
    OfItem of = item(Tables.listedIn(key));
    of.lists++;
    return of;
  }

  /** What is in all tables together. */
  Map<Total, Long> totals() {
    Map<Total, Long> all = new EnumMap<>(Total.class);
    for (Total total : Total.values()) {
      all.put(total, 0L);
    }
    for (OfUser of : users.values()) {
      all.merge(Total.USERS, of.user == null ? 0L : 1L, Long::sum);
      all.merge(Total.COMMENTS, (long) of.comments, Long::sum);
      all.merge(Total.RATINGS, (long) of.rating, Long::sum);
    }
    for (OfItem of : items.values()) {
      all.merge(Total.ITEMS, of.item == null ? 0L : 1L, Long::sum);
      all.merge(Total.BIDS, (long) of.bids, Long::sum);
      all.merge(Total.PURCHASES, (long) of.purchases, Long::sum);
      all.merge(Total.PIECES_SOLD, (long) of.pieces, Long::sum);
    }
    return all;
  }

  /** Items that are sold out and have a bid that has reached the price: no serial order has any. */
  long oversold() {
    return items.values().stream()
        .filter(of -> of.item != null && of.current != null)
        .filter(of -> of.item.isSoldOut() && of.current.most() >= of.item.price())
        .count();
  }

  /** What is wrong between the tables. */
  Findings findings() {
    Findings findings = new Findings();
    items.forEach((number, of) -> of.compare("item " + number, findings));
    users.forEach((number, of) -> of.compare("user " + number, findings));
    return findings;
  }
}
