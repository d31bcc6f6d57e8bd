package io.retso.workload.tpcc;

import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.Customer;
import java.io.IOException;

/** Takes money from a customer, and writes it down in the history. */
final class Payment extends Terminal {
  private final Row customer;
  private final int amount;

  Payment(Options options, Journal journal, Row customer, int amount) {
    super(options, journal);
    this.customer = customer;
    this.amount = amount;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    tx.put(customer, Customer.of(tx.get(customer)).withPayment(amount).bytes());
    tx.insert(Tables.payment(customer, journal.nextPayment()), Numbers.bytes(amount));
    return true;
  }

  @Override
  public void committed() {
    journal.payments.increment();
    journal.paid.add(amount);
  }
}
