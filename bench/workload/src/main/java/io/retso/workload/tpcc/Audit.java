package io.retso.workload.tpcc;

import io.retso.workload.Findings;
import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.Customer;
import io.retso.workload.tpcc.Rows.District;
import io.retso.workload.tpcc.Rows.Line;
import io.retso.workload.tpcc.Rows.Order;
import io.retso.workload.tpcc.Rows.Stock;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads all tables in one snapshot, and compares them with each other: TPC-C's consistency
 * conditions 1 to 4.
 *
 * <p>The first one says that the year-to-date totals of a warehouse are those of its districts.
 * There are none of either here; instead, what the customers of a district have paid is what its
 * history says. That history is what TPC-C's totals are made of (its conditions 8 and 9), so a
 * payment that is lost in one of the places is found all the same. What customers owe is compared
 * with what was delivered, too (conditions 10 and 12), and the two tables that stand for indexes
 * with what they are about.
 */
final class Audit {
  private final Map<String, OfDistrict> districts = new TreeMap<>();
  private long pieces;
  private long lastPayment;

  /** What the tables say of a district. */
  private static final class OfDistrict {
    private int nextOrder;
    private long orders;
    private int lastOrder;
    private long linesOfOrders;
    private long lines;
    private long newOrders;
    private int firstNew = Integer.MAX_VALUE;
    private int lastNew;
    private long ofCustomers;
    private long newOfCustomers;
    private long paidByCustomers;
    private long paidInHistory;
    private long payments;
    private long balances;
    private long delivered;

    private void order(String key, byte[] value) {
      orders++;
      lastOrder = Math.max(lastOrder, Tables.orderIn(key));
      linesOfOrders += Order.of(value).lines();
    }

    private void newOrder(String key) {
      newOrders++;
      firstNew = Math.min(firstNew, Tables.orderIn(key));
      lastNew = Math.max(lastNew, Tables.orderIn(key));
    }

    private void line(byte[] value) {
      Line line = Line.of(value);
      lines++;
      delivered += line.delivered() ? line.amount() : 0;
    }

    private void customer(byte[] value) {
      Customer customer = Customer.of(value);
      paidByCustomers += customer.paid();
      balances += customer.balance();
    }

    private void payment(byte[] value) {
      payments++;
      paidInHistory += Numbers.number(value);
    }
  }

  private Audit() {}

  /** Reads everything; to be called while nothing else runs. */
  static Audit of(Store store) throws IOException {
    Audit audit = new Audit();
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.scan(
          Tables.DISTRICT, (key, row) -> audit.at(key).nextOrder = District.of(row).nextOrder());
      tx.scan(Tables.CUSTOMER, (key, row) -> audit.at(key).customer(row));
      tx.scan(Tables.ORDER, (key, row) -> audit.at(key).order(key, row));
      tx.scan(Tables.LINE, (key, row) -> audit.at(key).line(row));
      tx.scan(Tables.NEW_ORDER, (key, row) -> audit.at(key).newOrder(key));
      tx.scan(Tables.ORDER_OF_CUSTOMER, (key, row) -> audit.at(key).ofCustomers++);
      tx.scan(Tables.NEW_ORDER_OF_CUSTOMER, (key, row) -> audit.at(key).newOfCustomers++);
      tx.scan(Tables.HISTORY, audit::payment);
      tx.scan(Tables.STOCK, (key, row) -> audit.pieces += Stock.of(row).sold());
    }
    return audit;
  }

  private OfDistrict at(String key) {
    return districts.computeIfAbsent(
        key.substring(0, Tables.OF_DISTRICT), district -> new OfDistrict());
  }

  private void payment(String key, byte[] row) {
    at(key).payment(row);
    lastPayment = Math.max(lastPayment, Tables.paymentIn(key));
  }

  Totals totals() {
    long orders = 0;
    long lines = 0;
    long payments = 0;
    long paid = 0;
    long newOrders = 0;
    for (OfDistrict of : districts.values()) {
      orders += of.orders;
      lines += of.lines;
      payments += of.payments;
      paid += of.paidInHistory;
      newOrders += of.newOrders;
    }
    return new Totals(orders, lines, pieces, payments, paid, newOrders, lastPayment);
  }

  /**
   * What is wrong.
   *
   * @param expected what the committed programs leave
   * @return empty if nothing is
   */
  String findings(Totals expected) {
    Findings findings = new Findings();
    districts.forEach((name, of) -> compare("district " + name, of, findings));
    Totals found = totals();
    String all = "all tables, beside the committed programs";
    findings.equal(all, "orders", found.orders(), expected.orders());
    findings.equal(all, "lines", found.lines(), expected.lines());
    findings.equal(all, "pieces sold", found.pieces(), expected.pieces());
    findings.equal(all, "payments", found.payments(), expected.payments());
    findings.equal(all, "cents paid", found.paid(), expected.paid());
    findings.equal(all, "orders to deliver", found.newOrders(), expected.newOrders());
    return findings.toString();
  }

  private static void compare(String name, OfDistrict of, Findings findings) {
    findings.equal(name, "condition 1: paid", of.paidByCustomers, of.paidInHistory);
    findings.equal(name, "condition 2: last order", of.lastOrder, of.nextOrder - 1L);
    if (of.newOrders > 0) {
      findings.equal(name, "condition 2: last new order", of.lastNew, of.nextOrder - 1L);
      long span = of.lastNew - of.firstNew + 1L;
      findings.equal(name, "condition 3: new orders", of.newOrders, span);
    }
    findings.equal(name, "condition 4: lines", of.lines, of.linesOfOrders);
    findings.equal(name, "owed and paid", of.balances + of.paidByCustomers, of.delivered);
    findings.equal(name, "orders of customers", of.ofCustomers, of.orders);
    findings.equal(name, "new orders of customers", of.newOfCustomers, of.newOrders);
  }
}
