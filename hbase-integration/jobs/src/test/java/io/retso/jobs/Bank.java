package io.retso.jobs;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Accounts in two tables, and tellers who move money between the tables all the time, so that what
 * the tables have together stays. Thread-safe.
 */
final class Bank {
  static final TableName CHECKING = TableName.valueOf("checking");
  static final TableName SAVINGS = TableName.valueOf("savings");
  static final List<TableName> TABLES = List.of(CHECKING, SAVINGS);
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] BALANCE = Bytes.toBytes("balance");

  /** In each table. */
  static final int ACCOUNTS = 500;

  private static final long EACH = 1_000;
  private static final int TELLERS = 8;

  /** What the tables have together. */
  static final long TOTAL = 2 * ACCOUNTS * EACH;

  private final TransactionManager manager;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong transfers = new AtomicLong();
  private final List<CompletableFuture<Void>> tellers;

  /** Makes and fills the tables, and lets the tellers begin. */
  Bank(Connection connection, String oracle, TransactionManager manager, SplittableRandom random)
      throws IOException {
    this.manager = manager;
    TablePreparation preparation = TablePreparation.builder(connection).oracle(oracle).build();
    for (TableName table : TABLES) {
      preparation.create(
          TableDescriptorBuilder.newBuilder(table)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build(),
          Options.DEFAULT);
      manager.run(
          tx -> {
            tx.table(table)
                .put(IntStream.range(0, ACCOUNTS).mapToObj(i -> put(row(i), EACH)).toList());
            return null;
          });
    }
    tellers =
        Stream.generate(random::split)
            .limit(TELLERS)
            .map(own -> CompletableFuture.runAsync(() -> work(own), Bank::start))
            .toList();
  }

  private static void start(Runnable work) {
    new Thread(work, "teller").start();
  }

  /** The key of an account. */
  static byte[] row(int account) {
    return Bytes.toBytes("account" + (1_000 + account));
  }

  private static Put put(byte[] row, long balance) {
    return new Put(row).addColumn(FAMILY, BALANCE, Bytes.toBytes(balance));
  }

  private void work(SplittableRandom random) {
    try {
      while (!over.get()) {
        int from = random.nextInt(2);
        byte[] source = row(random.nextInt(ACCOUNTS));
        byte[] target = row(random.nextInt(ACCOUNTS));
        long amount = random.nextInt(1, 100);
        manager.run(
            tx -> {
              add(tx.table(TABLES.get(from)), source, -amount);
              add(tx.table(TABLES.get(1 - from)), target, amount);
              return null;
            });
        transfers.incrementAndGet();
      }
    } catch (IOException e) {
      throw new AssertionError("a teller", e);
    }
  }

  private static void add(TransactionalTable table, byte[] row, long amount) throws IOException {
    long before = Bytes.toLong(table.get(new Get(row)).getValue(FAMILY, BALANCE));
    table.put(put(row, before + amount));
  }

  /** How often money was moved. */
  long transfers() {
    for (CompletableFuture<Void> teller : tellers) {
      if (teller.isDone()) {
        teller.join(); // with what ended it
      }
    }
    return transfers.get();
  }

  /** Lets the tellers end. */
  void end() throws Exception {
    over.set(true);
    for (CompletableFuture<Void> teller : tellers) {
      teller.get(60, TimeUnit.SECONDS);
    }
  }
}
