package io.retso.workload.store;

import io.retso.workload.Row;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Rows of workloads as rows of HBase, with one column. */
final class HBaseRows {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("v");
  private static final int SCAN_CACHING = 500;

  private HBaseRows() {}

  static TableName name(String table) {
    return TableName.valueOf(table);
  }

  static TableDescriptor descriptor(String table) {
    return TableDescriptorBuilder.newBuilder(name(table))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .build();
  }

  static void drop(Admin admin, TableName table) throws IOException {
    if (admin.tableExists(table)) {
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }

  static Get get(Row row) {
    return new Get(Bytes.toBytes(row.key())).addColumn(FAMILY, QUALIFIER);
  }

  static Put put(Row row, byte[] value) {
    return new Put(Bytes.toBytes(row.key())).addColumn(FAMILY, QUALIFIER, value);
  }

  static Scan scan() {
    return new Scan().addColumn(FAMILY, QUALIFIER).setCaching(SCAN_CACHING);
  }

  static String key(Result row) {
    return Bytes.toString(row.getRow());
  }

  static byte[] value(Result row) {
    return row.getValue(FAMILY, QUALIFIER);
  }
}
