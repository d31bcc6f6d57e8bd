package io.retso.hbase.admin;

import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.FamilySettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.TableRules;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What the descriptor of a table becomes when it is prepared, or the reason why it cannot be: a
 * table that must not be, or a setting that is not just put right, since an application may rely on
 * it. It looks at the descriptor alone; nothing is asked, and nothing is changed. Immutable.
 *
 * @param table as it is, prepared or not
 * @param durability what it gets; null leaves its own
 */
record PreparedDescriptor(TableDescriptor table, Options options, Durability durability) {

  /**
   * The descriptor.
   *
   * @param oracle to which the table will belong
   * @param addresses of that oracle, {@code host:port} each
   * @throws TableNotPreparedException if the table cannot be prepared; says why and what to do
   */
  TableDescriptor of(OracleIdentity oracle, List<String> addresses) throws IOException {
    requireTableOfUsers();
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
    int scope = prepareFamilies(builder);
    if (durability != null) {
      builder.setDurability(durability);
    }
    setCoprocessor(builder);
    try {
      builder.setColumnFamily(PendingWrite.familyFor(table, scope));
      new TableSettings(
              options.conflicts(),
              options.reads(),
              oracle,
              String.join(",", addresses),
              TableSettings.granules(options.granules()),
              cleanup(scope),
              TableSettings.preparationFor(table, oracle))
          .writeTo(builder);
    } catch (IllegalArgumentException e) {
      throw refused("cannot be prepared: " + ErrorText.of(e));
    }
    TableDescriptor prepared = builder.build();
    List<String> violations = FamilySettings.violations(prepared);
    if (!violations.isEmpty()) {
      throw refused("cannot be prepared: " + String.join("; ", violations));
    }
    return prepared;
  }

  private void requireTableOfUsers() throws TableNotPreparedException {
    if (table.getTableName().isSystemTable()) {
      throw refused("belongs to HBase: use a table of your own");
    }
    if (TableSettings.isPrepared(table)) {
      try {
        TableSettings.checkCells(table);
      } catch (IllegalArgumentException e) {
        throw new TableNotPreparedException(ErrorText.of(e), e);
      }
    }
  }

  /** Sets what data families need, removes {@code !pw}, and returns their replication scope. */
  private int prepareFamilies(TableDescriptorBuilder builder) throws TableNotPreparedException {
    int dataFamilies = 0;
    int scope = HConstants.REPLICATION_SCOPE_LOCAL;
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (!PendingWrite.isFamily(family.getName())) {
        dataFamilies++;
        scope = family.getScope(); // if others differ, FamilySettings finds it
        checkFamily(family);
        builder.modifyColumnFamily(FamilySettings.prepared(family));
      }
    }
    if (dataFamilies == 0) {
      throw refused("has no family of its own: add one");
    }
    if (table.hasColumnFamily(PendingWrite.family())) {
      if (!TableSettings.isPrepared(table)) {
        throw refused("has a family !pw of its own, which is reserved: remove it");
      }
      builder.removeColumnFamily(PendingWrite.family());
    }
    return scope;
  }

  /** Regions of a peer would not know what has been adopted; client reads know no regions. */
  private TableSettings.Cleanup cleanup(int scope) {
    return options.reads() == Reads.SERVER && scope == HConstants.REPLICATION_SCOPE_LOCAL
        ? TableSettings.Cleanup.REGIONS
        : TableSettings.Cleanup.ROWS;
  }

  private void checkFamily(ColumnFamilyDescriptor family) throws TableNotPreparedException {
    ColumnFamilyDescriptor prepared = FamilySettings.prepared(family);
    String named = "has a family " + family.getNameAsString();
    if (family.getTimeToLive() != prepared.getTimeToLive()) {
      throw refused(
          named
              + " whose cells expire after "
              + family.getTimeToLive()
              + " s, and snapshots must not lose any: set its TTL to FOREVER if that is all right");
    }
    if (TableSettings.isPrepared(table)) {
      return; // what follows was not so when it was prepared, and is mended
    }
    // What was put after a delete, with a version below it, is alive with this setting, and dead
    // without it. A compaction removes what is dead now, and the delete: then both are the same.
    if (family.isNewVersionBehavior()) {
      throw refused(
          named
              + " with NEW_VERSION_BEHAVIOR, without which cells would vanish that were put after a"
              + " delete of their version or of a later one, and transactions need it to be off:"
              + " while the table is not written, flush and major_compact it, wait until that is"
              + " done, and set NEW_VERSION_BEHAVIOR to false");
    }
    // It cannot stay, as HBase would keep all that cleanups delete, for ever; and without it the
    // next compaction removes what had been deleted before, and was to be kept.
    if (family.getKeepDeletedCells() != prepared.getKeepDeletedCells()) {
      throw refused(
          named
              + " with KEEP_DELETED_CELLS "
              + family.getKeepDeletedCells()
              + ", and transactions need it to be off: set KEEP_DELETED_CELLS to FALSE if the cells"
              + " that were deleted may go");
    }
  }

  private void setCoprocessor(TableDescriptorBuilder builder) throws IOException {
    if (table.hasCoprocessor(TableRules.OBSERVER)) {
      builder.removeCoprocessor(TableRules.OBSERVER);
    }
    if (options.reads() == Reads.SERVER) {
      CoprocessorDescriptorBuilder observer =
          CoprocessorDescriptorBuilder.newBuilder(TableRules.OBSERVER)
              .setPriority(Coprocessor.PRIORITY_USER); // behind those that hide cells
      if (!options.jar().isEmpty()) {
        observer.setJarPath(options.jar());
      }
      builder.setCoprocessor(observer.setProperties(Map.of()).build());
    }
  }

  private TableNotPreparedException refused(String reason) {
    return refused(table.getTableName(), reason);
  }

  /** What to throw if a table is not prepared for a reason, which continues "table X". */
  static TableNotPreparedException refused(TableName name, String reason) {
    return new TableNotPreparedException("table " + name + " " + reason, null);
  }
}
