package io.retso.workload.tpcc;

import io.retso.workload.Numbers;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.tpcc.Rows.Customer;
import io.retso.workload.tpcc.Rows.District;
import io.retso.workload.tpcc.Rows.Line;
import io.retso.workload.tpcc.Rows.Order;
import io.retso.workload.tpcc.Rows.Stock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/** Fills tables that are empty, as TPC-C says, one district at a time. */
final class Loader {
  private static final long LIMIT = 5_000_000;
  private static final long FIRST_PAYMENT = 1000;
  private static final int BAD_CREDIT_PERCENT = 10;
  private static final int PERCENT = 100;
  private static final int QUANTITY_MIN = 10;
  private static final int QUANTITY_MAX = 100;

  private final Scale scale;
  private final Inputs inputs;
  private final SplittableRandom random;

  /** So far: each has a number of its own. */
  private long payments;

  Loader(Scale scale, Inputs inputs, long seed) {
    this.scale = scale;
    this.inputs = inputs;
    this.random = new SplittableRandom(seed);
  }

  void fill(Store store) throws IOException {
    for (int warehouse = 1; warehouse <= scale.warehouses(); warehouse++) {
      store.fill(stocks(warehouse));
      for (int district = 1; district <= scale.districts(); district++) {
        store.fill(district(warehouse, Tables.key(warehouse, district)));
      }
    }
  }

  private Map<Row, byte[]> stocks(int warehouse) {
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    for (int item = 0; item < scale.items(); item++) {
      rows.put(
          new Row(Tables.STOCK, Tables.stock(warehouse, item)),
          new Stock(random.nextInt(QUANTITY_MIN, QUANTITY_MAX + 1), 0, 0, 0).bytes());
    }
    return rows;
  }

  /** Its row comes last: with it all is there. */
  private Map<Row, byte[]> district(int warehouse, String district) {
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    List<Integer> customers = new ArrayList<>();
    for (int customer = 1; customer <= scale.customers(); customer++) {
      customers.add(customer);
      Row row = Tables.customer(district, customer);
      boolean good = random.nextInt(PERCENT) >= BAD_CREDIT_PERCENT;
      rows.put(row, new Customer(good, LIMIT, -FIRST_PAYMENT, FIRST_PAYMENT, 1, 0).bytes());
      rows.put(Tables.payment(row, ++payments), Numbers.bytes(FIRST_PAYMENT));
    }
    Collections.shuffle(customers, new Random(random.nextLong()));
    for (int number = 1; number <= customers.size(); number++) {
      order(warehouse, district, number, customers.get(number - 1), rows);
    }
    rows.put(Tables.district(district), new District(customers.size() + 1).bytes());
    return rows;
  }

  /** Lines of the first orders, which are delivered, cost nothing. */
  private void order(
      int warehouse, String district, int number, int customer, Map<Row, byte[]> rows) {
    boolean delivered = number <= scale.delivered();
    List<Inputs.Wanted> lines =
        inputs.lines(warehouse, random).stream()
            .filter(line -> line.item() < scale.items())
            .toList();
    Row of = Tables.customer(district, customer);
    rows.put(
        Tables.order(district, number),
        new Order(customer, lines.size(), delivered ? inputs.carrier(random) : 0).bytes());
    rows.put(Tables.orderOf(of, number), Numbers.bytes(number));
    if (!delivered) {
      rows.put(Tables.newOrder(district, number), Numbers.bytes(customer));
      rows.put(Tables.newOrderOf(of, number), Numbers.bytes(number));
    }
    for (int i = 0; i < lines.size(); i++) {
      Inputs.Wanted line = lines.get(i);
      long amount = delivered ? 0 : (long) line.quantity() * inputs.price(line.item());
      rows.put(
          Tables.line(district, number, i + 1),
          new Line(line.item(), line.supplier(), line.quantity(), amount, delivered).bytes());
    }
  }
}
