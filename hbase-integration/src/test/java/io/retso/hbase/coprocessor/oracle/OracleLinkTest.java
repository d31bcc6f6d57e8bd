package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.Fixture;
import io.retso.hbase.MutedOracle;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.RawTable;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.resolve.SnapshotRow;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.protocol.OracleIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.apache.hadoop.hbase.metrics.impl.MetricRegistryImpl;
import org.junit.jupiter.api.Test;

class OracleLinkTest {
  private final Configuration configuration = new Configuration(false);
  private final ObserverMetrics metrics =
      new ObserverMetrics(
          new MetricRegistryImpl(new MetricRegistryInfo("test", "", "test", "test", false)));

  /** The link to the oracle that answers there. */
  private OracleLink acquire(String address) {
    try (OracleClient client = OracleClient.builder().address(address).build()) {
      return acquire(client.identity(), address);
    }
  }

  private OracleLink acquire(OracleIdentity oracle, String addresses) {
    return OracleLink.acquire(
        new TableSettings(Conflicts.ROW, Reads.SERVER, oracle, addresses),
        configuration,
        configuration,
        metrics);
  }

  @Test
  void anotherOracleAtTheAddressIsRefusedByItsId() throws Exception {
    try (var server = RetsoCluster.startOracle()) {
      OracleIdentity lost = new OracleIdentity(new UUID(1, 2), "lost");
      OracleLink link = acquire(lost, "127.0.0.1:" + server.port());
      try {
        IOException e =
            assertThrows(DoNotRetryIOException.class, () -> link.await(link.askWatermarkToWait()));
        assertTrue(e.getMessage().contains(", not " + lost), e::getMessage);
        assertTrue(e.getMessage().contains("restore its log"), e::getMessage);
      } finally {
        link.release();
      }
    }
  }

  @Test
  void anOracleThatMovedIsFoundByItsName() throws Exception {
    try (var server = RetsoCluster.startOracle();
        var client = OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      configuration.set("retso.oracle.retso.addresses", "127.0.0.1:" + server.port());
      OracleLink link = acquire(client.identity(), "127.0.0.1:1");
      assertTrue(link.await(link.askWatermark()) > 0);
      link.release();
      configuration.set("retso.oracle.retso.addresses", "nonsense");
      assertThrows(IllegalArgumentException.class, () -> acquire(client.identity(), "127.0.0.1:1"));
    }
  }

  @Test
  void regionsShareOneUntilTheLastIsClosed() throws Exception {
    try (var server = RetsoCluster.startOracle()) {
      String address = "127.0.0.1:" + server.port();
      OracleLink one = acquire(address);
      OracleLink two = acquire(address);
      assertSame(one, two);
      one.release();
      long watermark = two.await(two.askWatermark());
      assertTrue(watermark > 0);
      assertTrue(two.watermarkSoon() >= watermark);
      two.release();
      assertThrows(IOException.class, () -> two.await(two.askWatermark()));
      OracleLink three = acquire(address);
      assertNotSame(one, three);
      three.release();
    }
  }

  /** As during a fail-over: it is no failure yet, for those who ask meanwhile neither. */
  @Test
  void questionsWaitForALeaderWithinTheirTime() throws Exception {
    configuration.setInt(OracleSettings.TIMEOUT, 60_000);
    try (var server = RetsoCluster.startOracle();
        var oracle = new MutedOracle(server.port())) {
      OracleLink link = acquire(oracle.address());
      try {
        link.await(link.askWatermark());
        oracle.down(true);
        CompletableFuture<Long> first = link.askWatermarkToWait();
        CompletableFuture<Long> second = link.joining(link.askWatermark());
        oracle.down(false);
        assertTrue(link.await(first) > 0);
        assertTrue(link.await(second) > 0);
      } finally {
        link.release();
      }
    }
  }

  @Test
  void failuresOfTheOracleAreRetriedByHBaseUnlessThatCannotHelp() throws Exception {
    configuration.setInt(OracleSettings.TIMEOUT, 1_000);
    var server = RetsoCluster.startOracle();
    String address = "127.0.0.1:" + server.port();
    OracleLink link = acquire(address);
    try {
      link.await(link.askWatermark());
      // No transaction began at this timestamp: a table of another oracle.
      assertThrows(DoNotRetryIOException.class, () -> askAbout(link, 1L << 50));
      server.close();
      IOException unavailable =
          assertThrows(IOException.class, () -> link.await(link.askWatermark()));
      assertTrue(unavailable.getMessage().contains(address), unavailable::getMessage);
      assertTrue(!(unavailable instanceof DoNotRetryIOException));
      long before = System.nanoTime();
      for (int i = 0; i < 1000; i++) {
        assertTrue(link.watermarkSoon() > 0, "the last one known");
      }
      assertTrue(System.nanoTime() - before < 3_000_000_000L, "nobody waits again and again");
    } finally {
      link.release();
      server.close();
    }
  }

  /**
   * A request that waits keeps a region from closing: not even a client that hangs may hold it
   * longer.
   */
  @Test
  void nobodyWaitsLongerThanTheTimeOutThoughTheClientHangs() throws Exception {
    configuration.setInt(OracleSettings.TIMEOUT, 300);
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (var server = RetsoCluster.startOracle()) {
      OracleLink link = acquire("127.0.0.1:" + server.port());
      try {
        Fixture.eventually(
            "the client hangs",
            () -> {
              link.askWatermark().thenRun(() -> hangIfClient(hanging, released));
              return hanging.getCount() == 0;
            });
        assertTimeoutPreemptively(
            Duration.ofSeconds(8), // the client itself would wait for 10 s at its end
            () -> {
              IOException late =
                  assertThrows(IOException.class, () -> link.await(link.askWatermark()));
              assertSame(Refusal.NO_ORACLE, Refusal.of(late));
              link.release();
            });
      } finally {
        released.countDown();
      }
    }
  }

  /** A thread that asks may find the answer there, and go on with it by itself. */
  private static void hangIfClient(CountDownLatch hanging, CountDownLatch released) {
    if (Thread.currentThread().getName().startsWith("retso-region-server")) {
      hanging.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e); // the client's thread is not interrupted
      }
    }
  }

  /**
   * A client that may write to a table can put any mark; those of transactions are cleaned up
   * beside it.
   */
  @Test
  void marksThatTheOracleNeverIssuedHinderNoOrphans() throws Exception {
    try (var server = RetsoCluster.startOracle();
        var oracle = OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      OracleLink link = acquire("127.0.0.1:" + server.port());
      try {
        TransactionHandle begun = oracle.begin();
        oracle.abort(begun);
        long aborted = begun.startTimestamp();
        assertEquals(Map.of(aborted, Outcome.ABORTED), link.decided(List.of(1L << 50, aborted)));
      } finally {
        link.release();
      }
    }
  }

  /** Each would wait until its time is over, and requests may have thousands. */
  @Test
  void questionsAboutManyRowsAreNotAllAskedInVain() throws Exception {
    configuration.setInt(OracleSettings.TIMEOUT, 1_000);
    var server = RetsoCluster.startOracle();
    try {
      OracleLink link = acquire("127.0.0.1:" + server.port());
      try {
        long start = link.await(link.askWatermark());
        server.close();
        for (int i = 0; i < 100; i++) {
          IOException unavailable = assertThrows(IOException.class, () -> askAbout(link, start));
          assertSame(Refusal.NO_ORACLE, Refusal.of(unavailable));
          assertTrue(!(unavailable instanceof DoNotRetryIOException));
          assertThrows(IOException.class, () -> link.await(link.askWatermarkToWait()));
        }
        long asked = metrics.oracleQueries.getCount();
        assertTrue(asked > 0 && asked < 50, asked + " of 100 were asked");
      } finally {
        link.release();
      }
    } finally {
      server.close();
    }
  }

  /** A row with a mark of {@code start} wants to know about it. */
  private void askAbout(OracleLink link, long start) throws IOException {
    byte[] row = {1};
    KeyValue mark =
        new KeyValue(row, PendingWrite.family(), PendingWrite.qualifier(start), start, new byte[0]);
    KeyValue cell = new KeyValue(row, RawTable.F, row, start, row);
    WriterStatuses statuses = new WriterStatuses(link.cache());
    new SnapshotRow(List.of(mark, cell), start + 16, 0, SnapshotRow.ALL_VERSIONS, statuses.moment())
        .resolve(statuses);
    link.ask(statuses, start, metrics);
  }
}
