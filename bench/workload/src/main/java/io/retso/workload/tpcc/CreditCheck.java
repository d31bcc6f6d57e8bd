package io.retso.workload.tpcc;

import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.Customer;
import io.retso.workload.tpcc.Rows.Line;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Says whether a customer has credit: what is owed and what the orders cost that are not delivered
 * is together no more than the limit.
 *
 * <p>It reads orders that NewOrder makes, and writes the credit that NewOrder reads: two that do
 * not see each other are write skew.
 */
final class CreditCheck extends Terminal {
  private final String district;
  private final int customer;

  CreditCheck(Options options, Journal journal, String district, int customer) {
    super(options, journal);
    this.district = district;
    this.customer = customer;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    Row row = Tables.customer(district, customer);
    Customer found = Customer.of(tx.get(row));
    List<Integer> orders = new ArrayList<>();
    tx.scan(
        Range.prefix(Tables.NEW_ORDER_OF_CUSTOMER, row.key()),
        StoreTransaction.NO_LIMIT,
        (key, value) -> orders.add(Tables.newOrderIn(row, key)));
    long[] owed = {found.balance()};
    for (int order : orders) {
      tx.scan(
          Tables.lines(district, order),
          StoreTransaction.NO_LIMIT,
          (key, value) -> owed[0] += Line.of(value).amount());
    }
    tx.put(row, found.withCredit(owed[0] <= found.limit()).bytes());
    return true;
  }
}
