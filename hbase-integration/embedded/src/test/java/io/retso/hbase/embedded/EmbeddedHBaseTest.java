package io.retso.hbase.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedHBaseTest {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] F = bytes("f");

  @TempDir Path directory;

  @Test
  void dataIsThereAfterARestart() throws Exception {
    try (EmbeddedHBase hbase = EmbeddedHBase.in(directory).start();
        Connection connection = ConnectionFactory.createConnection(hbase.configuration());
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
              .build());
      try (Table table = connection.getTable(TABLE)) {
        table.put(new Put(bytes("r")).addColumn(F, bytes("q"), bytes("v")));
      }
      hbase.startRegionServer();
      assertEquals(2, hbase.liveRegionServers());
    }
    try (EmbeddedHBase hbase = EmbeddedHBase.in(directory).start();
        Connection connection = ConnectionFactory.createConnection(hbase.configuration());
        Table table = connection.getTable(TABLE)) {
      assertArrayEquals(bytes("v"), table.get(new Get(bytes("r"))).getValue(F, bytes("q")));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
