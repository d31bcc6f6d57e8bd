package io.retso.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A schedule that no serial order explains, as {@code retso advise --reproduce} writes it: as the
 * programs are, all of its transactions commit; if all are serializable, not all do. Rows are
 * texts; tables have one family. For one thread; JUnit makes one for each test.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
@ExtendWith(RetsoExtension.class)
public abstract class DangerTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  private final List<String> refused = new ArrayList<>();
  private TestCluster cluster;
  private boolean all;

  /** For those that are written. */
  protected DangerTest() {}

  /** Makes the tables, by {@link #create}. */
  protected abstract void createTables() throws IOException;

  /** Runs the transactions, and tells {@link #refused} those that conflict. */
  protected abstract void runSchedule() throws IOException;

  @Test
  void asTheyAreAllCommit(TestCluster kit) throws IOException {
    run(kit);
    assertEquals(List.of(), refused);
  }

  @Test
  void serializableOnesDoNot(TestCluster kit) throws IOException {
    all = true;
    run(kit);
    assertNotEquals(List.of(), refused);
  }

  private void run(TestCluster kit) throws IOException {
    cluster = kit;
    createTables();
    runSchedule();
  }

  /** A transaction was not committed, as others were in its way. */
  protected final void refused(String transaction, TransactionException why) {
    refused.add(transaction + ": " + why);
  }

  /** Each test has tables of its own. */
  private TableName name(String table) {
    return TableName.valueOf(table + (all ? "-serializable" : "-as-they-are"));
  }

  /** Makes an empty table. */
  protected final void create(String table, Conflicts conflicts) throws IOException {
    TablePreparation.Options options = TablePreparation.Options.DEFAULT.withConflicts(conflicts);
    cluster.createTable(name(table).getNameAsString(), options, "f");
  }

  /** Begins a transaction of a program. */
  protected final Transaction begin(String program, Isolation isolation) throws IOException {
    return cluster
        .manager()
        .begin(
            TransactionOptions.DEFAULT
                .withName(program)
                .withIsolation(all ? Isolation.SERIALIZABLE : isolation));
  }

  private static Get get(String row, String... columns) {
    Get get = new Get(Bytes.toBytes(row));
    for (String column : columns) {
      get.addColumn(FAMILY, Bytes.toBytes(column));
    }
    return columns.length == 0 ? get.addFamily(FAMILY) : get;
  }

  /** Reads columns of a row; all if none is named. */
  protected final void read(ReadTransaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).get(get(row, columns));
  }

  /** Reads them by {@code getForUpdate}. */
  protected final void lock(Transaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).getForUpdate(get(row, columns));
  }

  /** Reads them by {@code getValidated}. */
  protected final void validate(Transaction tx, String table, String row, String... columns)
      throws IOException {
    tx.table(name(table)).getValidated(get(row, columns));
  }

  /** Reads all rows that begin so. */
  protected final void scan(ReadTransaction tx, String table, String prefix) throws IOException {
    Scan scan = new Scan().addFamily(FAMILY).setStartStopRowForPrefixScan(Bytes.toBytes(prefix));
    try (ResultScanner rows = tx.table(name(table)).getScanner(scan)) {
      rows.forEach(row -> {});
    }
  }

  /** Writes columns of a row. */
  protected final void write(Transaction tx, String table, String row, String... columns)
      throws IOException {
    Put put = new Put(Bytes.toBytes(row));
    for (String column : columns) {
      put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes(tx.toString()));
    }
    tx.table(name(table)).put(put);
  }
}
