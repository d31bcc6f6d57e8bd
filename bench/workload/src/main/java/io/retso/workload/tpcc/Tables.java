package io.retso.workload.tpcc;

import io.retso.workload.Range;
import io.retso.workload.Row;
import java.util.List;

/** The tables, and the form of their keys: numbers of equal length, the warehouse's first. */
final class Tables {
  static final String DISTRICT = "tpcc_district";
  static final String CUSTOMER = "tpcc_customer";
  static final String STOCK = "tpcc_stock";
  static final String ORDER = "tpcc_orders";
  static final String LINE = "tpcc_order_line";
  static final String NEW_ORDER = "tpcc_new_order";
  static final String HISTORY = "tpcc_history";

  /** Orders of a customer, the last one first. */
  static final String ORDER_OF_CUSTOMER = "tpcc_order_of_customer";

  /** Orders of a customer that are not delivered. */
  static final String NEW_ORDER_OF_CUSTOMER = "tpcc_new_order_of_customer";

  static final List<String> ALL =
      List.of(
          DISTRICT,
          CUSTOMER,
          STOCK,
          ORDER,
          LINE,
          NEW_ORDER,
          HISTORY,
          ORDER_OF_CUSTOMER,
          NEW_ORDER_OF_CUSTOMER);

  /** Bytes of a key that name a district. */
  static final int OF_DISTRICT = 4;

  private static final int CUSTOMER_DIGITS = 4;
  private static final int ORDER_DIGITS = 8;
  private static final int ITEM_DIGITS = 6;
  private static final int PAYMENT_DIGITS = 10;
  private static final int ORDERS = 99_999_999;

  private Tables() {}

  private static String digits(long number, int digits) {
    String shown = Long.toString(number);
    return "0".repeat(digits - shown.length()) + shown;
  }

  static String key(int warehouse, int district) {
    return digits(warehouse, 2) + digits(district, 2);
  }

  static Row district(String district) {
    return new Row(DISTRICT, district);
  }

  static Row customer(String district, int customer) {
    return new Row(CUSTOMER, district + digits(customer, CUSTOMER_DIGITS));
  }

  static String stock(int warehouse, int item) {
    return digits(warehouse, 2) + digits(item, ITEM_DIGITS);
  }

  static Row order(String district, int order) {
    return new Row(ORDER, district + digits(order, ORDER_DIGITS));
  }

  static Row newOrder(String district, int order) {
    return new Row(NEW_ORDER, district + digits(order, ORDER_DIGITS));
  }

  static Row line(String district, int order, int line) {
    return new Row(LINE, district + digits(order, ORDER_DIGITS) + digits(line, 2));
  }

  static Row orderOf(Row customer, int order) {
    return new Row(ORDER_OF_CUSTOMER, customer.key() + digits(ORDERS - order, ORDER_DIGITS));
  }

  static Row newOrderOf(Row customer, int order) {
    return new Row(NEW_ORDER_OF_CUSTOMER, customer.key() + digits(order, ORDER_DIGITS));
  }

  static Row payment(Row customer, long number) {
    return new Row(HISTORY, customer.key().substring(0, OF_DISTRICT) + payment(number));
  }

  private static String payment(long number) {
    return digits(number, PAYMENT_DIGITS);
  }

  /** The number at the end of the key of an order, of a new one, or of a customer's new one. */
  static int orderIn(String key) {
    return Integer.parseInt(key.substring(key.length() - ORDER_DIGITS));
  }

  /** The number at the end of the key of a customer's order. */
  static int lastOrderIn(String key) {
    return ORDERS - orderIn(key);
  }

  /** The number at the end of the key of a payment. */
  static long paymentIn(String key) {
    return Long.parseLong(key.substring(OF_DISTRICT));
  }

  static Range lines(String district, int order) {
    return Range.prefix(LINE, district + digits(order, ORDER_DIGITS));
  }

  /** Lines of the orders from one up to another one, which is not among them. */
  static Range lines(String district, int from, int to) {
    return new Range(
        LINE, district + digits(from, ORDER_DIGITS), district + digits(to, ORDER_DIGITS));
  }
}
