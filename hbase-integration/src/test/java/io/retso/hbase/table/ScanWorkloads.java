package io.retso.hbase.table;

import io.retso.hbase.table.ScanLoad.Row;
import io.retso.hbase.table.ScanLoad.Transaction;
import io.retso.hbase.table.ScanLoad.Workload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongFunction;

/** Programs with scans that applications have, over keys as they choose them. */
final class ScanWorkloads {
  private static final int MAIN = 0;
  private static final int OTHER = 1;
  private static final byte[] END = {-1, -1, -1, -1, -1};

  private ScanWorkloads() {}

  /** All, by names for people. */
  static Map<String, Workload> all() {
    Map<String, Workload> all = new LinkedHashMap<>();
    for (int rows : new int[] {10, 1_000, 10_000}) {
      all.put("sibench " + rows, new Sibench(rows));
    }
    all.put("order lines, binary", new OrderLines(ScanWorkloads::binary4));
    all.put("order lines, text", new OrderLines(customer -> text("c%07d", customer)));
    all.put("order lines, long text", new OrderLines(c -> text("customer-%010d/", c)));
    all.put("queue, 8 bytes", new Queue(ScanWorkloads::binary8));
    all.put("queue, text", new Queue(item -> text("%016d", item)));
    all.put("queue, milliseconds", new Queue(item -> binary8(1_700_000_000_000L + item * 7)));
    all.put("events, 8 + 8 bytes", new Events());
    for (int rows : new int[] {10, 100}) {
      all.put("scans " + rows + ", sequential", new Scans(rows, ScanWorkloads::binary8));
      all.put("scans " + rows + ", text", new Scans(rows, key -> text("user%010d", key)));
      all.put("scans " + rows + ", hashed 8", new Scans(rows, ScanWorkloads::hashed));
      all.put("scans " + rows + ", hashed hex", new Scans(rows, k -> text("%016x", hash(k))));
    }
    all.put("index, short values", new Index(value -> text("v%03d", value)));
    all.put("index, long values", new Index(value -> text("value-of-%08d|", value)));
    return all;
  }

  private static byte[] binary4(long number) {
    return ByteBuffer.allocate(4).putInt((int) number).array();
  }

  private static byte[] binary8(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }

  private static long hash(long number) {
    long x = (number + 1) * 0x9E3779B97F4A7C15L;
    x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
    return x ^ x >>> 29;
  }

  private static byte[] hashed(long number) {
    return binary8(hash(number));
  }

  private static byte[] text(String format, long number) {
    return String.format(format, number).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] join(byte[]... parts) {
    int size = 0;
    for (byte[] part : parts) {
      size += part.length;
    }
    ByteBuffer all = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  /** The first key behind all that begin so. */
  private static byte[] behind(byte[] prefix) {
    byte[] behind = prefix.clone();
    int i = behind.length - 1;
    while (behind[i] == -1) {
      i--;
    }
    behind[i]++;
    return Arrays.copyOf(behind, i + 1);
  }

  /** A report of all rows, which somebody writes down; and updates of single rows. */
  private record Sibench(int count) implements Workload {
    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (int i = 0; i < count; i++) {
        rows.add(new Row(MAIN, binary8(i)));
      }
    }

    @Override
    public void run(Random random, Transaction tx) {
      if (random.nextBoolean()) {
        tx.scan(MAIN, binary8(0), binary8(count));
        if (random.nextInt(10) == 0) {
          tx.put(OTHER, binary8(random.nextInt(10)));
        }
      } else {
        byte[] row = binary8(random.nextInt(count));
        tx.get(MAIN, row);
        tx.put(MAIN, row);
      }
    }
  }

  /**
   * Lines of orders, keyed by customer, order and line, and what each customer owes: orders are
   * added behind the last one, one is changed, a customer's are added up.
   */
  private record OrderLines(LongFunction<byte[]> customers) implements Workload {
    private static final int CUSTOMERS = 1000;
    private static final int LINES = 5;

    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (int customer = 0; customer < CUSTOMERS; customer++) {
        for (int order = 0; order < 10; order++) {
          for (int line = 0; line < LINES; line++) {
            rows.add(new Row(MAIN, line(customer, order, line)));
          }
        }
      }
    }

    private byte[] line(int customer, int order, int line) {
      return join(customers.apply(customer), binary4(order), new byte[] {(byte) line});
    }

    @Override
    public void run(Random random, Transaction tx) {
      int customer = random.nextInt(random.nextInt(10) == 0 ? CUSTOMERS : 20);
      byte[] prefix = customers.apply(customer);
      byte[] end = behind(prefix);
      switch (random.nextInt(4)) {
        case 0 -> {
          List<byte[]> last = tx.scan(MAIN, prefix, end, 1, true);
          int order = ByteBuffer.wrap(last.get(0)).getInt(prefix.length) + 1;
          tx.get(OTHER, prefix);
          for (int line = 0; line < LINES; line++) {
            tx.put(MAIN, line(customer, order, line));
          }
        }
        case 1 -> {
          byte[] order = join(prefix, binary4(random.nextInt(10)));
          tx.scan(MAIN, order, behind(order));
          tx.put(MAIN, join(order, new byte[] {(byte) random.nextInt(LINES)}));
        }
        case 2 -> {
          tx.scan(MAIN, prefix, end);
          tx.put(OTHER, prefix);
        }
        default -> {
          tx.get(OTHER, prefix);
          tx.put(OTHER, prefix);
        }
      }
    }
  }

  /**
   * A queue: items come at its end, one by one, and are taken from its head, ten at a time;
   * somebody sums up the last twenty.
   */
  private static final class Queue implements Workload {
    private final LongFunction<byte[]> keys;
    private long next;

    Queue(LongFunction<byte[]> keys) {
      this.keys = keys;
    }

    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (next = 0; next < 1000; next++) {
        rows.add(new Row(MAIN, keys.apply(next)));
      }
    }

    @Override
    public void run(Random random, Transaction tx) {
      int kind = random.nextInt(22);
      if (kind < 20) {
        tx.get(OTHER, binary8(random.nextInt(10)));
        tx.put(MAIN, keys.apply(next++));
      } else if (kind == 20) {
        List<byte[]> head = tx.scan(MAIN, keys.apply(0), END, 20, false);
        head.forEach(item -> tx.delete(MAIN, item));
        tx.put(OTHER, binary8(random.nextInt(10)));
      } else {
        tx.scan(MAIN, keys.apply(0), END, 20, true);
        tx.put(OTHER, binary8(random.nextInt(10)));
      }
    }
  }

  /** Events by user and time: a user's last twenty decide about the next one; some are amended. */
  private static final class Events implements Workload {
    private static final int USERS = 1000;
    private long now;

    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (now = 0; now < 20_000; now++) {
        rows.add(new Row(MAIN, join(hashed(random.nextInt(USERS)), binary8(now))));
      }
    }

    @Override
    public void run(Random random, Transaction tx) {
      byte[] user = hashed(random.nextInt(random.nextInt(10) == 0 ? USERS : 20));
      if (random.nextInt(4) > 0) {
        tx.scan(MAIN, user, behind(user), 20, true);
        tx.put(MAIN, join(user, binary8(now++)));
      } else {
        List<byte[]> first = tx.scan(MAIN, user, behind(user), 5, false);
        if (!first.isEmpty()) {
          tx.delete(MAIN, first.get(random.nextInt(first.size())));
        }
      }
    }
  }

  /** Short scans that begin anywhere, with an update or a new row anywhere. */
  private record Scans(int limit, LongFunction<byte[]> keys) implements Workload {
    private static final int COUNT = 10_000;

    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (int i = 0; i < COUNT; i++) {
        rows.add(new Row(MAIN, keys.apply(2L * i)));
      }
    }

    @Override
    public void run(Random random, Transaction tx) {
      tx.scan(MAIN, keys.apply(2L * random.nextInt(COUNT)), END, limit, false);
      int odd = random.nextInt(10) == 0 ? 1 : 0;
      tx.put(MAIN, keys.apply(2L * random.nextInt(COUNT) + odd));
    }
  }

  /** People by number, and an index of a value that many of them share. */
  private record Index(LongFunction<byte[]> values) implements Workload {
    private static final int PEOPLE = 10_000;
    private static final int VALUES = 1000;

    private byte[] entry(int value, int person) {
      return join(values.apply(value), binary8(person));
    }

    private static int valueOf(int person) {
      return person % VALUES;
    }

    @Override
    public void load(Random random, TreeSet<Row> rows) {
      for (int i = 0; i < PEOPLE; i++) {
        rows.add(new Row(MAIN, binary8(i)));
        rows.add(new Row(OTHER, entry(valueOf(i), i)));
      }
    }

    @Override
    public void run(Random random, Transaction tx) {
      int value = random.nextInt(random.nextInt(2) == 0 ? VALUES : 20);
      byte[] prefix = values.apply(value);
      List<byte[]> found = tx.scan(OTHER, prefix, behind(prefix), 1000, false);
      for (byte[] entry : found) {
        tx.get(MAIN, Arrays.copyOfRange(entry, prefix.length, entry.length));
      }
      int person =
          found.isEmpty() || random.nextBoolean()
              ? random.nextInt(PEOPLE)
              : (int) ByteBuffer.wrap(found.get(0)).getLong(prefix.length);
      tx.get(MAIN, binary8(person));
      tx.put(MAIN, binary8(person));
      if (random.nextBoolean()) { // moves to this value
        tx.put(OTHER, entry(value, person));
        tx.delete(OTHER, entry(random.nextInt(VALUES), person));
      }
    }
  }
}
