package io.retso.workload.tpcc;

import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.Order;
import java.io.IOException;

/** Reads a customer, and the last order with its lines. */
final class OrderStatus extends Terminal {
  private final String district;
  private final int customer;
  private boolean isTorn;

  OrderStatus(Options options, Journal journal, String district, int customer) {
    super(options, journal);
    this.district = district;
    this.customer = customer;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    Row row = Tables.customer(district, customer);
    tx.get(row);
    int[] last = {0};
    tx.scan(
        Range.prefix(Tables.ORDER_OF_CUSTOMER, row.key()),
        1,
        (key, value) -> last[0] = Tables.orderIn(row, key));
    byte[] order = tx.get(Tables.order(district, last[0]));
    int[] lines = {0};
    tx.scan(Tables.lines(district, last[0]), StoreTransaction.NO_LIMIT, (key, value) -> lines[0]++);
    isTorn = order == null || lines[0] != Order.of(order).lines();
    return true;
  }

  @Override
  public void committed() {
    journal.torn.add(isTorn ? 1 : 0);
  }
}
