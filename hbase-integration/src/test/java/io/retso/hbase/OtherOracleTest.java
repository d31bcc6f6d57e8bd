package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.transaction.Inside;
import io.retso.protocol.OracleIdentity;
import io.retso.server.RetsoServer;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An oracle that moves, and one that was installed anew where another one was. */
@ExtendWith(RetsoCluster.Extension.class)
class OtherOracleTest {
  private static final String ADDRESSES_KEY = "retso.oracle.retso.addresses";

  private Fixture fixture;
  private RetsoServer server;
  private MutedOracle place;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    server = fixture.opened(RetsoCluster.startOracle());
    place = fixture.opened(new MutedOracle(server.port()));
    name = fixture.cluster.freshName("t");
    fixture.preparation(place.address()).create(Fixture.descriptor(name).build(), Options.DEFAULT);
  }

  private TransactionManager manager(String oracle) throws Exception {
    return fixture.opened(fixture.builder().oracle(oracle).build());
  }

  private static OracleIdentity identity(RetsoServer server) {
    String address = "127.0.0.1:" + server.port();
    try (OracleClient client = OracleClient.builder().address(address).build()) {
      return client.identity();
    }
  }

  /** Nothing is left at the address that stands in the table, which is not altered. */
  @Test
  void anOracleMayMoveAwayFromAllAddressesOfATable() throws Exception {
    write(manager(place.address()), "r", "1");
    place.close();
    MutedOracle elsewhere = fixture.opened(new MutedOracle(server.port()));
    configureRegionServers(elsewhere.address());
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      for (RegionInfo region : admin.getRegions(name)) { // as a restart of the servers does
        admin.unassign(region.getRegionName());
        admin.assign(region.getRegionName());
      }
      fixture.cluster.connection().getRegionLocator(name).clearRegionLocationCache();
      TransactionManager manager = manager(elsewhere.address());
      assertEquals("1", manager.run(tx -> read(tx.table(name), "r")));
      write(manager, "r", "2");
      assertEquals("2", manager.run(tx -> read(tx.table(name), "r")));
      assertEquals(place.address(), admin.getDescriptor(name).getValue("RETSO_ORACLE_ADDRESSES"));
    } finally {
      configureRegionServers(null);
    }
  }

  private void configureRegionServers(String addresses) {
    for (Configuration configuration : fixture.serverConfigurations()) {
      if (addresses == null) {
        configuration.unset(ADDRESSES_KEY);
      } else {
        configuration.set(ADDRESSES_KEY, addresses);
      }
    }
  }

  @Test
  void anOracleThatWasInstalledAnewIsRefusedByItsId() throws Exception {
    TransactionManager before = manager(place.address());
    write(before, "r", "1");
    RetsoServer anew = fixture.opened(RetsoCluster.startOracle());
    place.leadTo(anew.port());

    String running = assertThrows(OracleUnavailableException.class, before::begin).getMessage();
    assertTrue(running.contains("is oracle " + identity(anew)), running);
    assertTrue(running.contains("not " + identity(server)), running);
    assertTrue(running.contains("restore its log"), running);

    TransactionManager after = manager(place.address());
    String table =
        assertThrows(
                TableNotPreparedException.class, () -> after.run(tx -> read(tx.table(name), "r")))
            .getMessage();
    assertTrue(table.contains("prepared for oracle " + identity(server)), table);
    assertTrue(table.contains("prepare the table again"), table);
    assertTrue(
        fixture
            .preparation(place.address())
            .check(name)
            .toString()
            .contains("prepare the table again"));

    place.leadTo(server.port());
    Fixture.eventually(
        "the right one is used again",
        () -> {
          try {
            return "1".equals(before.run(tx -> read(tx.table(name), "r")));
          } catch (OracleUnavailableException e) {
            return false; // between two attempts to connect
          }
        });
  }

  @Test
  void aTableWithMarksOfAnotherOracleStaysWithIt() throws Exception {
    Transaction open = fixture.opened(manager(place.address())).begin();
    open.table(name).put(put("r", "1"));
    Inside.writes(open).sendAll().get();
    RetsoServer other = fixture.opened(RetsoCluster.startOracle());
    TablePreparation elsewhere = fixture.preparation("127.0.0.1:" + other.port());
    String marks =
        assertThrows(
                TableNotPreparedException.class, () -> elsewhere.prepare(name, Options.DEFAULT))
            .getMessage();
    assertTrue(marks.contains("has marks of another one's transactions"), marks);
    assertTrue(marks.contains("./retso hbase sweep"), marks);
    open.rollback();
    Fixture.eventually(
        "the mark is gone",
        () -> {
          try {
            elsewhere.prepare(name, Options.DEFAULT);
            return true;
          } catch (TableNotPreparedException e) {
            return false;
          }
        });
    TransactionManager manager = manager("127.0.0.1:" + other.port());
    write(manager, "r", "2");
    assertEquals("2", manager.run(tx -> read(tx.table(name), "r")));
  }

  /** Clients die in the tables of both; each oracle forgets its own. */
  @Test
  void twoOraclesOfOneClusterAreSweptEachForItself() throws Exception {
    fixture.deleteTablesThatHinderSweeps();
    fixture.preparation(place.address()).create(Fixture.descriptor(name).build(), Options.DEFAULT);
    RetsoServer other = fixture.opened(RetsoCluster.startOracle());
    String otherAddress = "127.0.0.1:" + other.port();
    TableName others = fixture.cluster.freshName("t");
    fixture.preparation(otherAddress).create(Fixture.descriptor(others).build(), Options.DEFAULT);
    TransactionManager mine = manager(place.address());
    TransactionManager theirs = manager(otherAddress);
    leaveMark(place.address(), name);
    leaveMark(otherAddress, others);

    SweepResult swept = mine.sweep();
    assertTrue(swept.reported(), swept::toString);
    assertEquals(1, fixture.marks(others), "left to the other oracle's sweeps");
    Fixture.eventually("swept", () -> theirs.sweep().reported());
    assertEquals(0, fixture.marks(name) + fixture.marks(others));
    assertEquals("dead", mine.read(tx -> read(tx.table(name), "r")));
    assertEquals("dead", theirs.read(tx -> read(tx.table(others), "r")));
  }

  /** A client commits, and dies before it cleans up. */
  private void leaveMark(String oracle, TableName table) throws Exception {
    TransactionManager dead =
        fixture.opened(fixture.builder().oracle(oracle).cleanupAlive(start -> false).build());
    dead.run(
        tx -> {
          tx.table(table).put(put("r", "dead"));
          return null;
        });
    assertEquals(1, fixture.marks(table));
  }

  private void write(TransactionManager manager, String row, String value) throws IOException {
    manager.run(
        tx -> {
          tx.table(name).put(put(row, value));
          return null;
        });
  }
}
