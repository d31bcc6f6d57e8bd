package io.retso.hbase.table;

import static io.retso.hbase.Fixture.eventually;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.futures.Futures;
import io.retso.protocol.OracleIdentity;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What transaction managers know of tables, with and without a master; another one takes over. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class TableCatalogTest {
  private static final String NOTE = "note";

  private final AtomicLong nanos = new AtomicLong();

  private TableName name;

  private void note(Admin admin, String note) throws Exception {
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)).setValue(NOTE, note).build());
  }

  private PreparedTable found(TableCatalog tables) throws IOException {
    return Futures.await(tables.find(name));
  }

  private void halfAMinute() {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
  }

  @Test
  void descriptorsAreReadAgainAndServeOnWithoutAMaster(Fixture fixture) throws Exception {
    EmbeddedHBase hbase = fixture.cluster.hbase();
    try (Admin admin = fixture.cluster.connection().getAdmin();
        AsyncConnection async =
            ConnectionFactory.createAsyncConnection(hbase.configuration()).get()) {
      OracleIdentity identity;
      try (OracleClient client =
          OracleClient.builder().address(fixture.cluster.oracleAddress()).build()) {
        identity = client.identity();
      }
      TableCatalog tables = new TableCatalog(async, identity, 5000, nanos::get);
      name = fixture.table(TablePreparation.Options.DEFAULT);
      PreparedTable first = found(tables);
      note(admin, "altered");
      assertSame(first, found(tables), "for half a minute");
      halfAMinute();
      eventually("it is read again", () -> isNoted(found(tables), "altered"));

      LocalHBaseCluster cluster = hbase.cluster();
      cluster.getActiveMaster().stop("for a test");
      cluster.waitOnMaster(0);
      PreparedTable last = found(tables);
      halfAMinute();
      assertSame(last, found(tables), "nobody answers, nobody can have altered it");
      assertTrue(tables.find(name).isDone(), "waited for once");

      cluster.addMaster(hbase.configuration(), 1).start();
      note(admin, "by another master");
      eventually(
          "the other master answers",
          () -> {
            halfAMinute();
            return isNoted(found(tables), "by another master");
          });
      admin.disableTable(name);
      admin.deleteTable(name);
      halfAMinute();
      eventually("it is missed", () -> isMissed(tables));
    }
  }

  private static boolean isNoted(PreparedTable table, String note) {
    return note.equals(table.descriptor().getValue(NOTE));
  }

  private boolean isMissed(TableCatalog tables) throws IOException {
    try {
      found(tables);
      return false;
    } catch (TableNotPreparedException e) {
      return true;
    }
  }
}
