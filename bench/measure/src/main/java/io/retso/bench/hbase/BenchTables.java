package io.retso.bench.hbase;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.retso.admin.FirstContact;
import io.retso.client.OracleClient;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * A plain and a transactional table of one cluster, with the same data, and the clients of both.
 * Thread-safe once it is loaded.
 */
final class BenchTables implements AutoCloseable {
  /** Names of one length: each entry of HBase's log has the name. */
  static final TableName PLAIN = TableName.valueOf("plain_table");

  static final TableName TRANSACTIONAL = TableName.valueOf("retso_table");

  private static final int LOADED_AT_ONCE = 1000;
  private static final int REGIONS = 4;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  final Connection connection;
  final AsyncConnection async;
  final TransactionManager manager;
  final OracleClient oracle;

  /** Null if there is none. */
  final Peer peer;

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** Connects to a cluster. */
  BenchTables(LocalCluster cluster, Isolation isolation) throws IOException {
    this(cluster, cluster.configuration(), isolation);
  }

  /** Connects to a cluster with settings of its own for HBase's client. */
  BenchTables(LocalCluster cluster, Configuration configuration, Isolation isolation)
      throws IOException {
    connection = opened(ConnectionFactory.createConnection(configuration));
    async = opened(FirstContact.connect(configuration));
    oracle = opened(OracleClient.builder().address(cluster.oracle()).build());
    manager =
        opened(
            TransactionManager.builder(configuration)
                .isolation(isolation)
                .meterRegistry(meters)
                .build());
    peer = Peer.find().map(this::opened).orElse(null);
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.add(0, resource);
    return resource;
  }

  /** Creates both tables, in as many regions, and writes the same rows to both. */
  void load(LocalCluster cluster, TablesSettings settings)
      throws IOException, InterruptedException {
    TableDescriptor plain = descriptor(PLAIN);
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 1; i < REGIONS; i++) {
      splits[i - 1] = Rows.key((long) settings.rows() * i / REGIONS);
    }
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(plain, splits);
      TablePreparation.builder(connection)
          .oracle(cluster.oracle())
          .build()
          .create(
              descriptor(TRANSACTIONAL),
              settings.clientReads()
                  ? TablePreparation.Options.CLIENT_READS
                  : TablePreparation.Options.DEFAULT,
              splits);
      if (peer != null) {
        peer.open(cluster, splits);
      }
      Rows values =
          new Rows(settings.rows(), settings.valueBytes(), settings.seed(), Rows.Draw.UNIFORM);
      for (int from = 0; from < settings.rows(); from += LOADED_AT_ONCE) {
        List<Put> puts = new ArrayList<>();
        for (int i = from; i < Math.min(settings.rows(), from + LOADED_AT_ONCE); i++) {
          puts.add(values.put(Rows.key(i)));
        }
        write(puts);
      }
      flush();
    }
  }

  /** Leaves nothing in memory, once everything that was committed is cleaned up. */
  void flush() throws IOException {
    awaitCleanup();
    try (Admin admin = connection.getAdmin()) {
      admin.flush(PLAIN);
      admin.flush(TRANSACTIONAL);
    }
  }

  private void write(List<Put> puts) throws IOException {
    try (Table table = connection.getTable(PLAIN);
        Transaction tx = manager.begin()) {
      tx.table(TRANSACTIONAL).put(puts);
      tx.commit();
      table.put(puts);
    }
    if (peer != null) {
      peer.load(puts);
    }
  }

  private static TableDescriptor descriptor(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Rows.FAMILY))
        .build();
  }

  /** Waits until everything that was committed is cleaned up, and reported to the oracle. */
  void awaitCleanup() {
    while (meters.get("retso.client.cleanup.rows").gauge().value() > 0
        || oracle.outstanding() > 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  @Override
  public void close() throws IOException {
    for (AutoCloseable resource : open) {
      try {
        resource.close();
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException("cannot close " + resource, e);
      }
    }
  }
}
