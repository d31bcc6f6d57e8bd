package io.retso.workload.tpcc;

import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.Customer;
import io.retso.workload.tpcc.Rows.Line;
import io.retso.workload.tpcc.Rows.Order;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Delivers the oldest order of each district of a warehouse; a district without one is left out.
 */
final class Delivery extends Terminal {
  private final int warehouse;
  private final int districts;
  private final int carrier;
  private int delivered;

  Delivery(Options options, Journal journal, int warehouse, int districts, int carrier) {
    super(options, journal);
    this.warehouse = warehouse;
    this.districts = districts;
    this.carrier = carrier;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    for (int number = 1; number <= districts; number++) {
      String district = Tables.key(warehouse, number);
      String[] oldest = {""};
      tx.scan(Range.prefix(Tables.NEW_ORDER, district), 1, (key, value) -> oldest[0] = key);
      if (!oldest[0].isEmpty()) {
        deliver(tx, district, Tables.orderIn(oldest[0]));
        delivered++;
      }
    }
    return true;
  }

  private void deliver(StoreTransaction tx, String district, int number) throws IOException {
    Row row = Tables.order(district, number);
    Order order = Order.of(tx.get(row));
    tx.delete(Tables.newOrder(district, number));
    tx.put(row, new Order(order.customer(), order.lines(), carrier).bytes());
    Row customer = Tables.customer(district, order.customer());
    tx.delete(Tables.newOrderOf(customer, number));
    Map<Row, Line> lines = new LinkedHashMap<>();
    tx.scan(
        Tables.lines(district, number),
        StoreTransaction.NO_LIMIT,
        (key, value) -> lines.put(new Row(Tables.LINE, key), Line.of(value)));
    long sum = 0;
    for (Map.Entry<Row, Line> entry : lines.entrySet()) {
      Line line = entry.getValue();
      sum += line.amount();
      tx.put(
          entry.getKey(),
          new Line(line.item(), line.supplier(), line.quantity(), line.amount(), true).bytes());
    }
    tx.put(customer, Customer.of(tx.get(customer)).withDelivery(sum).bytes());
  }

  @Override
  public void committed() {
    journal.deliveries.add(delivered);
  }
}
