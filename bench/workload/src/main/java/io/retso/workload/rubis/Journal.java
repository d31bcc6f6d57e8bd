package io.retso.workload.rubis;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * What committed programs have done, to be compared with what is in the tables; and which auctions
 * are shown to bidders, as many all the time. Thread-safe, but for {@link #begin}.
 */
final class Journal {
  /** What is counted in all tables together, and of all committed programs. */
  enum Total {
    USERS,
    ITEMS,
    BIDS,
    PURCHASES,
    PIECES_SOLD,
    COMMENTS,
    RATINGS;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Pages on which not all was as it is in one snapshot. */
  final LongAdder torn = new LongAdder();

  private final Map<Total, LongAdder> done = new EnumMap<>(Total.class);
  private final AtomicInteger users = new AtomicInteger();
  private final AtomicInteger items = new AtomicInteger();
  private final AtomicIntegerArray shown;

  /** Places of auctions that are sold out. */
  private final Queue<Integer> free = new ConcurrentLinkedQueue<>();

  /** What was there before all programs. */
  private Map<Total, Long> start = Map.of();

  /** Items that a check has found with a bid that a sold one cannot have. */
  private long oversold;

  Journal(Scale scale) {
    shown = new AtomicIntegerArray(scale.active());
  }

  /** Begins anew, from tables that were just filled. */
  void begin(Scale scale, Map<Total, Long> found) {
    for (Total total : Total.values()) {
      done.put(total, new LongAdder());
    }
    start = found;
    torn.reset();
    oversold = 0;
    free.clear();
    users.set(scale.users());
    items.set(scale.items());
    for (int place = 0; place < shown.length(); place++) {
      shown.set(place, scale.closed() + 1 + place);
    }
  }

  void add(Total total, int count) {
    done.get(total).add(count);
  }

  /** What is to be in the tables now. */
  long expected(Total total) {
    return start.get(total) + done.get(total).sum();
  }

  /** A number that no user has. */
  int nextUser() {
    return users.incrementAndGet();
  }

  /** A number that no item has. */
  int nextItem() {
    return items.incrementAndGet();
  }

  /** A place among the auctions that are shown. */
  int place(SplittableRandom random) {
    return random.nextInt(shown.length());
  }

  /** The item that is shown at a place. */
  int itemAt(int place) {
    return shown.get(place);
  }

  /** Shows a new item, instead of one that is sold out or else of the one at this place. */
  void show(int item, int place) {
    Integer sold = free.poll();
    shown.set(sold == null ? place : sold, item);
  }

  /** An item that was shown at a place is sold out. */
  void soldOut(int place, int item) {
    if (shown.get(place) == item) {
      free.add(place);
    }
  }

  /**
   * Takes down how many items have a bid that a sold one cannot have.
   *
   * @return how many were not known
   */
  synchronized long newlyOversold(long found) {
    long more = found - oversold;
    oversold = found;
    return more;
  }
}
