package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.text;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.AuthManager;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * HBase that checks rights, one for all classes of tests that extend this; and for each test tables
 * of fresh names, and an oracle of its own.
 */
@ExtendWith(ClusterWithRights.Start.class)
abstract class ClusterWithRights {
  /** Starts it before the first test. */
  static final class Start implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
      RetsoCluster.Extension.shared(context, Shared.class, Shared::start);
    }
  }

  /** It ends with the last test. */
  private record Shared(Path directory) implements AutoCloseable {
    static Shared start() {
      try {
        Path directory = Files.createTempDirectory("retso-rights");
        EmbeddedHBase.Builder builder =
            EmbeddedHBase.in(directory).set(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, "true");
        for (String where : new String[] {"master", "region", "regionserver"}) {
          builder.set("hbase.coprocessor." + where + ".classes", AccessController.class.getName());
        }
        hbase = builder.start();
        root = ConnectionFactory.createConnection(hbase.configuration());
        admin = root.getAdmin();
        return new Shared(directory);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("the cluster with rights did not start", e);
      }
    }

    @Override
    public void close() throws IOException {
      admin.close();
      root.close();
      hbase.close();
      RetsoCluster.deleteAll(directory);
    }
  }

  private static final AtomicInteger NAMES = new AtomicInteger();

  static EmbeddedHBase hbase;
  static Connection root;
  static Admin admin;

  final TableName shown = freshName("shown");
  final TableName plain = freshName("plain");
  final TableName partly = freshName("partly");
  final TableName hidden = freshName("hidden");

  private RetsoServer server;
  String oracle;

  /** One for each test: what the others left open does not hold its watermark back. */
  @BeforeEach
  void startOracle() throws Exception {
    server = RetsoCluster.startOracle();
    oracle = "127.0.0.1:" + server.port();
  }

  /** The rights to a table go with it. */
  @AfterEach
  void dropTables() throws Exception {
    for (TableName table : admin.listTableNames()) {
      admin.disableTable(table);
      admin.deleteTable(table);
    }
    server.close();
  }

  /** Servers learn of rights and of lost ones when they can: not of those to an earlier table. */
  static TableName freshName(String prefix) {
    return TableName.valueOf(prefix + "-" + NAMES.incrementAndGet());
  }

  void create(TableName name, TablePreparation.Options options) throws IOException {
    TablePreparation.builder(root)
        .oracle(oracle)
        .build()
        .create(Fixture.descriptor(name).build(), options);
  }

  /** A table of which HBase filters what the user may not see, instead of refusing. */
  void createFiltered(TableName name, TablePreparation.Options options) throws IOException {
    TablePreparation.builder(root)
        .oracle(oracle)
        .build()
        .create(
            Fixture.descriptor(name).setValue("hbase.security.access.early_out", "false").build(),
            options);
  }

  /** Its clients leave their cleanup undone. */
  TransactionManager dying() throws Exception {
    return Fixture.dying(TransactionManager.builder(root).oracle(oracle)).build();
  }

  void grant(String user, TableName table, Action... actions) throws Exception {
    grant(user, Permission.newBuilder(table).withActions(actions).build());
  }

  void grantFamily(String user, TableName table, byte[] family, Action... actions)
      throws Exception {
    grant(user, Permission.newBuilder(table).withFamily(family).withActions(actions).build());
  }

  /** Region servers hear of it by ZooKeeper, a moment after the master has answered. */
  private void grant(String user, Permission permission) throws Exception {
    List<AuthManager> servers =
        hbase.cluster().getLiveRegionServers().stream()
            .map(server -> server.getRegionServer().getAccessChecker().getAuthManager())
            .toList();
    List<Long> before = servers.stream().map(AuthManager::getMTime).toList();
    admin.grant(new UserPermission(user, permission), false);
    for (int i = 0; i < servers.size(); i++) {
      AuthManager server = servers.get(i);
      long known = before.get(i);
      Fixture.eventually("the region server knows", () -> server.getMTime() > known);
    }
  }

  AsyncConnection connect(String user) throws Exception {
    Configuration configuration = hbase.configuration();
    configuration.setInt("hbase.client.operation.timeout", 20_000);
    return ConnectionFactory.createAsyncConnection(
            configuration, User.createUserForTesting(configuration, user, new String[0]))
        .get();
  }

  /** A put in families f and g. */
  static Put inBothFamilies(String row, String value) {
    return put(row, value).addColumn(Fixture.G, Fixture.Q, Fixture.bytes("g" + value));
  }

  /** Rows a and c by gets, then all by a scan, like "a f=1 g=g1, null, a f=1 g=g1". */
  static String wholeRows(Table table) throws IOException {
    List<String> rows = new ArrayList<>();
    List<Result> results = new ArrayList<>(List.of(table.get(List.of(get("a"), get("c")))));
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      scanner.forEach(results::add);
    }
    for (Result result : results) {
      StringBuilder row = new StringBuilder(String.valueOf(text(result.getRow())));
      for (Cell cell : result.isEmpty() ? new Cell[0] : result.rawCells()) {
        row.append(' ').append(text(CellUtil.cloneFamily(cell)));
        row.append('=').append(text(CellUtil.cloneValue(cell)));
      }
      rows.add(row.toString());
    }
    return String.join(", ", rows);
  }
}
