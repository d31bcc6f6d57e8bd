package io.retso.workload.rubis;

import java.util.SplittableRandom;

/** The programs, and their shares in the bidding mix: 85 % only read. */
public enum Kind {
  /** Lists some items of a category with their current bids. */
  BROWSE_CATEGORY("BrowseCategory", 25, true),
  /** Lists some items of a region with their current bids. */
  BROWSE_REGION("BrowseRegion", 15, true),
  /** Shows an item, its current bid and its seller. */
  VIEW_ITEM("ViewItem", 25, true),
  /** Shows all bids of an item with their bidders. */
  BID_HISTORY("BidHistory", 10, true),
  /** Shows a user, and all comments on it. */
  VIEW_USER("ViewUser", 10, true),
  /** Bids more than the current bid of an item that is not sold. */
  BID("Bid", 8, false),
  /** Buys some pieces at the price of the seller, if no bid has reached it. */
  BUY_NOW("BuyNow", 2, false),
  /** Comments on a user, and rates it. */
  COMMENT("Comment", 2, false),
  /** Offers another item. */
  REGISTER_ITEM("RegisterItem", 2, false),
  /** Adds a user whose name none has. */
  REGISTER_USER("RegisterUser", 1, false);

  private static final int PERCENT = 100;

  private final String label;
  private final int percent;
  private final boolean readOnly;

  Kind(String label, int percent, boolean readOnly) {
    this.label = label;
    this.percent = percent;
    this.readOnly = readOnly;
  }

  /** One of them, as often as the mix says. */
  static Kind any(SplittableRandom random) {
    int left = random.nextInt(PERCENT);
    for (Kind kind : values()) {
      left -= kind.percent;
      if (left < 0) {
        return kind;
      }
    }
    throw new AssertionError("shares add up to less than 100 %");
  }

  /** Its name. */
  public String label() {
    return label;
  }

  int percent() {
    return percent;
  }

  /** Whether it changes nothing. */
  public boolean isReadOnly() {
    return readOnly;
  }
}
