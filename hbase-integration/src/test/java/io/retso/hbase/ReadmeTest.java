package io.retso.hbase;

import static io.retso.hbase.Fixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The README's example compiles and does what it says. */
@ExtendWith(RetsoCluster.Extension.class)
class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void theExampleMovesMoney(RetsoCluster cluster) throws Exception {
    Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", "README.md")));
    assertTrue(matcher.find(), "the README has a Java example");
    compile(
        Files.writeString(directory.resolve("Transfer.java"), matcher.group(1)),
        System.getProperty("java.class.path"));
    create(cluster, "checking", "savings");
    try (URLClassLoader loader = loader();
        TransactionManager manager = TransactionManager.builder(cluster.configuration()).build();
        ReadTransaction tx = manager.beginReadOnly()) {
      Method transfer =
          loader.loadClass("Transfer").getDeclaredMethod("transfer", TransactionManager.class);
      transfer.setAccessible(true);
      transfer.invoke(null, manager);
      assertEquals(-100, balance(tx.table("checking"), "alice"));
      assertEquals(100, balance(tx.table("savings"), "bob"));
    }
  }

  private void compile(Path source, String classPath) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-Xlint:all,-path,-classfile",
                "-Werror",
                "-d",
                directory.toString(),
                "-cp",
                classPath,
                source.toString());
    assertEquals(0, status, errors::toString);
  }

  private URLClassLoader loader() throws Exception {
    return new URLClassLoader(new URL[] {directory.toUri().toURL()});
  }

  private static void create(RetsoCluster cluster, String... names) throws Exception {
    TablePreparation preparation =
        TablePreparation.builder(cluster.connection()).oracle(cluster.oracleAddress()).build();
    try (Admin admin = cluster.connection().getAdmin()) {
      for (String name : names) {
        if (admin.tableExists(TableName.valueOf(name))) {
          admin.disableTable(TableName.valueOf(name));
          admin.deleteTable(TableName.valueOf(name));
        }
      }
    }
    for (String name : names) {
      preparation.create(
          TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build(),
          TablePreparation.Options.DEFAULT);
    }
  }

  private static long balance(ReadTable table, String account) throws Exception {
    return Bytes.toLong(table.get(new Get(bytes(account))).getValue(bytes("f"), bytes("balance")));
  }
}
