package io.retso.hbase;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.data.PendingWrite;
import io.retso.hbase.data.TableSettings;
import io.retso.hbase.data.TableSettings.Conflicts;
import io.retso.hbase.data.TableSettings.Reads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Prepares tables for transactions, once: adds the family of the marks, keeps all versions, loads
 * the coprocessor, and writes down how transactions use the table. Everything is checked before
 * anything is changed, and preparing a prepared table again is harmless.
 *
 * <p>Do not change the conflict rule, the place of reads or the oracle of a table while
 * transactions use it: they learn of it within 30 s, and not together.
 *
 * <p>Blocking; may be used by several threads, though not for one table at a time.
 */
public final class TablePreparation {
  /** The coprocessor's class; it is loaded by region servers, by this name. */
  static final String OBSERVER = "io.retso.hbase.coprocessor.TransactionRegionObserver";

  private final Connection connection;
  private final String oracle;

  /**
   * Prepares tables of the cluster for the oracle.
   *
   * @param connection to HBase; stays open
   * @param oracle addresses, {@code host:port[,host:port]}, as region servers and clients reach
   *     them
   */
  public TablePreparation(Connection connection, String oracle) {
    this.connection = Objects.requireNonNull(connection, "connection");
    this.oracle = Objects.requireNonNull(oracle, "oracle");
  }

  /**
   * How transactions use a table. Immutable.
   *
   * @param conflicts whether two writers of a row conflict, or only two writers of a cell
   * @param reads whether snapshots are decided by the region server or by clients
   * @param jar path of the jar with the coprocessor in a file system of HBase; empty if it is on
   *     the class path of the region servers. For server reads only
   */
  public record Options(Conflicts conflicts, Reads reads, String jar) {
    /** Conflicts by row, server reads, the coprocessor on the class path of the region servers. */
    public static final Options DEFAULT = new Options(Conflicts.ROW, Reads.SERVER, "");

    /** Conflicts by row, client reads: no coprocessor, and nothing is ever purged. */
    public static final Options CLIENT_READS = new Options(Conflicts.ROW, Reads.CLIENT, "");

    /** Checks that nothing is missing. */
    public Options {
      Objects.requireNonNull(conflicts, "conflicts");
      Objects.requireNonNull(reads, "reads");
      Objects.requireNonNull(jar, "jar: use the empty text for none");
    }

    /** The same with another conflict rule. */
    public Options with(Conflicts other) {
      return new Options(other, reads, jar);
    }
  }

  /**
   * Prepares an existing table.
   *
   * @return the descriptor that it has now
   * @throws TableNotPreparedException if it cannot be prepared; nothing was changed; says why and
   *     what to do
   * @throws IOException if HBase fails
   */
  public TableDescriptor prepare(TableName name, Options options) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        throw refused(name, "does not exist: create it, or let TablePreparation create it");
      }
      if (admin.isTableDisabled(name)) {
        throw refused(name, "is disabled: enable it");
      }
      TableDescriptor before = admin.getDescriptor(name);
      TableDescriptor after = prepared(before, options);
      if (!TableSettings.isPrepared(before)) {
        checkData(name);
      }
      if (!after.equals(before)) {
        admin.modifyTable(after); // waits until all regions have it
      }
      return after;
    }
  }

  /**
   * Creates a table, prepared.
   *
   * @param table its families, without {@code !pw}; versions and lifetimes are set here
   * @param splitKeys first rows of its regions but the first one; none for one region
   * @throws IOException if it cannot be prepared, or HBase fails
   */
  public TableDescriptor create(TableDescriptor table, Options options, byte[]... splitKeys)
      throws IOException {
    TableDescriptor prepared = prepared(table, options);
    nextTimestamp(); // the oracle's address is known to be right before anything exists
    try (Admin admin = connection.getAdmin()) {
      if (splitKeys.length == 0) {
        admin.createTable(prepared);
      } else {
        admin.createTable(prepared, splitKeys);
      }
    }
    return prepared;
  }

  /**
   * What keeps transactions from using the table, one sentence each, with the remedy; empty if they
   * can.
   */
  public List<String> check(TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        return List.of("table " + name + " does not exist: create and prepare it");
      }
      List<String> found = new ArrayList<>();
      TableDescriptor table = admin.getDescriptor(name);
      try {
        found.addAll(violations(table, TableSettings.of(table)));
      } catch (IllegalArgumentException e) {
        found.add(e.getMessage());
      }
      if (admin.isTableDisabled(name)) {
        found.add("table " + name + " is disabled: enable it");
      }
      return found;
    }
  }

  /**
   * What of a prepared table's descriptor is not as it was prepared. Without the coprocessor a
   * server read would be a plain one, and show what is not committed.
   */
  static List<String> violations(TableDescriptor table, TableSettings settings) {
    List<String> found = new ArrayList<>();
    if (settings.reads() == Reads.SERVER && !table.hasCoprocessor(OBSERVER)) {
      found.add("the coprocessor " + OBSERVER + " is missing: prepare the table again");
    }
    found.addAll(TableSettings.violations(table));
    return found;
  }

  private TableDescriptor prepared(TableDescriptor table, Options options) throws IOException {
    TableName name = table.getTableName();
    if (name.isSystemTable()) {
      throw refused(name, "belongs to HBase: use a table of your own");
    }
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    int dataFamilies = 0;
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (!PendingWrite.isFamily(family.getName())) {
        dataFamilies++;
        checkFamily(name, family);
        builder.modifyColumnFamily(TableSettings.prepared(family));
      }
    }
    if (dataFamilies == 0) {
      throw refused(name, "has no family of its own: add one");
    }
    if (table.hasColumnFamily(PendingWrite.family())) {
      if (!TableSettings.isPrepared(table)) {
        throw refused(name, "has a family !pw of its own, which is reserved: remove it");
      }
      builder.modifyColumnFamily(PendingWrite.familyDescriptor());
    } else {
      builder.setColumnFamily(PendingWrite.familyDescriptor());
    }
    setCoprocessor(table, builder, options);
    try {
      new TableSettings(options.conflicts(), options.reads(), oracle).writeTo(builder);
    } catch (IllegalArgumentException e) {
      throw refused(name, "cannot be prepared: " + e.getMessage());
    }
    TableDescriptor prepared = builder.build();
    List<String> violations = TableSettings.violations(prepared);
    if (!violations.isEmpty()) {
      throw refused(name, "cannot be prepared: " + String.join("; ", violations));
    }
    return prepared;
  }

  /** Settings that are not just put right, since somebody relies on them. */
  private static void checkFamily(TableName name, ColumnFamilyDescriptor family)
      throws TableNotPreparedException {
    ColumnFamilyDescriptor prepared = TableSettings.prepared(family);
    if (family.getTimeToLive() != prepared.getTimeToLive()) {
      throw refused(
          name,
          "has a family "
              + family.getNameAsString()
              + " whose cells expire after "
              + family.getTimeToLive()
              + " s, and snapshots must not lose any: set its TTL to FOREVER if that is all right");
    }
  }

  private static void setCoprocessor(
      TableDescriptor table, TableDescriptorBuilder builder, Options options) throws IOException {
    if (table.hasCoprocessor(OBSERVER)) {
      builder.removeCoprocessor(OBSERVER);
    }
    if (options.reads() == Reads.SERVER) {
      CoprocessorDescriptorBuilder observer = CoprocessorDescriptorBuilder.newBuilder(OBSERVER);
      if (!options.jar().isEmpty()) {
        observer.setJarPath(options.jar());
      }
      CoprocessorDescriptor descriptor = observer.setProperties(Map.of()).build();
      builder.setCoprocessor(descriptor);
    }
  }

  /** What is in the table must be below every snapshot to come, or it would appear in time. */
  private void checkData(TableName name) throws IOException {
    long next = nextTimestamp();
    Scan scan = new Scan().setTimeRange(next, Long.MAX_VALUE).setLimit(1);
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      Result found = scanner.next();
      if (found != null) {
        throw refused(
            name,
            "has cells of the future: version "
                + found.rawCells()[0].getTimestamp()
                + " is above the oracle's next timestamp, "
                + next
                + ", so snapshots would not see it: write them again with lower timestamps, or use"
                + " an oracle that is ahead of them (a new one starts at the clock's"
                + " milliseconds)");
      }
    }
  }

  private long nextTimestamp() throws OracleUnavailableException {
    OracleClient.Builder builder = OracleClient.builder().name("retso-prepare");
    for (String address : oracle.split(",")) {
      builder.address(address.trim());
    }
    try (OracleClient client = builder.build()) {
      long timestamp = client.begin();
      client.abort(timestamp);
      return timestamp;
    } catch (OracleException e) {
      throw new OracleUnavailableException(
          "the oracle at " + oracle + " cannot be used: " + e.getMessage() + "; check the address",
          e);
    }
  }

  private static TableNotPreparedException refused(TableName name, String reason) {
    return new TableNotPreparedException("table " + name + " " + reason, null);
  }
}
