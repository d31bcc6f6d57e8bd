package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.errors.ConflictException;
import io.retso.testkit.RetsoExtension;
import io.retso.testkit.TestCluster;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test as an application writes it. */
@ExtendWith(RetsoExtension.class)
class TransferTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] BALANCE = Bytes.toBytes("balance");

  private TransactionManager manager;

  @BeforeEach
  void open(TestCluster cluster) throws IOException {
    cluster.createTable("accounts", "f");
    manager = cluster.manager();
    manager.run(
        tx -> {
          set(tx.table("accounts"), "alice", 100);
          set(tx.table("accounts"), "bob", 0);
          return null;
        });
  }

  @Test
  void theMoneyIsMoved() throws IOException {
    manager.run(tx -> transfer(tx, 30));
    assertEquals("70 30", balances());
  }

  @Test
  void twoTransfersAtATimeDoNotBothCommit() throws IOException {
    try (Transaction slow = manager.begin()) {
      transfer(slow, 10);
      manager.run(tx -> transfer(tx, 20));
      assertThrows(ConflictException.class, slow::commit);
    }
    assertEquals("80 20", balances());
  }

  @Test
  void theManagerIsTheClusters(TestCluster cluster, TransactionManager given) {
    assertSame(cluster.manager(), given);
  }

  private String balances() throws IOException {
    return manager.read(
        tx -> {
          byte[] alice = tx.table("accounts").get(row("alice")).getValue(F, BALANCE);
          byte[] bob = tx.table("accounts").get(row("bob")).getValue(F, BALANCE);
          return Bytes.toLong(alice) + " " + Bytes.toLong(bob);
        });
  }

  private static Void transfer(Transaction tx, long amount) throws IOException {
    TransactionalTable accounts = tx.table("accounts");
    set(accounts, "alice", balance(accounts, "alice") - amount);
    set(accounts, "bob", balance(accounts, "bob") + amount);
    return null;
  }

  private static Get row(String name) {
    return new Get(Bytes.toBytes(name));
  }

  private static long balance(TransactionalTable accounts, String name) throws IOException {
    return Bytes.toLong(accounts.get(row(name)).getValue(F, BALANCE));
  }

  private static void set(TransactionalTable accounts, String name, long amount)
      throws IOException {
    accounts.put(new Put(Bytes.toBytes(name)).addColumn(F, BALANCE, Bytes.toBytes(amount)));
  }
}
