package io.retso.hbase.backup;

import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Tells a table from one that has taken its place under its name. Immutable.
 *
 * @param preparation RETSO_PREPARATION, in hexadecimal digits
 * @param stateVersion {@link #stateVersion}
 */
record TableIdentity(String preparation, long stateVersion) {
  TableIdentity {
    Objects.requireNonNull(preparation);
  }

  static TableIdentity of(Connection connection, TableDescriptor table) throws IOException {
    return new TableIdentity(
        Long.toHexString(TableSettings.of(table).preparation()),
        stateVersion(connection, table.getTableName()));
  }

  /**
   * The version of a table's state in {@code hbase:meta}: another one after each time that it was
   * disabled. What truncates a table, or puts a snapshot of HBase in its place, needs a table that
   * is disabled, and leaves no tombstones by which a backup would see it.
   */
  static long stateVersion(Connection connection, TableName name) throws IOException {
    Get state =
        new Get(name.getName())
            .addColumn(HConstants.TABLE_FAMILY, HConstants.TABLE_STATE_QUALIFIER);
    try (Table meta = connection.getTable(TableName.META_TABLE_NAME)) {
      Result found = meta.get(state);
      if (found.isEmpty()) {
        throw new TableNotFoundException(name);
      }
      return found.rawCells()[0].getTimestamp();
    }
  }

  /** Requires that this is the table that another backup has. */
  void requireSame(Plan.Table before) throws BackupException {
    if (!preparation.equals(before.identity().preparation)) {
      throw new BackupException(
          "table "
              + before.name()
              + " is not the one of the backup before: it was dropped and created again, or"
              + " prepared for another oracle; take a full backup",
          null);
    }
    if (stateVersion != before.identity().stateVersion) {
      throw new BackupException(
          "table "
              + before.name()
              + " was disabled since the backup before, and may have been truncated then, or"
              + " restored from a snapshot of HBase: take a full backup",
          null);
    }
  }
}
