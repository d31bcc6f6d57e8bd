package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HBase with rights: a list of tables has only those that the user may administer. */
@Timeout(180)
class HiddenTableTest {
  private static final TableName SHOWN = TableName.valueOf("shown");
  private static final TableName HIDDEN = TableName.valueOf("hidden");

  @TempDir Path directory;

  private static void create(Connection connection, String oracle, TableName name)
      throws Exception {
    new TablePreparation(connection, oracle)
        .create(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Fixture.F))
                .build(),
            TablePreparation.Options.DEFAULT);
  }

  /** Its clients leave their cleanup undone. */
  private static TransactionManager dying(Connection connection, String oracle) throws Exception {
    return TransactionManager.builder(connection)
        .oracle(oracle)
        .cleanupAlive(start -> false)
        .build();
  }

  /** Told that all is swept, the oracle would forget the commit, and its value would be gone. */
  @Test
  void whoDoesNotSeeATableDoesNotSweepForIt() throws Exception {
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
    for (String where : new String[] {"master", "region", "regionserver"}) {
      builder.set("hbase.coprocessor." + where + ".classes", AccessController.class.getName());
    }
    try (RetsoServer server = RetsoCluster.startOracle();
        EmbeddedHBase hbase = builder.start();
        Connection root = ConnectionFactory.createConnection(hbase.configuration());
        Admin admin = root.getAdmin()) {
      String oracle = "127.0.0.1:" + server.port();
      create(root, oracle, SHOWN);
      create(root, oracle, HIDDEN);
      Permission all = Permission.newBuilder(SHOWN).withActions(Permission.Action.values()).build();
      admin.grant(new UserPermission("alice", all), false);
      Configuration configuration = hbase.configuration();
      User alice = User.createUserForTesting(configuration, "alice", new String[0]);
      try (AsyncConnection hers =
              ConnectionFactory.createAsyncConnection(configuration, alice).get();
          TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build();
          TransactionManager dying = dying(root, oracle);
          TransactionManager later = TransactionManager.builder(root).oracle(oracle).build()) {
        dying.run(tx -> tx.table(HIDDEN).put(put("a", "1")));
        SweepResult swept = manager.sweep();
        assertEquals(1, swept.tables(), swept::toString);
        assertFalse(swept.reported(), swept::toString);
        assertTrue(swept.reason().contains("table hidden is not shown"), swept::toString);
        later.call(tx -> read(tx.table(SHOWN), "a")); // the watermark is above the commit if it can
        admin.flush(HIDDEN); // and the horizon with it: a mark below counts as aborted
        assertEquals("1", later.call(tx -> read(tx.table(HIDDEN), "a")));
        assertTrue(later.sweep().reported());
        assertEquals("1", later.call(tx -> read(tx.table(HIDDEN), "a")));
      }
    }
  }
}
