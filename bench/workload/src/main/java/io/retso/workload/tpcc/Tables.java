package io.retso.workload.tpcc;

import static io.retso.workload.Keys.counted;
import static io.retso.workload.Keys.countedIn;
import static io.retso.workload.Keys.digits;

import io.retso.workload.Range;
import io.retso.workload.Row;
import java.util.List;

/** The tables, and the form of their keys: numbers, the warehouse's first. */
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

  /** More orders than a district will have. */
  private static final int ORDERS = 9_999_999;

  private static final int ORDER_DIGITS = 7;

  private Tables() {}

  static String key(int warehouse, int district) {
    return digits(warehouse, 2) + digits(district, 2);
  }

  static Row district(String district) {
    return new Row(DISTRICT, district);
  }

  static Row customer(String district, int customer) {
    return new Row(CUSTOMER, district + counted(customer));
  }

  static String stock(int warehouse, int item) {
    return digits(warehouse, 2) + counted(item);
  }

  static Row order(String district, int order) {
    return new Row(ORDER, district + counted(order));
  }

  static Row newOrder(String district, int order) {
    return new Row(NEW_ORDER, district + counted(order));
  }

  static Row line(String district, int order, int line) {
    return new Row(LINE, district + counted(order) + digits(line, 2));
  }

  static Row orderOf(Row customer, int order) {
    return new Row(ORDER_OF_CUSTOMER, customer.key() + digits(ORDERS - order, ORDER_DIGITS));
  }

  static Row newOrderOf(Row customer, int order) {
    return new Row(NEW_ORDER_OF_CUSTOMER, customer.key() + counted(order));
  }

  static Row payment(Row customer, long number) {
    return new Row(HISTORY, customer.key().substring(0, OF_DISTRICT) + counted(number));
  }

  /** The number of an order, or of a new one, by its key. */
  static int orderIn(String key) {
    return countedIn(key, OF_DISTRICT);
  }

  /** The number of a customer's new order, by its key. */
  static int newOrderIn(Row customer, String key) {
    return countedIn(key, customer.key().length());
  }

  /** The number of a customer's order, by its key. */
  static int orderIn(Row customer, String key) {
    return ORDERS - Integer.parseInt(key.substring(customer.key().length()));
  }

  /** The number of a payment, by its key. */
  static long paymentIn(String key) {
    return countedIn(key, OF_DISTRICT);
  }

  static Range lines(String district, int order) {
    return Range.prefix(LINE, district + counted(order));
  }

  /** Lines of the orders from one up to another one, which is not among them. */
  static Range lines(String district, int from, int to) {
    return new Range(LINE, district + counted(from), district + counted(to));
  }
}
