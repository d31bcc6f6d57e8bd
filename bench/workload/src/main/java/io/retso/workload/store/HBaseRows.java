package io.retso.workload.store;

import io.retso.workload.Row;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.NamespaceDescriptor;
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

  /** Keeps the tables of workloads apart from those of applications, as they are dropped. */
  private static final String NAMESPACE = "retso_bench";

  private HBaseRows() {}

  static TableName name(String table) {
    return TableName.valueOf(NAMESPACE, table);
  }

  static void makeNamespace(Admin admin) throws IOException {
    if (!List.of(admin.listNamespaces()).contains(NAMESPACE)) {
      admin.createNamespace(NamespaceDescriptor.create(NAMESPACE).build());
    }
  }

  static void dropNamespace(Admin admin) throws IOException {
    if (List.of(admin.listNamespaces()).contains(NAMESPACE)) {
      for (TableName table : admin.listTableNamesByNamespace(NAMESPACE)) {
        drop(admin, table);
      }
      admin.deleteNamespace(NAMESPACE);
    }
  }

  static TableDescriptor descriptor(String table) {
    return TableDescriptorBuilder.newBuilder(name(table))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .build();
  }

  static void drop(Admin admin, TableName table) throws IOException {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
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
