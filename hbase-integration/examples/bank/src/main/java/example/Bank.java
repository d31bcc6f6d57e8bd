package example;

import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.errors.ConflictException;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/** Moves money between two accounts, shows a conflict, and reads an old snapshot. */
public final class Bank {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] BALANCE = Bytes.toBytes("balance");

  /** The name is in log lines, messages of exceptions and meters. */
  private static final TransactionOptions TRANSFER =
      TransactionOptions.DEFAULT.withName("transfer").withTimeLimit(Duration.ofSeconds(20));

  private Bank() {}

  /** Arguments: HBase's ZooKeeper as host:port, and the oracle as host:port. */
  public static void main(String[] args) throws IOException {
    Configuration hbase = HBaseConfiguration.create();
    hbase.set("hbase.zookeeper.quorum", args[0].substring(0, args[0].indexOf(':')));
    hbase.set(
        "hbase.zookeeper.property.clientPort", args[0].substring(args[0].indexOf(':') + 1));

    // One manager per application; it is thread-safe.
    try (TransactionManager manager = TransactionManager.builder(hbase).oracle(args[1]).build()) {
      manager.run(
          tx -> {
            set(tx.table("accounts"), "alice", 100);
            set(tx.table("accounts"), "bob", 0);
            return null;
          });

      ReadTransaction before = manager.beginReadOnly();
      before.readTimestamp(); // the snapshot of this moment; otherwise the first read takes it

      // Both accounts change, or neither. run() tries again after a conflict.
      manager.run(TRANSFER, tx -> transfer(tx.table("accounts"), "alice", "bob", 30));

      try (before) {
        System.out.println("the snapshot before: " + balances(before.table("accounts")));
      }
      System.out.println("now: " + manager.read(tx -> balances(tx.table("accounts"))));

      // Two transactions write one row: the first to commit wins.
      try (Transaction slow = manager.begin()) {
        transfer(slow.table("accounts"), "alice", "bob", 10);
        manager.run(TRANSFER, tx -> transfer(tx.table("accounts"), "alice", "bob", 20));
        slow.commit();
        throw new IllegalStateException("a conflict was expected");
      } catch (ConflictException e) {
        System.out.println("as expected: " + e.getMessage());
      }
    }
  }

  /** Returns what is left. */
  static long transfer(TransactionalTable accounts, String from, String to, long amount)
      throws IOException {
    set(accounts, from, balance(accounts, from) - amount);
    set(accounts, to, balance(accounts, to) + amount);
    return balance(accounts, from);
  }

  static long balance(ReadTable accounts, String name) throws IOException {
    return Bytes.toLong(accounts.get(new Get(Bytes.toBytes(name))).getValue(F, BALANCE));
  }

  static void set(TransactionalTable accounts, String name, long amount) throws IOException {
    accounts.put(new Put(Bytes.toBytes(name)).addColumn(F, BALANCE, Bytes.toBytes(amount)));
  }

  private static String balances(ReadTable accounts) throws IOException {
    return "alice " + balance(accounts, "alice") + ", bob " + balance(accounts, "bob");
  }
}
