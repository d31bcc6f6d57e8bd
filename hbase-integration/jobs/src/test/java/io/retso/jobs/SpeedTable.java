package io.retso.jobs;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** A table of rows of 108 B in four regions, where nothing is left to clean up. Stateless. */
final class SpeedTable {
  static final TableName NAME = TableName.valueOf("speed");

  private static final int ROWS_AT_A_TIME = 500;
  private static final int REGIONS = 4;

  private SpeedTable() {}

  private static byte[] row(int number) {
    return Bytes.toBytes(Text.of("row-%08d", number));
  }

  /** Makes it, with a balance of 1 in each row. */
  static void fill(Connection connection, String oracle, TransactionManager manager, int rows)
      throws Exception {
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 0; i < splits.length; i++) {
      splits[i] = row(rows / REGIONS * (i + 1));
    }
    TablePreparation.builder(connection)
        .oracle(oracle)
        .build()
        .create(
            TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Bank.FAMILY))
                .build(),
            Options.DEFAULT,
            splits);
    for (int from = 0; from < rows; from += ROWS_AT_A_TIME) {
      List<Put> puts = new ArrayList<>();
      for (int i = from; i < Math.min(rows, from + ROWS_AT_A_TIME); i++) {
        puts.add(
            new Put(row(i))
                .addColumn(Bank.FAMILY, Bank.BALANCE, Bytes.toBytes(1L))
                .addColumn(Bank.FAMILY, Bytes.toBytes("note"), new byte[100]));
      }
      manager.run(
          tx -> {
            tx.table(NAME).put(puts);
            return null;
          });
    }
    Servers.eventually("no mark is left", () -> manager.sweep().marks() == 0);
    compact(connection);
  }

  private static void compact(Connection connection) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(NAME);
      long before = admin.getLastMajorCompactionTimestamp(NAME);
      admin.majorCompact(NAME);
      Servers.eventually(
          "a compaction",
          () ->
              admin.getLastMajorCompactionTimestamp(NAME) > before
                  && admin.getCompactionState(NAME) == CompactionState.NONE);
    }
  }
}
