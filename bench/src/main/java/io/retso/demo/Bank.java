package io.retso.demo;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.options.ReadSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Accounts in two tables, and a journal with one row per transfer. Each account has its money in
 * {@code demo_checking} and {@code demo_savings}; a transfer goes from one table to the other.
 *
 * <p>Thread-safe.
 */
final class Bank {
  static final TableName CHECKING = TableName.valueOf("demo_checking");
  static final TableName SAVINGS = TableName.valueOf("demo_savings");
  static final TableName JOURNAL = TableName.valueOf("demo_journal");
  static final byte[] FAMILY = Bytes.toBytes("f");

  /** What every account has in each table at the start. */
  static final long OPENING_BALANCE = 500;

  private static final byte[] BALANCE = Bytes.toBytes("balance");
  private static final byte[] AMOUNT = Bytes.toBytes("amount");
  private static final int SCAN_CACHING = 500;

  private final TransactionManager manager;
  private final int accounts;

  Bank(TransactionManager manager, int accounts) {
    this.manager = manager;
    this.accounts = accounts;
  }

  /** Creates the three tables, prepared. */
  static void createTables(Configuration hbase, String oracle) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(hbase)) {
      TablePreparation preparation = TablePreparation.builder(connection).oracle(oracle).build();
      for (TableName name : List.of(CHECKING, SAVINGS, JOURNAL)) {
        TableDescriptor table =
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build();
        preparation.create(table, TablePreparation.Options.DEFAULT);
      }
    }
  }

  /** The money there is. */
  long total() {
    return 2 * OPENING_BALANCE * accounts;
  }

  /** Opens all accounts, in one transaction. */
  void open() throws IOException {
    manager.run(
        tx -> {
          for (TableName name : List.of(CHECKING, SAVINGS)) {
            List<Put> puts = new ArrayList<>();
            for (int account = 0; account < accounts; account++) {
              puts.add(balance(account, OPENING_BALANCE));
            }
            tx.table(name).put(puts);
          }
          return null;
        });
  }

  /** Moves money from an account in one table to an account in the other, and writes it down. */
  void transfer(Transaction tx, String id, int from, int to, long amount, boolean fromChecking)
      throws IOException {
    TransactionalTable source = tx.table(fromChecking ? CHECKING : SAVINGS);
    TransactionalTable target = tx.table(fromChecking ? SAVINGS : CHECKING);
    long has = balanceOf(source, from);
    long moved = Math.min(amount, has);
    source.put(balance(from, has - moved));
    target.put(balance(to, balanceOf(target, to) + moved));
    tx.table(JOURNAL)
        .put(new Put(Bytes.toBytes(id)).addColumn(FAMILY, AMOUNT, Bytes.toBytes(moved)));
  }

  /** Adds up all accounts of both tables in one snapshot. */
  long audit() throws IOException {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      long sum = 0;
      for (TableName name : List.of(CHECKING, SAVINGS)) {
        try (ResultScanner rows = tx.table(name).getScanner(new Scan().setCaching(SCAN_CACHING))) {
          for (Result row = rows.next(); row != null; row = rows.next()) {
            sum += Bytes.toLong(row.getValue(FAMILY, BALANCE));
          }
        }
      }
      return sum;
    }
  }

  /** Ids of all transfers in the journal, of those that were acknowledged a moment ago, too. */
  Set<String> journal() throws IOException {
    TransactionOptions current = TransactionOptions.DEFAULT.withReadSnapshot(ReadSnapshot.DEFERRED);
    try (ReadTransaction tx = manager.beginReadOnly(current);
        ResultScanner rows = tx.table(JOURNAL).getScanner(new Scan().setCaching(SCAN_CACHING))) {
      Set<String> ids = new HashSet<>();
      for (Result row = rows.next(); row != null; row = rows.next()) {
        ids.add(Bytes.toString(row.getRow()));
      }
      return ids;
    }
  }

  private static long balanceOf(TransactionalTable table, int account) throws IOException {
    return Bytes.toLong(table.get(new Get(row(account))).getValue(FAMILY, BALANCE));
  }

  private static Put balance(int account, long money) {
    return new Put(row(account)).addColumn(FAMILY, BALANCE, Bytes.toBytes(money));
  }

  private static byte[] row(int account) {
    return Bytes.toBytes(String.format("account-%06d", account));
  }
}
