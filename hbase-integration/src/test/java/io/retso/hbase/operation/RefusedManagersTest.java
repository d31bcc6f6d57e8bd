package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.get;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.protocol.Timestamps;
import io.retso.server.RetsoServer;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.SharedConnection;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Managers that cannot be built, are closed, or are asked about what is not theirs. */
@ExtendWith(RetsoCluster.Extension.class)
class RefusedManagersTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.CLIENT_READS);
  }

  private interface Use {
    void of(TransactionalTable table) throws Throwable;
  }

  @Test
  void closedManagerIsRefused() throws Exception {
    Transaction tx = manager.begin();
    TransactionalTable table = tx.table(name);
    manager.close();
    manager.close();
    for (Use use :
        List.<Use>of(
            t -> manager.begin(),
            t ->
                manager.run(
                    x -> {
                      return null;
                    }),
            t -> manager.sweep(),
            t -> table.get(get("r")),
            t -> tx.commit())) {
      IllegalStateException e = assertThrows(IllegalStateException.class, () -> use.of(table));
      assertTrue(e.getMessage().contains("build a new one"), e.getMessage());
    }
  }

  @Test
  void textsThatAreNoHandlesAreRefused() {
    String ticket = ":0123456789abcdef";
    for (long number : new long[] {0, -Timestamps.GAP, 7, Timestamps.MAX + Timestamps.GAP}) {
      Exception e =
          assertThrows(IllegalArgumentException.class, () -> manager.resolve(number + ticket));
      assertTrue(e.getMessage().contains("multiple of 16 up to " + Timestamps.MAX), e.getMessage());
    }
    for (String text : List.of("", "16", ticket, "16" + ticket + "0", "a" + ticket)) {
      Exception e = assertThrows(IllegalArgumentException.class, () -> manager.resolve(text));
      assertTrue(e.getMessage().contains("a colon and 16 hexadecimal digits"), e.getMessage());
      assertThrows(IllegalArgumentException.class, () -> manager.resolveAsync(text));
    }
  }

  @Test
  void unpreparedTablesAreRefused() throws Exception {
    TableName plain = fixture.cluster.freshName("plain");
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      admin.createTable(Fixture.descriptor(plain).build());
    }
    try (Transaction tx = manager.begin()) {
      Exception e = assertThrows(TableNotPreparedException.class, () -> tx.table(plain));
      assertTrue(e.getMessage().contains("./retso hbase prepare " + plain), e.getMessage());
      Exception missing =
          assertThrows(TableNotPreparedException.class, () -> tx.table("no-such-table"));
      assertTrue(missing.getMessage().contains("create and prepare it"), missing.getMessage());
    }
  }

  @Test
  void tablesOfAnotherOracleAreRefused() throws Exception {
    try (RetsoServer other = RetsoCluster.startOracle();
        TransactionManager stranger =
            fixture.builder().oracle("127.0.0.1:" + other.port()).build();
        Transaction tx = stranger.begin()) {
      Exception e = assertThrows(TableNotPreparedException.class, () -> tx.table(name));
      assertTrue(e.getMessage().contains("is prepared for oracle retso ("), e.getMessage());
      SweepResult sweep = stranger.sweep();
      assertTrue(sweep.tables() == 0, sweep::toString);
    }
  }

  @Test
  void wrongOracleAddressIsRefusedWhenTheManagerIsBuilt() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    ManagerBuilder nobody =
        fixture.builder().oracle("127.0.0.1:" + port).requestTimeout(Duration.ofMillis(300));
    Exception e = assertThrows(OracleUnavailableException.class, nobody::build);
    assertTrue(e.getMessage().contains("check the address"), e.getMessage());
    String notAnOracle = fixture.cluster.hbase().zooKeeper();
    assertThrows(
        OracleUnavailableException.class,
        () -> fixture.builder().oracle(notAnOracle).requestTimeout(Duration.ofMillis(300)).build());
    assertThrows(
        IllegalArgumentException.class,
        () -> TransactionManager.builder(fixture.cluster.hbase().configuration()).build());
    assertThrows(
        IllegalArgumentException.class, () -> fixture.builder().oracle("nonsense").build());
  }

  /** Otherwise the manager would act as somebody else. */
  @Test
  void connectionsThatDoNotTellTheirUserAreRefused() {
    Connection wrapped = new SharedConnection(fixture.cluster.connection());
    Exception e =
        assertThrows(IllegalArgumentException.class, () -> TransactionManager.builder(wrapped));
    assertTrue(e.getMessage().contains("builder(AsyncConnection)"), e.getMessage());
  }
}
