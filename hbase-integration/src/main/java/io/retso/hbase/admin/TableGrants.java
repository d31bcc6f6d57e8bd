package io.retso.hbase.admin;

import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Gives users the rights that transactions take, where HBase checks rights. A user that is given
 * some families of a table only needs that of the marks, too. Thread-safe, as the connection is.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TableGrants {
  private final Connection connection;

  /**
   * Grants by way of a connection, whose user must administer the tables.
   *
   * @param connection stays open
   */
  public TableGrants(Connection connection) {
    this.connection = Objects.requireNonNull(connection, "connection is null: pass an open one");
  }

  /**
   * Grants READ and WRITE, beside the rights that the user has.
   *
   * @param user its name as HBase knows it; of a group with {@code @} in front
   * @param families those that it may use, without the one of the marks; if there are none, all of
   *     the table, those that it will have included
   * @throws TableNotPreparedException if the table is not prepared, or has no such family
   * @throws IOException if HBase refuses it, or checks no rights
   */
  public void readAndWrite(String user, TableName table, List<String> families) throws IOException {
    Objects.requireNonNull(user, "user is null: name one");
    try (Admin admin = connection.getAdmin()) {
      List<Permission> permissions = permissions(prepared(admin, table), families);
      for (Permission permission : permissions) {
        admin.grant(new UserPermission(user, permission), true);
      }
    }
  }

  private static TableDescriptor prepared(Admin admin, TableName name) throws IOException {
    if (!admin.tableExists(name)) {
      throw PreparedDescriptor.refused(name, "does not exist: create and prepare it");
    }
    TableDescriptor table = admin.getDescriptor(name);
    try {
      if (TableSettings.of(table).reads() == Reads.CLIENT) {
        throw PreparedDescriptor.refused(
            name,
            "has client reads, which take CREATE, too, and that lets a user alter or drop it: if"
                + " that is all right, grant 'USER', 'RWC', 'TABLE' in HBase's shell; or prepare it"
                + " with server reads");
      }
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(ErrorText.of(e), e);
    }
    return table;
  }

  private static List<Permission> permissions(TableDescriptor table, List<String> families)
      throws TableNotPreparedException {
    List<byte[]> granted = new ArrayList<>();
    for (String family : families) {
      byte[] name = Bytes.toBytes(family);
      if (PendingWrite.isFamily(name) || !table.hasColumnFamily(name)) {
        throw PreparedDescriptor.refused(
            table.getTableName(),
            Text.of("has no family %s of its own: name others, or none for all of them", family));
      }
      granted.add(name);
    }
    if (granted.isEmpty()) {
      return List.of(permission(table.getTableName(), null));
    }
    granted.add(PendingWrite.family()); // last: until then the user can begin nothing
    return granted.stream().map(family -> permission(table.getTableName(), family)).toList();
  }

  private static Permission permission(TableName table, byte[] family) {
    return Permission.newBuilder(table)
        .withFamily(family)
        .withActions(Action.READ, Action.WRITE)
        .build();
  }
}
