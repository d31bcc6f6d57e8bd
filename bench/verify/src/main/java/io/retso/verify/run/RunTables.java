package io.retso.verify.run;

import io.retso.admin.FirstContact;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.options.Conflicts;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.Tokens;
import io.retso.verify.faults.Fault;
import io.retso.verify.lists.ListKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.master.RegionState;

/**
 * The tables that a run works on, and connections to them. They are made by this and dropped when
 * it is closed.
 *
 * <p>Thread-safe.
 */
final class RunTables implements AutoCloseable {
  /** Each read mode with each conflict rule. */
  static final List<TablePreparation.Options> ALL_MODES =
      List.of(
          TablePreparation.Options.DEFAULT.withConflicts(Conflicts.ROW),
          TablePreparation.Options.DEFAULT.withConflicts(Conflicts.CELL),
          TablePreparation.Options.CLIENT_READS.withConflicts(Conflicts.ROW),
          TablePreparation.Options.CLIENT_READS.withConflicts(Conflicts.CELL));

  /** The granules of {@code --isolation mixed}: without them scans do not notice the others. */
  private static final String GRANULES = "0,4,8,16";

  /**
   * Where tables are split from the start: two regions can be merged at once, while daughters of a
   * split cannot before they are compacted.
   */
  private static final byte[][] SPLITS = {
    new ListKey(0, 1, 0, 0, 0).rowKey(), new ListKey(0, ListKey.GROUPS / 2, 0, 0, 0).rowKey()
  };

  private static final long ANSWER_SECONDS_MAX = 3;

  private final ClusterAccess access;
  private final String prefix;
  private final Connection connection;
  private final AsyncConnection asyncConnection;
  private final Admin admin;
  private final List<TableName> tables = new ArrayList<>();
  private TransactionManager manager;

  private RunTables(
      ClusterAccess access, String prefix, Connection connection, AsyncConnection async)
      throws IOException {
    this.access = access;
    this.prefix = prefix;
    this.connection = connection;
    this.asyncConnection = async;
    this.admin = connection.getAdmin();
  }

  /**
   * Connects, and makes the tables.
   *
   * @param access to the cluster
   * @param prefix of the names of the tables; no other tables have it
   * @param modes one for each of {@link ListKey#TABLES} tables
   */
  static RunTables open(ClusterAccess access, String prefix, List<TablePreparation.Options> modes)
      throws IOException {
    var configuration = access.configuration();
    RunTables place =
        new RunTables(
            access,
            prefix,
            ConnectionFactory.createConnection(configuration),
            FirstContact.connect(configuration));
    try {
      place.manager =
          TransactionManager.builder(place.asyncConnection)
              .oracle(access.oracle())
              .sweepInterval(Duration.ZERO)
              .build();
      place.createTables(modes);
      place.tokens().create(place.manager);
      return place;
    } catch (IOException | RuntimeException e) {
      try {
        place.close();
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  /** The modes for a run. */
  static List<TablePreparation.Options> modes(RunIsolation isolation) {
    return isolation == RunIsolation.MIXED
        ? ALL_MODES.stream().map(options -> options.withGranules(GRANULES)).toList()
        : ALL_MODES;
  }

  private void createTables(List<TablePreparation.Options> modes) throws IOException {
    TablePreparation preparation =
        TablePreparation.builder(connection).oracle(access.oracle()).build();
    for (TablePreparation.Options options : modes) {
      String mode = (options.reads() + "-" + options.conflicts()).toLowerCase(Locale.ROOT);
      TableName name = TableName.valueOf(prefix + "-" + tables.size() + "-" + mode);
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
      for (byte[] family : ListKey.families()) {
        table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
      }
      preparation.create(table.build(), options, SPLITS);
      tables.add(name);
    }
  }

  ClusterAccess access() {
    return access;
  }

  Connection connection() {
    return connection;
  }

  AsyncConnection asyncConnection() {
    return asyncConnection;
  }

  Admin admin() {
    return admin;
  }

  /** A manager that sweeps only when asked to. */
  TransactionManager manager() {
    return manager;
  }

  List<TableName> tables() {
    return List.copyOf(tables);
  }

  /** The tokens in the tables. */
  Tokens tokens() {
    return new Tokens(tables());
  }

  /** Sweeps on command, as a fault. */
  Fault sweep() {
    return new Fault("sweep", random -> manager.sweep().toString());
  }

  /**
   * What may keep all clients waiting, to be added to a sentence; empty if nothing is known of it.
   */
  String regionsInTransition() {
    try {
      List<RegionState> regions =
          asyncConnection
              .getAdmin()
              .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.REGIONS_IN_TRANSITION))
              .get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)
              .getRegionStatesInTransition();
      return regions.isEmpty()
          ? ""
          : "; regions in transition: "
              + String.join(
                  ", ", regions.stream().limit(3).map(RegionState::toDescriptiveString).toList());
    } catch (ExecutionException | TimeoutException e) {
      return "; HBase's master does not say where regions are";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Drops the tables with this prefix: also those that were made though that was not answered. */
  static void drop(Admin admin, String prefix) throws IOException {
    for (TableName table : admin.listTableNames(Pattern.compile(Pattern.quote(prefix) + "-.*"))) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  /** Drops the tables. */
  @Override
  public void close() throws IOException {
    try (connection;
        asyncConnection;
        admin) {
      if (manager != null) {
        manager.close();
      }
      drop(admin, prefix);
    }
  }
}
