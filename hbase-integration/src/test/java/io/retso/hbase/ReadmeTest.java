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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Examples of README and documents compile, and do what they say. */
@ExtendWith(RetsoCluster.Extension.class)
class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  private static final List<String> DOCTORS = List.of("alice", "bob");

  @TempDir Path directory;

  @Test
  void theExampleMovesMoney(RetsoCluster cluster) throws Exception {
    compile("README.md", "Transfer");
    create(cluster, "checking", "savings");
    try (URLClassLoader loader = loader();
        TransactionManager manager = TransactionManager.builder(cluster.configuration()).build();
        ReadTransaction tx = manager.beginReadOnly()) {
      Method transfer =
          loader.loadClass("Transfer").getDeclaredMethod("transfer", TransactionManager.class);
      transfer.setAccessible(true);
      assertEquals(-100L, transfer.invoke(null, manager));
      assertEquals(-100, balance(tx.table("checking"), "alice"));
      assertEquals(100, balance(tx.table("savings"), "bob"));
    }
  }

  /** When two doctors go home at a time, one of them does, however often. */
  @Test
  void theExampleOfSerializableTransactionsLeavesADoctorOnCall(RetsoCluster cluster)
      throws Exception {
    compile("docs/serializable.md", "OnCall");
    create(cluster, "on-call");
    try (URLClassLoader loader = loader();
        TransactionManager manager = TransactionManager.builder(cluster.configuration()).build()) {
      Method goHome =
          loader
              .loadClass("OnCall")
              .getDeclaredMethod("goHome", TransactionManager.class, String.class);
      goHome.setAccessible(true);
      for (int i = 0; i < 20; i++) {
        manager.run(
            tx -> {
              for (String doctor : DOCTORS) {
                Put put = new Put(bytes(doctor)).addColumn(bytes("f"), bytes("since"), bytes("8"));
                tx.table("on-call").put(put);
              }
              return null;
            });
        List<CompletableFuture<Object>> both =
            DOCTORS.stream()
                .map(doctor -> CompletableFuture.supplyAsync(() -> called(goHome, manager, doctor)))
                .toList();
        long home = both.stream().filter(each -> each.join().equals(true)).count();
        assertEquals(1, home);
      }
    }
  }

  private static Object called(Method goHome, TransactionManager manager, String doctor) {
    try {
      return goHome.invoke(null, manager, doctor);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** The first Java example of a page, which is a class. */
  private void compile(String page, String name) throws Exception {
    Matcher matcher = EXAMPLE.matcher(Files.readString(Path.of("..", page)));
    assertTrue(matcher.find(), page + " has a Java example");
    compile(
        Files.writeString(directory.resolve(name + ".java"), matcher.group(1)),
        System.getProperty("java.class.path"));
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
