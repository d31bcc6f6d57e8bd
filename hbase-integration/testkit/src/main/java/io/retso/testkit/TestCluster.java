package io.retso.testkit;

import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * HBase (one master, one region server) and an oracle in this process, real ones, on free ports of
 * the loopback interface. The oracle keeps its log in memory, HBase its files in a directory that
 * is deleted at the end.
 *
 * <p>Thread-safe. Tests that share one keep apart by tables of their own, or by creating theirs
 * anew.
 */
@InterfaceAudience.Public
public final class TestCluster implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final EmbeddedHBase hbase;
  private final SeparateOracle oracle;
  private final Connection connection;
  private final TransactionManager manager;

  private TestCluster() throws Exception {
    Path directory = Files.createTempDirectory("retso-testkit");
    try {
      opened.push(() -> delete(directory));
      oracle = opened(new SeparateOracle());
      hbase = opened(EmbeddedHBase.in(directory).start());
      connection = opened(ConnectionFactory.createConnection(hbase.configuration()));
      manager = opened(TransactionManager.builder(configuration()).build());
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private <T extends AutoCloseable> T opened(T what) {
    opened.push(what);
    return what;
  }

  /**
   * Starts one, in some ten seconds.
   *
   * @throws IllegalStateException if it does not start
   */
  public static TestCluster start() {
    try {
      return new TestCluster();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the test cluster started", e);
    } catch (Exception e) {
      throw new IllegalStateException("the test cluster did not start: " + ErrorText.of(e), e);
    }
  }

  /** What a client needs to connect to HBase and to the oracle; a copy of its own. */
  public Configuration configuration() {
    Configuration configuration = hbase.configuration();
    configuration.set(ManagerBuilder.ORACLE_KEY, oracleAddress());
    return configuration;
  }

  /** The oracle's address, {@code host:port}. */
  public String oracleAddress() {
    return "127.0.0.1:" + oracle.port();
  }

  /** A connection to HBase, shared: do not close it. */
  public Connection connection() {
    return connection;
  }

  /** A transaction manager, shared: do not close it. */
  public TransactionManager manager() {
    return manager;
  }

  /**
   * Creates an empty table, prepared for transactions. One of that name is dropped first.
   *
   * @throws IOException if HBase refuses it
   */
  public TableName createTable(String name, String... families) throws IOException {
    return createTable(name, TablePreparation.Options.DEFAULT, families);
  }

  /** Creates such a table with other options than the default. */
  public TableName createTable(String name, TablePreparation.Options options, String... families)
      throws IOException {
    TableName table = TableName.valueOf(name);
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(table)) {
        admin.disableTable(table);
        admin.deleteTable(table);
      }
    }
    TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(table);
    for (String family : families) {
      descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
    TableDescriptor created = descriptor.build();
    TablePreparation.builder(connection).oracle(oracleAddress()).build().create(created, options);
    return table;
  }

  /** Stops everything. */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("the test cluster did not stop: " + ErrorText.of(e), e);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(TestCluster::deleteFile);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void deleteFile(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit(); // a late writer; the next run uses another directory
    }
  }
}
