package io.retso.workload.rubis;

/**
 * How many rows there are at first.
 *
 * @param active auctions that go on; as many are shown to bidders all the time
 * @param closed auctions that are over
 * @param users that sell, bid and buy
 * @param categories of items
 * @param regions of users
 */
public record Scale(int active, int closed, int users, int categories, int regions) {
  /** Most categories, and regions. */
  static final int GROUPS_MAX = 99;

  private static final int ACTIVE = 225_000;
  private static final int CLOSED = 1_000_000;
  private static final int USERS = 1_350_000;
  private static final int CATEGORIES = 20;
  private static final int REGIONS = 62;

  /** Checks what is asked for. */
  public Scale {
    if (active < 1 || active > ACTIVE || closed < 1 || closed > CLOSED) {
      throw new IllegalArgumentException(
          "1 to 225,000 active and 1 to 1,000,000 closed auctions, not "
              + active
              + " and "
              + closed);
    }
    if (users < 2 || users > USERS) {
      throw new IllegalArgumentException("2 to 1,350,000 users, not " + users);
    }
    if (categories < 1 || categories > GROUPS_MAX || regions < 1 || regions > GROUPS_MAX) {
      throw new IllegalArgumentException(
          "1 to 99 categories and regions, not " + categories + " and " + regions);
    }
  }

  /**
   * The paper's, divided; categories and regions are RUBiS's.
   *
   * @param divisor of auctions and users; 1 for all of them, 10,000 at most
   */
  public static Scale of(int divisor) {
    return new Scale(ACTIVE / divisor, CLOSED / divisor, USERS / divisor, CATEGORIES, REGIONS);
  }

  /** All auctions that there are at first, closed ones before the others. */
  int items() {
    return closed + active;
  }
}
