package io.retso.workload.tpcc;

import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Inputs.Wanted;
import io.retso.workload.tpcc.Rows.Customer;
import io.retso.workload.tpcc.Rows.District;
import io.retso.workload.tpcc.Rows.Line;
import io.retso.workload.tpcc.Rows.Order;
import io.retso.workload.tpcc.Rows.Stock;
import java.io.IOException;
import java.util.List;

/** Takes an order, with the next number of its district, and its items out of stock. */
final class NewOrder extends Terminal {
  private final Inputs inputs;
  private final String district;
  private final int warehouse;
  private final int customer;
  private final List<Wanted> wanted;

  /** What the terminal shows. */
  private boolean goodCredit;

  NewOrder(
      Options options,
      Journal journal,
      Inputs inputs,
      int warehouse,
      String district,
      int customer,
      List<Wanted> wanted) {
    super(options, journal);
    this.inputs = inputs;
    this.warehouse = warehouse;
    this.district = district;
    this.customer = customer;
    this.wanted = wanted;
  }

  /** Whether the customer had credit. */
  boolean hasGoodCredit() {
    return goodCredit;
  }

  /** An item that does not exist takes it back. */
  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    Row of = Tables.customer(district, customer);
    goodCredit = Customer.of(tx.get(of)).goodCredit();
    Row counter = Tables.district(district);
    int number = District.of(tx.get(counter)).nextOrder();
    tx.put(counter, new District(number + 1).bytes());
    tx.insert(Tables.order(district, number), new Order(customer, wanted.size(), 0).bytes());
    tx.insert(Tables.newOrder(district, number), Numbers.bytes(customer));
    tx.insert(Tables.orderOf(of, number), Numbers.bytes(number));
    tx.insert(Tables.newOrderOf(of, number), Numbers.bytes(number));
    List<String> keys =
        wanted.stream().map(line -> Tables.stock(line.supplier(), line.item())).toList();
    List<byte[]> stocks = tx.getAll(Tables.STOCK, keys);
    for (int i = 0; i < wanted.size(); i++) {
      Wanted line = wanted.get(i);
      if (stocks.get(i) == null) {
        return false;
      }
      Stock left = Stock.of(stocks.get(i)).without(line.quantity(), line.supplier() != warehouse);
      tx.put(new Row(Tables.STOCK, keys.get(i)), left.bytes());
      long amount = (long) line.quantity() * inputs.price(line.item());
      tx.insert(
          Tables.line(district, number, i + 1),
          new Line(line.item(), line.supplier(), line.quantity(), amount, false).bytes());
    }
    return true;
  }

  @Override
  public void committed() {
    journal.orders.increment();
    journal.lines.add(wanted.size());
    wanted.forEach(line -> journal.pieces.add(line.quantity()));
  }
}
