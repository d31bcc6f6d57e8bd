package io.retso.workload.tpcc;

/**
 * How many rows there are.
 *
 * @param warehouses 1 or more
 * @param districts of a warehouse
 * @param customers of a district, each of which has one order at first
 * @param items which every warehouse has in stock
 */
public record Scale(int warehouses, int districts, int customers, int items) {
  /** Lines of the longest order: its items are different. */
  static final int LINES_MAX = 15;

  private static final int DISTRICTS = 10;
  private static final int CUSTOMERS = 3000;
  private static final int ITEMS = 100_000;
  private static final int KEYED_MAX = 99;

  /** Checks what is asked for. */
  public Scale {
    if (warehouses < 1 || warehouses > KEYED_MAX || districts < 1 || districts > KEYED_MAX) {
      throw new IllegalArgumentException(
          "1 to 99 warehouses with 1 to 99 districts, not " + warehouses + " with " + districts);
    }
    if (customers < 1 || customers > CUSTOMERS || items < 2 * LINES_MAX || items > ITEMS) {
      throw new IllegalArgumentException(
          "1 to 3,000 customers and 30 to 100,000 items, not " + customers + " and " + items);
    }
  }

  /**
   * TPC-C's, divided.
   *
   * @param divisor of customers and items of a warehouse; 1 for all of them, 1,000 at most
   */
  public static Scale of(int warehouses, int divisor) {
    return new Scale(warehouses, DISTRICTS, CUSTOMERS / divisor, ITEMS / divisor);
  }

  /** Orders of a district at first that are delivered; the others are not. */
  int delivered() {
    return customers - (customers * 3 + 9) / 10;
  }
}
