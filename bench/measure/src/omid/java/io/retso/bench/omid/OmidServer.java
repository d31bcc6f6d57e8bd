package io.retso.bench.omid;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.omid.transaction.HBaseOmidClientConfiguration;
import org.apache.omid.transaction.HBaseTransactionManager;
import org.apache.omid.transaction.OmidSnapshotFilter;
import org.apache.omid.transaction.TransactionManager;
import org.apache.omid.tso.client.OmidClientConfiguration.PostCommitMode;

/**
 * Omid's server beside a cluster, and a client of it: with reads in the region server, and its work
 * after a commit done before the answer, since in its other mode that has one thread, and a queue
 * without a bound. Its log is HBase's, which is not forced unless {@code hbase.wal.hsync} says so.
 * Thread-safe.
 */
public final class OmidServer implements AutoCloseable {
  private static final String SERVER_READS = "omid.server.side.filter";
  private static final String COMMIT_TABLE = "omid.committable.tablename";

  private final ChildProcess server;
  private final Connection connection;
  private final TransactionManager manager;
  private final String commitTable;

  /** Starts it for a cluster: a few seconds. */
  public OmidServer(LocalCluster cluster) throws IOException, InterruptedException {
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
    commitTable = client.getCommitTableName();
    connection = ConnectionFactory.createConnection(configuration);
    manager = HBaseTransactionManager.newInstance(client);
  }

  public Connection connection() {
    return connection;
  }

  public TransactionManager manager() {
    return manager;
  }

  /**
   * Creates a table that Omid can read.
   *
   * @param splits where the regions of the table begin, but for the first one
   */
  public void create(TableName table, byte[] family, byte[][] splits) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(table)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(family)
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

  @Override
  public void close() throws IOException {
    try (server;
        connection;
        manager) {
      // All are closed, whatever one of them throws.
    }
  }
}
