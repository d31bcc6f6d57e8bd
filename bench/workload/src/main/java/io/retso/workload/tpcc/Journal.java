package io.retso.workload.tpcc;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What committed programs have done, to be compared with what is in the tables. Thread-safe. */
final class Journal {
  final LongAdder orders = new LongAdder();
  final LongAdder lines = new LongAdder();
  final LongAdder pieces = new LongAdder();
  final LongAdder payments = new LongAdder();
  final LongAdder paid = new LongAdder();
  final LongAdder deliveries = new LongAdder();

  /** Orders that were read with another number of lines than they have. */
  final LongAdder torn = new LongAdder();

  private final AtomicLong paymentNumbers = new AtomicLong();

  /** A number that no payment has. */
  long nextPayment() {
    return paymentNumbers.incrementAndGet();
  }

  /** Begins anew, from tables with such totals. */
  void begin(Totals found) {
    for (LongAdder each :
        new LongAdder[] {orders, lines, pieces, payments, paid, deliveries, torn}) {
      each.reset();
    }
    paymentNumbers.set(found.lastPayment());
  }

  /** What is to be in the tables now. */
  Totals after(Totals start) {
    return new Totals(
        start.orders() + orders.sum(),
        start.lines() + lines.sum(),
        start.pieces() + pieces.sum(),
        start.payments() + payments.sum(),
        start.paid() + paid.sum(),
        start.newOrders() + orders.sum() - deliveries.sum(),
        start.lastPayment());
  }
}
