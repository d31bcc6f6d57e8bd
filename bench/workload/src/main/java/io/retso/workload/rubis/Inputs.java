package io.retso.workload.rubis;

import io.retso.workload.rubis.Rows.Item;
import java.util.SplittableRandom;

/** Chooses what the programs are about. Thread-safe. */
final class Inputs {
  private static final int PERCENT = 100;
  private static final int CLOSED_PERCENT = 20;
  private static final int START_MIN = 100;
  private static final int START_MAX = 1000;
  private static final int PRICE_ABOVE_MIN = 50;
  private static final int PRICE_ABOVE_MAX = 500;
  private static final int RAISE_MAX = 20;
  private static final int QUANTITY_MAX = 3;
  private static final int RATING_MAX = 5;

  /** So many names there are for each user of the beginning. */
  private static final int NAMES_OF_USER = 50;

  private final Scale scale;

  Inputs(Scale scale) {
    this.scale = scale;
  }

  private static int between(SplittableRandom random, int least, int most) {
    return random.nextInt(least, most + 1);
  }

  int user(SplittableRandom random) {
    return between(random, 1, scale.users());
  }

  int region(SplittableRandom random) {
    return random.nextInt(scale.regions());
  }

  int category(SplittableRandom random) {
    return random.nextInt(scale.categories());
  }

  /** A name, which a user of the beginning may have. */
  int name(SplittableRandom random) {
    return between(random, 1, NAMES_OF_USER * scale.users());
  }

  /** An item to look at: one that is shown, or one that was closed at first. */
  int seen(SplittableRandom random, Journal journal) {
    return random.nextInt(PERCENT) < CLOSED_PERCENT
        ? between(random, 1, scale.closed())
        : journal.itemAt(journal.place(random));
  }

  int rating(SplittableRandom random) {
    return between(random, -RATING_MAX, RATING_MAX);
  }

  int raise(SplittableRandom random) {
    return between(random, 1, RAISE_MAX);
  }

  int wanted(SplittableRandom random) {
    return between(random, 1, QUANTITY_MAX);
  }

  /** An item whose region is that of its seller, which is not known here. */
  Item offer(SplittableRandom random, boolean closed) {
    int start = between(random, START_MIN, START_MAX);
    int quantity = between(random, 1, QUANTITY_MAX);
    return new Item(
        user(random),
        category(random),
        0,
        start,
        start + between(random, PRICE_ABOVE_MIN, PRICE_ABOVE_MAX),
        quantity,
        quantity,
        0,
        closed);
  }
}
