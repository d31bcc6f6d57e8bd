package io.retso.workload.tpcc;

import io.retso.workload.Numbers;
import java.nio.ByteBuffer;

/** What is in the rows of each table: numbers, of eight bytes each. Money is in cents. */
final class Rows {
  private Rows() {}

  /** {@code nextOrder} is the number of the order that comes next. */
  record District(int nextOrder) {
    static District of(byte[] row) {
      return new District((int) Numbers.number(row));
    }

    byte[] bytes() {
      return Numbers.bytes(nextOrder);
    }
  }

  /**
   * A customer.
   *
   * @param balance what is owed, less what is paid
   * @param paid sum of all payments
   * @param deliveries how many of the orders are delivered
   */
  record Customer(
      boolean goodCredit, long limit, long balance, long paid, long payments, long deliveries) {
    static Customer of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Customer(
          in.getLong() != 0, in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }

    byte[] bytes() {
      return Numbers.bytes(goodCredit ? 1 : 0, limit, balance, paid, payments, deliveries);
    }

    Customer withPayment(long amount) {
      return new Customer(
          goodCredit, limit, balance - amount, paid + amount, payments + 1, deliveries);
    }

    Customer withDelivery(long amount) {
      return new Customer(goodCredit, limit, balance + amount, paid, payments, deliveries + 1);
    }

    Customer withCredit(boolean good) {
      return new Customer(good, limit, balance, paid, payments, deliveries);
    }
  }

  /** {@code carrier} is 0 until it is delivered. */
  record Order(int customer, int lines, int carrier) {
    static Order of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Order((int) in.getLong(), (int) in.getLong(), (int) in.getLong());
    }

    byte[] bytes() {
      return Numbers.bytes(customer, lines, carrier);
    }
  }

  /** {@code supplier} is the warehouse that it is taken from. */
  record Line(int item, int supplier, int quantity, long amount, boolean delivered) {
    static Line of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Line(
          (int) in.getLong(),
          (int) in.getLong(),
          (int) in.getLong(),
          in.getLong(),
          in.getLong() != 0);
    }

    byte[] bytes() {
      return Numbers.bytes(item, supplier, quantity, amount, delivered ? 1 : 0);
    }
  }

  /**
   * An item in a warehouse.
   *
   * @param sold pieces of it so far
   * @param remote orders of other warehouses among {@code orders}
   */
  record Stock(int quantity, long sold, long orders, long remote) {
    private static final int LEFT_MIN = 10;
    private static final int SUPPLY = 91;

    static Stock of(byte[] row) {
      ByteBuffer in = ByteBuffer.wrap(row);
      return new Stock((int) in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }

    byte[] bytes() {
      return Numbers.bytes(quantity, sold, orders, remote);
    }

    Stock without(int pieces, boolean isRemote) {
      int left = quantity - pieces;
      return new Stock(
          left < LEFT_MIN ? left + SUPPLY : left,
          sold + pieces,
          orders + 1,
          remote + (isRemote ? 1 : 0));
    }
  }
}
