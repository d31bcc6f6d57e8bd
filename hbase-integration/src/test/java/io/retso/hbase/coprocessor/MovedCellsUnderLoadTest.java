package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.ReadAttribute;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Transfers between accounts that a region adopts, aborted ones among them, while it is flushed
 * again and again: all readers see all of the money, whatever moves under them.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
class MovedCellsUnderLoadTest {
  private static final int ACCOUNTS = 20;
  private static final int MONEY = 100;
  private static final int READS = Integer.getInteger("retso.moved.reads", 20);
  private static final byte[] COLUMN = Bytes.toBytes("a");

  private final ExecutorService background = Executors.newCachedThreadPool();
  private final long seed = Long.getLong("retso.moved.seed", System.nanoTime());
  private volatile boolean isOver;
  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
    System.out.println("-Dretso.moved.seed=" + seed);
    for (int i = 0; i < ACCOUNTS; i++) {
      long start = t.oracle.begin();
      t.table.put(balance(start, i, MONEY));
      t.cleanUp(start, t.commit(start, row(i)), row(i));
    }
  }

  @AfterEach
  void drop() throws Exception {
    isOver = true;
    background.shutdown();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  private static String row(int account) {
    return "r" + (100 + account);
  }

  /** In both families, so that one of them may have moved. */
  private static Put balance(long start, int account, int balance) {
    byte[] value = Bytes.toBytes(balance);
    Put put = RawTable.put(start, row(account), "b", "touched");
    return put.addColumn(RawTable.F, COLUMN, start, value)
        .addColumn(RawTable.G, COLUMN, start, value);
  }

  private static int balance(Result row) {
    int balance = Bytes.toInt(row.getValue(RawTable.F, COLUMN));
    assertEquals(balance, Bytes.toInt(row.getValue(RawTable.G, COLUMN)));
    return balance;
  }

  /** Until the test is over. */
  private Future<Integer> repeat(Callable<?> action) {
    return background.submit(
        () -> {
          int times = 0;
          for (; !isOver; times++) {
            action.call();
          }
          return times;
        });
  }

  private Void transfer(Random random) throws IOException {
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    int amount = random.nextInt(10);
    long start = t.oracle.begin();
    int first = balance(t.table.get(RawTable.get(start, row(from))));
    int second = balance(t.table.get(RawTable.get(start, row(to))));
    t.table.put(List.of(balance(start, from, first - amount), balance(start, to, second + amount)));
    long outcome = Outcome.ABORTED;
    if (random.nextInt(4) == 0) {
      t.oracle.abort(start);
    } else {
      CommitResult result = t.oracle.commit(start, from, to);
      outcome = result.isCommitted() ? result.commitTimestamp() : outcome;
    }
    if (!t.adopt(start, outcome, 2)) {
      t.cleanUp(start, outcome, row(from));
      t.cleanUp(start, outcome, row(to));
    }
    t.oracle.cleanedUp(start);
    return null;
  }

  private List<Result> scanned(Scan scan) throws IOException {
    long reader = t.oracle.begin();
    ReadAttribute.set(scan, RawTable.FINGERPRINT, reader);
    List<Result> rows = new ArrayList<>();
    try (ResultScanner scanner = t.table.getScanner(scan)) {
      scanner.forEach(rows::add);
    }
    t.oracle.commit(reader);
    return rows;
  }

  private static int sum(List<Result> rows) {
    assertEquals(ACCOUNTS, rows.size());
    return rows.stream().mapToInt(MovedCellsUnderLoadTest::balance).sum();
  }

  private void read(Random random) throws IOException {
    int all = ACCOUNTS * MONEY;
    assertEquals(all, sum(scanned(new Scan().setCaching(1 + random.nextInt(5)))));
    assertEquals(all, sum(scanned(new Scan().setReversed(true).setCaching(1))));
    Scan page = new Scan().setCaching(2).setFilter(new PageFilter(5));
    List<String> rows = scanned(page).stream().map(r -> Bytes.toString(r.getRow())).toList();
    assertEquals(List.of(row(0), row(1), row(2), row(3), row(4)), rows);
    long reader = t.oracle.begin();
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < ACCOUNTS; i++) {
      gets.add(RawTable.get(reader, row(i)));
    }
    assertEquals(all, sum(List.of(t.table.get(gets))));
    t.oracle.commit(reader);
  }

  @Test
  void noMoneyIsMissed() throws Exception {
    long adopted = RawTable.count("adopted");
    Random random = new Random(seed);
    long other = random.nextLong();
    List<Future<Integer>> working = new ArrayList<>();
    working.add(repeat(() -> transfer(random)));
    Random more = new Random(other);
    working.add(repeat(() -> transfer(more)));
    Random flushing = new Random(other + 2);
    working.add(
        repeat(
            () -> {
              transfer(flushing);
              t.flush();
              if (flushing.nextInt(10) == 0) {
                t.compact();
              }
              return null;
            }));
    Random reading = new Random(other + 1);
    for (int i = 0; i < READS; i++) {
      read(reading);
      assertTrue(working.stream().noneMatch(Future::isDone), "all work goes on");
    }
    isOver = true;
    for (Future<Integer> done : working) {
      assertTrue(done.get() > 0);
    }
    assertTrue(RawTable.count("adopted") > adopted);
  }
}
