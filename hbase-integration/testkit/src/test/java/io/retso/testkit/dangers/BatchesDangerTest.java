package io.retso.testkit.dangers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.testkit.RetsoExtension;
import io.retso.testkit.TestCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What snapshot isolation lets happen, and no serial order explains:
 *
 * <ol>
 *   <li>NewReceipt(batch=1, receipt=1) begins, and reads
 *   <li>CloseBatch() runs, and commits
 *   <li>Report(batch=1) runs, and commits
 *   <li>NewReceipt(batch=1, receipt=1) writes, and commits
 * </ol>
 */
@ExtendWith(RetsoExtension.class)
class BatchesDangerTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  private boolean all;

  @Test
  void asTheyAreAllCommit(TestCluster cluster) throws IOException {
    assertEquals(List.of(), refused(cluster));
  }

  @Test
  void serializableOnesDoNot(TestCluster cluster) throws IOException {
    all = true;
    assertNotEquals(List.of(), refused(cluster));
  }

  /** Which of the transactions did not commit. */
  private List<String> refused(TestCluster cluster) throws IOException {
    create(cluster, "control", Conflicts.ROW);
    create(cluster, "receipt", Conflicts.ROW);
    TransactionManager manager = cluster.manager();
    List<String> refused = new ArrayList<>();
    try (Transaction pivot = manager.begin(options("NewReceipt", Isolation.SNAPSHOT))) {
      read(pivot, "control", "current/", "batch");
      try (Transaction other = manager.begin(options("CloseBatch", Isolation.SNAPSHOT))) {
        read(other, "control", "current/", "batch");
        write(other, "control", "current/", "batch");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused.add("CloseBatch()" + e);
      }
      try (Transaction other = manager.begin(options("Report", Isolation.SNAPSHOT))) {
        read(other, "control", "current/", "batch");
        scan(other, "receipt", "1/");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused.add("Report(batch=1)" + e);
      }
      write(pivot, "receipt", "1/1/", "amount");
      pivot.commit();
    } catch (ConflictException | SerializationException e) {
      refused.add("NewReceipt(batch=1, receipt=1)" + e);
    }
    return refused;
  }

  /** Each test has tables of its own. */
  private TableName name(String table) {
    return TableName.valueOf(table + (all ? "-serializable" : "-as-they-are"));
  }

  private void create(TestCluster cluster, String table, Conflicts conflicts) throws IOException {
    TablePreparation.Options options = TablePreparation.Options.DEFAULT.withConflicts(conflicts);
    cluster.createTable(name(table).getNameAsString(), options, "f");
  }

  private TransactionOptions options(String name, Isolation isolation) {
    return TransactionOptions.DEFAULT
        .withName(name)
        .withIsolation(all ? Isolation.SERIALIZABLE : isolation);
  }

  private static Get get(String row, String... columns) {
    Get get = new Get(Bytes.toBytes(row));
    for (String column : columns) {
      get.addColumn(FAMILY, Bytes.toBytes(column));
    }
    return columns.length == 0 ? get.addFamily(FAMILY) : get;
  }

  private void read(ReadTransaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).get(get(row, columns));
  }

  private void lock(Transaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).getForUpdate(get(row, columns));
  }

  private void validate(Transaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).getValidated(get(row, columns));
  }

  private void scan(ReadTransaction tx, String table, String prefix) throws IOException {
    Scan scan = new Scan().addFamily(FAMILY).setStartStopRowForPrefixScan(Bytes.toBytes(prefix));
    try (ResultScanner rows = tx.table(name(table)).getScanner(scan)) {
      rows.forEach(row -> {});
    }
  }

  private void write(Transaction tx, String table, String row, String... columns)
      throws IOException {
    Put put = new Put(Bytes.toBytes(row));
    for (String column : columns) {
      put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes(tx.toString()));
    }
    tx.table(name(table)).put(put);
  }
}
