package io.retso.workload.tpcc;

import io.retso.workload.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Chooses what the programs are about, as TPC-C says. Thread-safe. */
final class Inputs {
  private static final int PERCENT = 100;
  private static final int LINES_MIN = 5;
  private static final int QUANTITY_MAX = 10;
  private static final int REMOTE_CUSTOMER_PERCENT = 15;
  private static final int PAYMENT_MIN = 100;
  private static final int PAYMENT_MAX = 500_000;
  private static final int PRICE_MIN = 100;
  private static final int PRICE_MAX = 10_000;
  private static final int CARRIERS = 10;
  private static final int THRESHOLD_MIN = 10;
  private static final int THRESHOLD_MAX = 20;

  private final Scale scale;
  private final int[] prices;
  private final int customerMask;
  private final int customerShift;
  private final int itemMask;
  private final int itemShift;

  /** A line that is ordered; an item beyond the last one does not exist. */
  record Wanted(int item, int supplier, int quantity) {}

  Inputs(Scale scale, long seed) {
    this.scale = scale;
    SplittableRandom random = new SplittableRandom(seed);
    prices = new int[scale.items()];
    for (int item = 0; item < prices.length; item++) {
      prices[item] = between(random, PRICE_MIN, PRICE_MAX);
    }
    // TPC-C has 1,023 for its 3,000 customers, and 8,191 for its 100,000 items.
    customerMask = Integer.highestOneBit(Math.max(2, scale.customers() / 2)) - 1;
    itemMask = Integer.highestOneBit(Math.max(2, scale.items() / 12)) - 1;
    customerShift = random.nextInt(customerMask + 1);
    itemShift = random.nextInt(itemMask + 1);
  }

  private static int between(SplittableRandom random, int least, int most) {
    return random.nextInt(least, most + 1);
  }

  private static boolean happens(int percent, SplittableRandom random) {
    return random.nextInt(PERCENT) < percent;
  }

  /** Some numbers far more often than others. */
  private static int skewed(SplittableRandom random, int mask, int shift, int count) {
    return ((random.nextInt(mask + 1) | random.nextInt(count)) + shift) % count;
  }

  int warehouse(SplittableRandom random) {
    return 1 + random.nextInt(scale.warehouses());
  }

  private int other(int warehouse, SplittableRandom random) {
    int other = 1 + random.nextInt(scale.warehouses() - 1);
    return other < warehouse ? other : other + 1;
  }

  String district(int warehouse, SplittableRandom random) {
    return Tables.key(warehouse, 1 + random.nextInt(scale.districts()));
  }

  int customer(SplittableRandom random) {
    return 1 + skewed(random, customerMask, customerShift, scale.customers());
  }

  /** Some customers pay in another warehouse than their own. */
  Row payer(SplittableRandom random) {
    int warehouse = warehouse(random);
    boolean isRemote = scale.warehouses() > 1 && happens(REMOTE_CUSTOMER_PERCENT, random);
    int own = isRemote ? other(warehouse, random) : warehouse;
    return Tables.customer(district(own, random), customer(random));
  }

  int payment(SplittableRandom random) {
    return between(random, PAYMENT_MIN, PAYMENT_MAX);
  }

  int carrier(SplittableRandom random) {
    return between(random, 1, CARRIERS);
  }

  int threshold(SplittableRandom random) {
    return between(random, THRESHOLD_MIN, THRESHOLD_MAX);
  }

  /** Different items in their order; one of a hundred orders ends with one that does not exist. */
  List<Wanted> lines(int warehouse, SplittableRandom random) {
    int count = between(random, LINES_MIN, Scale.LINES_MAX);
    TreeSet<Integer> items = new TreeSet<>();
    if (happens(1, random)) {
      items.add(scale.items());
    }
    while (items.size() < count) {
      items.add(skewed(random, itemMask, itemShift, scale.items()));
    }
    List<Wanted> lines = new ArrayList<>(count);
    for (int item : items) {
      boolean isRemote = scale.warehouses() > 1 && happens(1, random);
      lines.add(
          new Wanted(
              item,
              isRemote ? other(warehouse, random) : warehouse,
              between(random, 1, QUANTITY_MAX)));
    }
    return lines;
  }

  int price(int item) {
    return prices[item];
  }
}
