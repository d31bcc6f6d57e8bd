package io.retso.workload.store;

import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Rows of workloads as rows of HBase, with one column. Stateless. */
public final class HBaseRows {
  /** The only column family. */
  public static final byte[] FAMILY = Bytes.toBytes("f");

  private static final byte[] QUALIFIER = Bytes.toBytes("v");
  private static final int SCAN_CACHING = 500;

  /** Keeps the tables of workloads apart from those of applications, as they are dropped. */
  private static final String NAMESPACE = "retso_bench";

  private HBaseRows() {}

  public static TableName name(String table) {
    return TableName.valueOf(NAMESPACE, table);
  }

  public static void makeNamespace(Admin admin) throws IOException {
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

  public static void drop(Admin admin, TableName table) throws IOException {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  public static Get get(Row row) {
    return get(row.key());
  }

  static Get get(String key) {
    return new Get(Bytes.toBytes(key)).addColumn(FAMILY, QUALIFIER);
  }

  public static List<Get> gets(List<String> keys) {
    return keys.stream().map(HBaseRows::get).toList();
  }

  public static List<byte[]> values(Result[] rows) {
    List<byte[]> values = new ArrayList<>(rows.length); // some may be null
    for (Result row : rows) {
      values.add(value(row));
    }
    return values;
  }

  public static Put put(Row row, byte[] value) {
    return new Put(Bytes.toBytes(row.key())).addColumn(FAMILY, QUALIFIER, value);
  }

  public static Delete delete(Row row) {
    return new Delete(Bytes.toBytes(row.key())).addColumns(FAMILY, QUALIFIER);
  }

  public static Scan scan(Range range, int limit) {
    return new Scan()
        .addColumn(FAMILY, QUALIFIER)
        .withStartRow(Bytes.toBytes(range.from()))
        .withStopRow(Bytes.toBytes(range.to()))
        .setCaching(Math.min(limit, SCAN_CACHING))
        .setLimit(limit == StoreTransaction.NO_LIMIT ? -1 : limit);
  }

  public static String key(Result row) {
    return Bytes.toString(row.getRow());
  }

  public static byte[] value(Result row) {
    return row.getValue(FAMILY, QUALIFIER);
  }
}
