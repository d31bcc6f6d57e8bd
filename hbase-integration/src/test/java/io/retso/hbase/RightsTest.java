package io.retso.hbase;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HBase with rights. */
@Timeout(180)
class RightsTest {
  private static final TableName SHOWN = TableName.valueOf("shown");
  private static final TableName PLAIN = TableName.valueOf("plain");
  private static final TableName HIDDEN = TableName.valueOf("hidden");

  @TempDir Path directory;

  private RetsoServer server;
  private String oracle;
  private EmbeddedHBase hbase;
  private Connection root;
  private Admin admin;

  @BeforeEach
  void start() throws Exception {
    server = RetsoCluster.startOracle();
    oracle = "127.0.0.1:" + server.port();
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
    for (String where : new String[] {"master", "region", "regionserver"}) {
      builder.set("hbase.coprocessor." + where + ".classes", AccessController.class.getName());
    }
    hbase = builder.start();
    root = ConnectionFactory.createConnection(hbase.configuration());
    admin = root.getAdmin();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable opened : new AutoCloseable[] {admin, root, hbase, server}) {
      if (opened != null) {
        opened.close();
      }
    }
  }

  private void create(TableName name, TablePreparation.Options options) throws IOException {
    new TablePreparation(root, oracle).create(Fixture.descriptor(name).build(), options);
  }

  /** Its clients leave their cleanup undone. */
  private TransactionManager dying() throws Exception {
    return TransactionManager.builder(root).oracle(oracle).cleanupAlive(start -> false).build();
  }

  private void grant(String user, TableName table, Action... actions) throws IOException {
    admin.grant(
        new UserPermission(user, Permission.newBuilder(table).withActions(actions).build()), false);
  }

  private AsyncConnection connect(String user) throws Exception {
    Configuration configuration = hbase.configuration();
    return ConnectionFactory.createAsyncConnection(
            configuration, User.createUserForTesting(configuration, user, new String[0]))
        .get();
  }

  /**
   * A list of tables has only those that the user may administer. Told that all is swept, the
   * oracle would forget the commit, and its value would be gone.
   */
  @Test
  void whoDoesNotSeeATableDoesNotSweepForIt() throws Exception {
    create(SHOWN, TablePreparation.Options.DEFAULT);
    create(HIDDEN, TablePreparation.Options.DEFAULT);
    grant("alice", SHOWN, Action.values());
    try (AsyncConnection hers = connect("alice");
        TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build();
        TransactionManager dying = dying();
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

  /** The master does not show them the table; its regions tell them how it holds transactions. */
  @Test
  void applicationsNeedReadAndWriteOnly() throws Exception {
    create(SHOWN, TablePreparation.Options.DEFAULT);
    grant("bob", SHOWN, Action.READ, Action.WRITE);
    try (AsyncConnection his = connect("bob");
        TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build()) {
      manager.run(tx -> tx.table(SHOWN).put(put("a", "1")));
      assertEquals("1", manager.call(tx -> read(tx.table(SHOWN), "a")));
      eventually("cleaned up by himself", () -> manager.metrics().cleanedUp() == 1);
      admin.modifyColumnFamily(
          SHOWN, ColumnFamilyDescriptorBuilder.newBuilder(Fixture.F).setMaxVersions(3).build());
      assertRefused(his, SHOWN, TableNotPreparedException.class, "family f keeps 3 versions");
    }
  }

  @Test
  void whoLacksARightIsToldWhich() throws Exception {
    create(HIDDEN, TablePreparation.Options.DEFAULT);
    create(SHOWN, TablePreparation.Options.CLIENT_READS);
    admin.createTable(Fixture.descriptor(PLAIN).build());
    grant("carol", HIDDEN, Action.WRITE);
    grant("carol", SHOWN, Action.READ, Action.WRITE);
    grant("carol", PLAIN, Action.READ, Action.WRITE);
    Class<? extends Exception> denied = AccessDeniedException.class;
    try (AsyncConnection hers = connect("carol")) {
      assertRefused(hers, HIDDEN, denied, "table hidden", "grant READ and WRITE");
      assertRefused(hers, SHOWN, denied, "table shown", "grant CREATE", "server reads");
      assertRefused(hers, PLAIN, denied, "table plain", "prepare it;");
      grant("carol", SHOWN, Action.READ, Action.WRITE, Action.CREATE);
      try (TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build()) {
        manager.run(tx -> tx.table(SHOWN).put(put("a", "1")));
        assertEquals("1", manager.call(tx -> read(tx.table(SHOWN), "a")));
      }
    }
  }

  private void assertRefused(
      AsyncConnection user, TableName table, Class<? extends Exception> type, String... parts)
      throws Exception {
    try (TransactionManager manager = TransactionManager.builder(user).oracle(oracle).build();
        Transaction tx = manager.begin()) {
      Exception e = assertThrows(type, () -> tx.table(table));
      for (String part : parts) {
        assertTrue(e.getMessage().contains(part), e::getMessage);
      }
    }
  }
}
