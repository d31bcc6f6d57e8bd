package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.coprocessor.RawTable;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user that may write a table says of others' transactions how they ended: to HBase that is a put
 * of a mark. Its regions take the oracle's word alone.
 */
@Timeout(180)
class FalseOutcomesTest {
  private static final TableName TABLE = TableName.valueOf("t");

  @TempDir private static Path directory;
  private static SecuredOracle oracle;
  private static EmbeddedHBase hbase;
  private static Configuration application;
  private static Connection connection;
  private static long fingerprint;

  @BeforeAll
  static void start() throws Exception {
    oracle = SecuredOracle.start(directory);
    EmbeddedHBase.Builder builder = EmbeddedHBase.in(directory.resolve("hbase"));
    oracle.regionServer().forEach(builder::set);
    hbase = builder.start();
    application = oracle.with(hbase.configuration(), oracle.certificate("app"));
    connection = ConnectionFactory.createConnection(application);
    TablePreparation.builder(connection)
        .build()
        .create(Fixture.descriptor(TABLE).build(), TablePreparation.Options.DEFAULT);
    try (Admin admin = connection.getAdmin()) {
      fingerprint = TableSettings.of(admin.getDescriptor(TABLE)).fingerprint();
    }
  }

  @AfterAll
  static void stop() throws Exception {
    connection.close();
    hbase.close();
    oracle.close();
  }

  /** What it does not clean up itself in the time of a test is left to others. */
  private static TransactionManager manager(Duration cleanupDelay) throws Exception {
    return TransactionManager.builder(application).cleanupDelay(cleanupDelay).build();
  }

  private static String read(TransactionManager manager, String row) throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      return Fixture.read(tx.table(TABLE), row);
    }
  }

  private static void flush() throws IOException {
    for (RegionServerThread server : hbase.cluster().getRegionServers()) {
      for (HRegion region : server.getRegionServer().getRegions(TABLE)) {
        region.flush(true);
      }
    }
  }

  /** Says so row by row, and in a list. */
  private static void assertNotBelieved(String row, long start, long outcome, long receipt)
      throws Exception {
    try (Table table = connection.getTable(TABLE)) {
      CleanupRequest request = new CleanupRequest(bytes(row), start, outcome, receipt);
      IOException e = assertThrows(IOException.class, () -> table.put(request.toPut(fingerprint)));
      assertTrue(e.getMessage().contains("the oracle does not say so"), e.getMessage());
    }
    assertEquals(0, adopted(new Adoption(start, outcome, receipt, 1)), "it is adopted");
  }

  private static int adopted(Adoption adoption) throws Exception {
    try (Table table = connection.getTable(TABLE)) {
      AdoptionRequest list =
          new AdoptionRequest(AdoptionRequest.firstRow(new byte[0]), List.of(adoption));
      Object[] answers = new Object[1];
      table.batch(List.of(list.toPut(fingerprint)), answers);
      return list.adopted(answers[0]).cardinality();
    }
  }

  @Test
  void transactionsOfOthersAreNotDecided() throws Exception {
    try (TransactionManager victim = manager(Duration.ofHours(1))) {
      flush();
      for (int i = 0; i < 2; i++) { // the first mark behind a flush is a cell, of no use to a list
        Transaction other = victim.begin();
        other.table(TABLE).put(put("other", "1"));
        other.commit();
      }
      Transaction open = victim.begin();
      open.table(TABLE).put(put("open", "1"));
      Inside.writes(open).sendAll().join();
      long start = open.startTimestamp();
      assertNotBelieved("open", start, start + 16, 0);
      assertNotBelieved("open", start, Outcome.ABORTED, 1);
      assertNull(read(victim, "open"));
      long commit = open.commit().getAsLong();
      assertNotBelieved("open", start, Outcome.ABORTED, 0);
      assertNotBelieved("open", start, commit + 16, 1);
      assertEquals("1", read(victim, "open"));
      assertEquals(1, adopted(new Adoption(start, commit, 0, 1)), "what is true is not adopted");
      flush();
      assertEquals("1", read(victim, "open"));
    }
  }

  @Test
  void theyAreNotDecidedBehindAFlushEither() throws Exception {
    try (TransactionManager victim = manager(Duration.ofHours(1))) {
      Transaction open = victim.begin();
      open.table(TABLE).put(put("flushed", "1"));
      Inside.writes(open).sendAll().join();
      flush();
      long start = open.startTimestamp();
      assertNotBelieved("flushed", start, start + 16, 0);
      assertNull(read(victim, "flushed"));
      open.commit();
      assertNotBelieved("flushed", start, Outcome.ABORTED, 0);
      flush();
      assertEquals("1", read(victim, "flushed"));
    }
  }

  @Test
  void whatIsTrueIsCarriedOutWhoeverSaysIt() throws Exception {
    try (TransactionManager victim = manager(Duration.ofHours(1));
        Table table = connection.getTable(TABLE)) {
      Transaction tx = victim.begin();
      tx.table(TABLE).put(put("true", "1"));
      long commit = tx.commit().getAsLong();
      long cleaned = RawTable.count("cleanedRows");
      table.put(new CleanupRequest(bytes("true"), tx.startTimestamp(), commit).toPut(fingerprint));
      assertEquals(1, RawTable.count("cleanedRows") - cleaned);
      assertEquals("1", read(victim, "true"));
    }
  }

  /** Of many transactions: those of other tests in this process might ask for one. */
  @Test
  void ownCleanupsNeedNoQuestions() throws Exception {
    long asked = RawTable.count("unprovedOutcomes");
    long handled = RawTable.count("adopted") + RawTable.count("cleanedRows");
    int count = 60;
    try (TransactionManager manager = manager(Duration.ofMillis(1))) {
      for (int i = 0; i < count; i++) {
        Transaction tx = manager.begin();
        tx.table(TABLE).put(put("own" + i % 7, "" + i));
        if (i % 3 == 0) {
          Inside.writes(tx).sendAll().join();
          tx.rollback();
        } else {
          tx.commit();
        }
      }
      eventually(
          "all are cleaned up",
          () -> RawTable.count("adopted") + RawTable.count("cleanedRows") - handled >= count);
    }
    assertEquals(0, RawTable.count("unprovedOutcomes") - asked);
  }
}
