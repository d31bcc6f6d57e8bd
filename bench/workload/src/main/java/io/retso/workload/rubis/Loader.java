package io.retso.workload.rubis;

import io.retso.workload.Numbers;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.rubis.Rows.Bid;
import io.retso.workload.rubis.Rows.Comment;
import io.retso.workload.rubis.Rows.Current;
import io.retso.workload.rubis.Rows.Item;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Fills tables that are empty. */
final class Loader {
  private static final int BIDS_MAX = 4;
  private static final int COMMENTS_MAX = 2;

  /** Users, or items, that are in memory at a time. */
  private static final int AT_ONCE = 20_000;

  private final Scale scale;
  private final Inputs inputs;
  private final SplittableRandom random;
  private final int[] regions;
  private final Map<Row, byte[]> rows = new LinkedHashMap<>();

  Loader(Scale scale, Inputs inputs, long seed) {
    this.scale = scale;
    this.inputs = inputs;
    this.random = new SplittableRandom(seed);
    this.regions = new int[scale.users() + 1];
  }

  void fill(Store store) throws IOException {
    for (int user = 1; user <= scale.users(); user++) {
      user(user);
      fill(store, user, scale.users());
    }
    for (int item = 1; item <= scale.items(); item++) {
      item(item);
      fill(store, item, scale.items());
    }
  }

  private void fill(Store store, int done, int all) throws IOException {
    if (done % AT_ONCE == 0 || done == all) {
      store.fill(rows);
      rows.clear();
    }
  }

  /** The numbers of the first users are their names. */
  private void user(int number) {
    regions[number] = inputs.region(random);
    User user = new User(number, regions[number], 0, 0);
    int comments = random.nextInt(COMMENTS_MAX + 1);
    for (int i = 0; i < comments; i++) {
      int rating = inputs.rating(random);
      user = user.withComment(rating);
      rows.put(
          Tables.of(Tables.COMMENT, number, user.comments()),
          new Comment(inputs.user(random), rating).bytes());
    }
    rows.put(Tables.user(number), user.bytes());
    rows.put(Tables.userOf(number), Numbers.bytes(number));
  }

  private void item(int number) {
    Item offered = inputs.offer(random, number <= scale.closed());
    Item item = offered.in(regions[offered.seller()]);
    Current current = new Current(0, item.start());
    int bids = random.nextInt(BIDS_MAX + 1);
    for (int i = 0; i < bids; i++) {
      current = current.plus(inputs.raise(random));
      rows.put(
          Tables.of(Tables.BID, number, current.bids()),
          new Bid(inputs.user(random), current.most()).bytes());
    }
    rows.put(Tables.item(number), item.bytes());
    rows.put(Tables.current(number), current.bytes());
    if (item.isOpen()) {
      Tables.lists(item, number).forEach(row -> rows.put(row, Numbers.bytes(number)));
    }
  }
}
