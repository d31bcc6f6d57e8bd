package io.retso.hbase;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.visibility.Authorizations;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.apache.hadoop.hbase.security.visibility.VisibilityClient;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HBase with visibility labels: it puts a filter of its own into every read. */
@Timeout(180)
class VisibilityTest {
  private static final TableName NAME = TableName.valueOf("labelled");

  @TempDir Path directory;

  private EmbeddedHBase start() throws Exception {
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
    for (String where : new String[] {"master", "region"}) {
      builder.set("hbase.coprocessor." + where + ".classes", VisibilityController.class.getName());
    }
    return builder.start();
  }

  @Test
  void snapshotsHaveNoCellsWhoseLabelsTheReaderLacks() throws Exception {
    try (RetsoServer server = RetsoCluster.startOracle();
        EmbeddedHBase hbase = start();
        Connection root = ConnectionFactory.createConnection(hbase.configuration())) {
      String oracle = "127.0.0.1:" + server.port();
      new TablePreparation(root, oracle)
          .create(Fixture.descriptor(NAME).build(), TablePreparation.Options.DEFAULT);
      fill(root, oracle);
      putSecret(root, "c", "alice");
      assertSeen("a=0 b=1 c=s", hbase.configuration(), "alice", oracle);
      assertSeen("a=0 b=1", hbase.configuration(), "bob", oracle);
    }
  }

  /** A row whose newest version is pending is read again, and not with more rights. */
  @Test
  void scansHaveNoCellsBeyondTheirAuthorizations() throws Exception {
    try (RetsoServer server = RetsoCluster.startOracle();
        EmbeddedHBase hbase = start();
        Connection root = ConnectionFactory.createConnection(hbase.configuration())) {
      String oracle = "127.0.0.1:" + server.port();
      new TablePreparation(root, oracle)
          .create(Fixture.descriptor(NAME).build(), TablePreparation.Options.CLIENT_READS);
      putSecret(root, "a", "alice");
      User alice = User.createUserForTesting(hbase.configuration(), "alice", new String[0]);
      try (AsyncConnection hers =
              ConnectionFactory.createAsyncConnection(hbase.configuration(), alice).get();
          TransactionManager manager = TransactionManager.builder(hers).oracle(oracle).build();
          Transaction open = manager.begin()) {
        open.table(NAME).put(put("a", "pending"));
        open.writes().sendAll().get(30, TimeUnit.SECONDS);
        Scan all = new Scan().setAuthorizations(new Authorizations("secret"));
        Scan some = new Scan().setAuthorizations(new Authorizations("public"));
        assertEquals("a=s", manager.call(tx -> scan(tx.table(NAME), all)));
        assertEquals("", manager.call(tx -> scan(tx.table(NAME), some)));
      }
    }
  }

  /** Row b has a mark. */
  private static void fill(Connection root, String oracle) throws Exception {
    try (TransactionManager living = TransactionManager.builder(root).oracle(oracle).build();
        TransactionManager dying =
            TransactionManager.builder(root).oracle(oracle).cleanupAlive(start -> false).build()) {
      living.run(tx -> tx.table(NAME).put(List.of(put("a", "0"), put("b", "0"))));
      eventually("cleaned up", () -> living.metrics().cleanedUp() == 1);
      dying.run(tx -> tx.table(NAME).put(put("b", "1")));
    }
  }

  /** A plain cell that only {@code user} may see. */
  private static void putSecret(Connection root, String row, String user) throws Exception {
    try {
      VisibilityClient.addLabel(root, "secret");
      VisibilityClient.setAuths(root, new String[] {"secret"}, user);
    } catch (Throwable e) { // as HBase declares it
      throw new AssertionError(e);
    }
    Put put = new Put(Fixture.bytes(row)).addColumn(Fixture.F, Fixture.Q, 1, Fixture.bytes("s"));
    try (Table table = root.getTable(NAME)) {
      table.put(put.setCellVisibility(new CellVisibility("secret")));
    }
  }

  private static void assertSeen(
      String rows, Configuration configuration, String user, String oracle) throws Exception {
    User reader = User.createUserForTesting(configuration, user, new String[0]);
    try (AsyncConnection connection =
            ConnectionFactory.createAsyncConnection(configuration, reader).get();
        TransactionManager manager =
            TransactionManager.builder(connection).oracle(oracle).build()) {
      assertEquals(rows, manager.call(tx -> scan(tx.table(NAME), new Scan())));
      for (String row : rows.split(" ")) {
        String[] expected = row.split("=");
        assertEquals(expected[1], manager.call(tx -> read(tx.table(NAME), expected[0])));
      }
    }
  }
}
