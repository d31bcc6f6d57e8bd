package io.retso.workload.rubis;

import io.retso.workload.Numbers;
import java.nio.ByteBuffer;

/** What is in the rows of each table: numbers, of eight bytes each. */
final class Rows {
  private Rows() {}

  private static int next(ByteBuffer in) {
    return (int) in.getLong();
  }

  /**
   * A user.
   *
   * @param rating sum of those of all comments
   */
  record User(int name, int region, int rating, int comments) {
    static User of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new User(next(in), next(in), next(in), next(in));
    }

    byte[] bytes() {
      return Numbers.bytes(name, region, rating, comments);
    }

    User withComment(int rated) {
      return new User(name, region, rating + rated, comments + 1);
    }
  }

  /**
   * An item.
   *
   * @param region that of the seller
   * @param start the first bid is above it
   * @param price of a piece for those who do not bid
   * @param quantity pieces at first
   * @param left those that are not sold
   * @param purchases how often some were bought
   * @param closed whether the auction was over at first
   */
  record Item(
      int seller,
      int category,
      int region,
      int start,
      int price,
      int quantity,
      int left,
      int purchases,
      boolean closed) {
    static Item of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Item(
          next(in),
          next(in),
          next(in),
          next(in),
          next(in),
          next(in),
          next(in),
          next(in),
          next(in) != 0);
    }

    byte[] bytes() {
      return Numbers.bytes(
          seller, category, region, start, price, quantity, left, purchases, closed ? 1 : 0);
    }

    boolean isOpen() {
      return !closed && left > 0;
    }

    boolean isSoldOut() {
      return left == 0;
    }

    Item without(int pieces) {
      return new Item(
          seller, category, region, start, price, quantity, left - pieces, purchases + 1, closed);
    }

    Item in(int other) {
      return new Item(seller, category, other, start, price, quantity, left, purchases, closed);
    }
  }

  /**
   * The current bid of an item.
   *
   * @param bids how many there were
   * @param most the highest one, or where bids start
   */
  record Current(int bids, int most) {
    /** With a bid that is higher by so much. */
    Current plus(int raise) {
      return new Current(bids + 1, most + raise);
    }

    static Current of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Current(next(in), next(in));
    }

    byte[] bytes() {
      return Numbers.bytes(bids, most);
    }
  }

  /** What a user bids. */
  record Bid(int bidder, int amount) {
    static Bid of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Bid(next(in), next(in));
    }

    byte[] bytes() {
      return Numbers.bytes(bidder, amount);
    }
  }

  /** What a user buys. */
  record Purchase(int buyer, int pieces) {
    static Purchase of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Purchase(next(in), next(in));
    }

    byte[] bytes() {
      return Numbers.bytes(buyer, pieces);
    }
  }

  /** What a user says about another one, or itself. */
  record Comment(int author, int rating) {
    static Comment of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Comment(next(in), next(in));
    }

    byte[] bytes() {
      return Numbers.bytes(author, rating);
    }
  }
}
