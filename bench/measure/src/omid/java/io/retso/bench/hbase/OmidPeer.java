package io.retso.bench.hbase;

import static io.retso.bench.hbase.PlainOperations.checked;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.omid.transaction.HBaseOmidClientConfiguration;
import org.apache.omid.transaction.HBaseTransactionManager;
import org.apache.omid.transaction.OmidSnapshotFilter;
import org.apache.omid.transaction.RollbackException;
import org.apache.omid.transaction.TTable;
import org.apache.omid.transaction.Transaction;
import org.apache.omid.transaction.TransactionException;
import org.apache.omid.transaction.TransactionManager;
import org.apache.omid.tso.client.OmidClientConfiguration.PostCommitMode;

/**
 * Apache Omid with reads in the region server, and its work after a commit done before the answer:
 * in its other mode that has one thread, and a queue without a bound. Its log is HBase's, which is
 * not forced unless {@code hbase.wal.hsync} says so.
 */
final class OmidPeer implements Peer {
  private static final TableName TABLE = TableName.valueOf("omids_table");
  private static final String SERVER_READS = "omid.server.side.filter";
  private static final String COMMIT_TABLE = "omid.committable.tablename";

  private ChildProcess server;
  private Connection connection;
  private TransactionManager manager;

  @Override
  public String name() {
    return "Omid";
  }

  @Override
  public void open(LocalCluster cluster, byte[][] splits) throws IOException, InterruptedException {
    Configuration configuration = cluster.configuration();
    configuration.set(SERVER_READS, "true");
    Path directory = Files.createTempDirectory("omid");
    try (OutputStream site = Files.newOutputStream(directory.resolve("hbase-site.xml"))) {
      configuration.writeXml(site);
    }
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path ready = directory.resolve("ready");
    server =
        ChildProcess.start(
            "Omid's server",
            directory.resolve("output.txt"),
            ready,
            List.of("-Xmx1g", "-Xbootclasspath/a:" + directory), // behind the JVM's own classes
            OmidNode.class.getName(),
            List.of(Integer.toString(port), ready.toString()));
    server.awaitReady();
    HBaseOmidClientConfiguration client = new HBaseOmidClientConfiguration();
    client.setConnectionString("127.0.0.1:" + port);
    client.setPostCommitMode(PostCommitMode.SYNC);
    client.setHBaseConfiguration(configuration);
    connection = ConnectionFactory.createConnection(configuration);
    create(client.getCommitTableName(), splits);
    manager = HBaseTransactionManager.newInstance(client);
  }

  private void create(String commitTable, byte[][] splits) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(Rows.FAMILY)
                      .setMaxVersions(Integer.MAX_VALUE)
                      .build())
              .setCoprocessor(
                  CoprocessorDescriptorBuilder.newBuilder(OmidSnapshotFilter.class.getName())
                      .setProperty(COMMIT_TABLE, commitTable)
                      .build())
              .build(),
          splits);
    }
  }

  private interface Work {
    void in(Transaction tx, TTable table) throws IOException;
  }

  private Operation operation(Work work) throws IOException {
    TTable table = new TTable(connection, TABLE.getNameAsString());
    return new Operation() {
      @Override
      public boolean run() throws IOException {
        return transaction(table, work);
      }

      @Override
      public void close() throws IOException {
        table.close();
      }
    };
  }

  private boolean transaction(TTable table, Work work) throws IOException {
    try {
      Transaction tx = manager.begin();
      work.in(tx, table);
      manager.commit(tx);
      return true;
    } catch (RollbackException e) {
      return false;
    } catch (TransactionException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void load(List<Put> puts) throws IOException {
    try (Operation operation = operation((tx, table) -> table.put(tx, puts))) {
      operation.run();
    }
  }

  @Override
  public Operation.Maker gets(int count) {
    return rows -> operation((tx, table) -> checked(table.get(tx, rows.gets(count))));
  }

  @Override
  public Operation.Maker singleGets(int count) {
    return rows ->
        operation(
            (tx, table) -> {
              for (Get get : rows.gets(count)) {
                checked(table.get(tx, get));
              }
            });
  }

  @Override
  public Operation.Maker scans(int count) {
    return rows -> operation((tx, table) -> scanned(tx, table, rows.scan(count)));
  }

  private static void scanned(Transaction tx, TTable table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(tx, scan)) {
      Result row = scanner.next();
      if (row == null) {
        throw new IOException("a scan found nothing: every row was loaded");
      }
      for (int i = 1; row != null && i < scan.getLimit(); i++) {
        row = scanner.next();
      }
    }
  }

  @Override
  public Operation.Maker puts(int count) {
    return rows -> operation((tx, table) -> table.put(tx, rows.puts(count)));
  }

  @Override
  public Operation.Maker readModifyWrites(int count) {
    return rows -> operation((tx, table) -> readModifyWrite(tx, table, rows, rows.next(count)));
  }

  private static void readModifyWrite(Transaction tx, TTable table, Rows rows, List<byte[]> keys)
      throws IOException {
    checked(table.get(tx, keys.stream().map(Get::new).toList()));
    List<Put> puts = new ArrayList<>(keys.size());
    keys.forEach(key -> puts.add(rows.put(key)));
    table.put(tx, puts);
  }

  @Override
  public Operation.Maker mix(Mix mix) {
    return rows -> operation((tx, table) -> run(mix.next(rows), tx, table, rows));
  }

  private static void run(Mix.Kind kind, Transaction tx, TTable table, Rows rows)
      throws IOException {
    switch (kind) {
      case READ -> checked(table.get(tx, new Get(rows.next())));
      case SCAN -> scanned(tx, table, rows.scan(1 + rows.choose(Mix.SCANNED_MAX)));
      case UPDATE -> table.put(tx, rows.put(rows.next()));
      case INSERT -> table.put(tx, rows.put(rows.absent()));
      case READ_MODIFY_WRITE -> readModifyWrite(tx, table, rows, List.of(rows.next()));
    }
  }

  @Override
  public void close() throws IOException {
    if (manager != null) {
      manager.close();
    }
    if (connection != null) {
      connection.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
