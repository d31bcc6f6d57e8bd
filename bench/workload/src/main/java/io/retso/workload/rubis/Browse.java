package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Rows.Item;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Lists some items of a category or a region, with their current bids. */
final class Browse extends Page {
  private static final int ITEMS = 20;

  private final String table;
  private final int group;
  private final int first;

  /**
   * A page of a list.
   *
   * @param table the list
   * @param group category or region
   * @param first the page begins with this item, or with the next one that is in the list
   */
  Browse(Options options, Journal journal, String table, int group, int first) {
    super(options, journal);
    this.table = table;
    this.group = group;
    this.first = first;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    List<String> keys = new ArrayList<>();
    tx.scan(
        Tables.listedFrom(table, group, first),
        ITEMS,
        (key, value) -> keys.add(Tables.key(Tables.listedIn(key))));
    if (keys.isEmpty()) {
      return true;
    }
    List<byte[]> items = tx.getAll(Tables.ITEM, keys);
    List<byte[]> bids = tx.getAll(Tables.CURRENT, keys);
    for (int i = 0; i < keys.size(); i++) {
      isTorn |= items.get(i) == null || !isListed(Item.of(items.get(i))) || bids.get(i) == null;
    }
    return true;
  }

  private boolean isListed(Item item) {
    return item.isOpen()
        && group == (table.equals(Tables.ITEM_OF_CATEGORY) ? item.category() : item.region());
  }
}
