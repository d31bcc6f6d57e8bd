package io.retso.workload.tpcc;

/** The programs, and their shares in the standard mix. */
public enum Kind {
  /** A customer orders some items. */
  NEW_ORDER("NewOrder", 41, false),
  /** A customer pays. */
  PAYMENT("Payment", 43, false),
  /** Compares what a customer owes, orders on their way included, with the limit. */
  CREDIT_CHECK("CreditCheck", 4, false),
  /** Delivers the oldest order of each district. */
  DELIVERY("Delivery", 4, false),
  /** Shows a customer's last order. */
  ORDER_STATUS("OrderStatus", 4, true),
  /** Counts which of the items ordered last are nearly out of stock. */
  STOCK_LEVEL("StockLevel", 4, true);

  private final String label;
  private final int percent;
  private final boolean readOnly;

  Kind(String label, int percent, boolean readOnly) {
    this.label = label;
    this.percent = percent;
    this.readOnly = readOnly;
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
