package io.retso.hbase.admin;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.TableSettings;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tables are not prepared while something is in them that is above the oracle's timestamps. */
@ExtendWith(RetsoCluster.Extension.class)
class FutureCellsTest {
  private static final long LATER = 1L << 59;

  private Fixture fixture;
  private Admin admin;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    name = fixture.cluster.freshName("p");
    admin.createTable(Fixture.descriptor(name).build());
  }

  private void plain(Mutation... mutations) throws Exception {
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.batch(List.of(mutations), new Object[mutations.length]);
    }
  }

  private void refused(String what) throws Exception {
    TableDescriptor before = admin.getDescriptor(name);
    String message =
        assertThrows(
                TableNotPreparedException.class,
                () -> fixture.preparation().prepare(name, Options.CLIENT_READS))
            .getMessage();
    assertTrue(message.contains("cells of the future: " + what), message);
    assertEquals(before, admin.getDescriptor(name), "nothing was changed");
  }

  @Test
  void cellsAreRefused() throws Exception {
    plain(new Put(bytes("r")).addColumn(F, Q, LATER, bytes("later")));
    refused("a cell in row r, family f, has version " + LATER);
  }

  /** An oracle that lost its log issues timestamps that the table has gone beyond. */
  @Test
  void cellsAreRefusedOnPreparedTablesToo() throws Exception {
    fixture.preparation().prepare(name, Options.CLIENT_READS);
    fixture
        .manager()
        .run(
            tx -> {
              tx.table(name).put(put("r", "v"));
              return null;
            });
    fixture.preparation().prepare(name, Options.CLIENT_READS);
    plain(new Put(bytes("s")).addColumn(F, Q, LATER, bytes("later")));
    refused("a cell in row s");
  }

  /** Markers of every kind. */
  @Test
  void deleteMarkersAreRefused() throws Exception {
    for (Delete delete :
        List.of(
            new Delete(bytes("row"), LATER),
            new Delete(bytes("family")).addFamily(F, LATER),
            new Delete(bytes("version of a family")).addFamilyVersion(F, LATER),
            new Delete(bytes("column")).addColumns(F, Q, LATER),
            new Delete(bytes("cell")).addColumn(F, Q, LATER))) {
      plain(delete);
      refused("a delete marker in row " + Fixture.text(delete.getRow()) + ", family f");
      admin.disableTable(name);
      admin.truncateTable(name, false);
    }
  }

  /** Nothing of it is to be seen, but its marker would hide what transactions commit. */
  @Test
  void rowsThatWereDeletedAreRefusedUntilTheyAreCompacted() throws Exception {
    plain(put("r", "old"), new Delete(bytes("r"), LATER));
    refused("a delete marker in row r");
    plain(new Put(bytes("s")).addColumn(F, Q, LATER, bytes("later")));
    refused("a cell in row s");
    plain(new Delete(bytes("s")).addColumn(F, Q, LATER)); // as the refusal advises
    fixture.compact(name);
    fixture.preparation().prepare(name, Options.CLIENT_READS);
    TransactionManager manager = fixture.manager();
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("r", "new"), put("s", "new")));
          return null;
        });
    assertEquals("new", manager.run(tx -> read(tx.table(name), "r")));
    assertEquals("new", manager.run(tx -> read(tx.table(name), "s")));
  }

  /** As after plain writes a moment ago, for an oracle that follows the clock. */
  @Test
  void theOracleIsWaitedForIfItIsSoonBeyond() throws Exception {
    try (TimestampSource oracle =
        new TimestampSource(
            TableSettings.addresses(fixture.cluster.oracleAddress()),
            () -> OracleClient.builder().requestTimeout(Duration.ofSeconds(5)))) {
      long soon = oracle.next() + 160;
      plain(new Put(bytes("r")).addColumn(F, Q, soon, bytes("old")));
      plain(new Delete(bytes("s"), soon + 1));
      fixture.preparation().prepare(name, Options.CLIENT_READS);
      assertTrue(oracle.next() > soon + 1);
    }
    TransactionManager manager = fixture.manager();
    assertEquals("old", manager.run(tx -> read(tx.table(name), "r")));
    manager.run(
        tx -> {
          tx.table(name).put(put("s", "new"));
          return null;
        });
    assertEquals("new", manager.run(tx -> read(tx.table(name), "s")));
  }

  /** A raw scan for what is above would never end; see {@link io.retso.hbase.layout.RawVersion}. */
  @Test
  @Timeout(60)
  void deletedCellsWithEmptyQualifiersArePassed() throws Exception {
    byte[] empty = {};
    try (TimestampSource oracle =
        new TimestampSource(
            TableSettings.addresses(fixture.cluster.oracleAddress()),
            () -> OracleClient.builder().requestTimeout(Duration.ofSeconds(5)))) {
      plain(put("r", "old"), put("s", "old"));
      long soon = oracle.next() + 1500;
      fixture.flushWhileRead(
          name,
          () ->
              plain(
                  new Put(bytes("r")).addColumn(F, empty, 10, bytes("deleted")),
                  new Put(bytes("r")).addColumn(F, Q, soon, bytes("soon"))));
      plain(
          new Delete(bytes("r")).addColumn(F, empty, 10),
          new Put(bytes("s")).addColumn(F, Q, soon, bytes("soon")));
      fixture.preparation().prepare(name, Options.CLIENT_READS);
      assertTrue(oracle.next() > soon);
    }
  }
}
