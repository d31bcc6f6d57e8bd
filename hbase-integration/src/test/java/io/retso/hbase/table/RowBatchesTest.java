package io.retso.hbase.table;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.transaction.Inside;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Requests that HBase's client would repeat for minutes, though they cannot succeed. Each test
 * takes seconds.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(60)
class RowBatchesTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final String REFUSED_ROWS = "hbase.rpc.rows.warning.threshold";
  private static final int MANY = 1_900;
  private static final List<Put> PUTS =
      IntStream.range(0, MANY).mapToObj(i -> put("row" + i, "" + i)).toList();
  private static final List<Put> FEW = PUTS.subList(0, 5);

  private Fixture fixture;
  private Admin admin;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    manager = fixture.manager();
  }

  @AfterEach
  void takeAll() {
    refuseMoreRowsThan(5_000, false);
  }

  /** From now on region servers refuse such requests. */
  private void refuseMoreRowsThan(int rows, boolean isRefused) {
    for (HRegionServer server : fixture.regionServers()) {
      Configuration guarded = new Configuration(server.getConfiguration());
      guarded.setInt(REFUSED_ROWS, rows);
      guarded.setBoolean("hbase.rpc.rows.size.threshold.reject", isRefused);
      server.getRSRpcServices().onConfigurationChange(guarded);
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void moreRowsThanServersTakeAreSentInParts(Options options) throws Exception {
    TableName name = fixture.table(options);
    refuseMoreRowsThan(1_500, true);
    manager.run(
        tx -> {
          for (Put put : PUTS) {
            tx.table(name).put(put);
          }
          return null;
        });
    Result[] rows =
        manager.read(
            tx -> tx.table(name).get(PUTS.stream().map(put -> new Get(put.getRow())).toList()));
    for (int i = 0; i < MANY; i++) {
      assertEquals("" + i, Fixture.text(rows[i].getValue(Fixture.F, Fixture.Q)));
    }
    eventually("cleaned up", () -> Inside.cleaner(manager).rows() == 0);
    assertEquals(0, fixture.marks(name));
    assertEquals(0, Inside.counters(manager).cleanupsFailed.sum());
  }

  /** Their rows share requests. */
  @ParameterizedTest
  @FieldSource("MODES")
  void cleanupsOfManyTransactionsAreSentInParts(Options options) throws Exception {
    TableName name = fixture.table(options);
    refuseMoreRowsThan(1_500, true);
    TransactionManager dying = fixture.dyingManager();
    for (int i = 0; i < MANY; i += 100) {
      List<Put> some = PUTS.subList(i, i + 100);
      dying.run(
          tx -> {
            tx.table(name).put(some);
            return null;
          });
    }
    fixture.sweep(manager);
    assertEquals(0, fixture.marks(name));
    assertEquals("7", manager.read(tx -> read(tx.table(name), "row7")));
  }

  @Test
  void lessIsSentIfTheClientSaysSo() {
    Configuration client = new Configuration(false);
    assertEquals(1_000, RowBatches.rowsMax(client));
    for (int[] bound : new int[][] {{4_000, 1_000}, {300, 300}, {0, 1}}) {
      client.setInt(REFUSED_ROWS, bound[0]);
      assertEquals(bound[1], RowBatches.rowsMax(client));
    }
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void aTableThatIsDisabledFailsAllRequestsSoon(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin();
        Transaction reader = manager.begin()) {
      tx.table(name).put(FEW);
      var table = reader.table(name);
      table.get(new Get(bytes("row0")));
      admin.disableTable(name);
      RollbackOnlyException e = assertThrows(RollbackOnlyException.class, tx::commit);
      assertInstanceOf(TableNotEnabledException.class, e.getCause());
      assertTrue(e.getMessage().contains("table " + name + " is disabled: enable"), e::toString);
      List<Get> gets = FEW.stream().map(put -> new Get(put.getRow())).toList();
      for (List<Get> some : List.of(gets, gets.subList(0, 1))) {
        Exception read = assertThrows(TableNotEnabledException.class, () -> table.get(some));
        assertTrue(read.getMessage().contains("is disabled: enable"), read::toString);
      }
    }
    admin.enableTable(name);
    assertNull(manager.read(tx -> read(tx.table(name), "row0")), "it was rolled back");
    manager.run(
        tx -> {
          tx.table(name).put(FEW);
          return null;
        });
    assertEquals("0", manager.read(tx -> read(tx.table(name), "row0")));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void aTableThatIsGoneFailsAllRequestsSoon(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(FEW);
      admin.disableTable(name);
      admin.deleteTable(name);
      RollbackOnlyException e = assertThrows(RollbackOnlyException.class, tx::commit);
      assertInstanceOf(TableNotFoundException.class, e.getCause());
      assertTrue(e.getMessage().contains(name + " does not exist"), e::toString);
    }
  }
}
