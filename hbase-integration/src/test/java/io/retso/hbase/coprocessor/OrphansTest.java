package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.TransactionStatus;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.oracle.OrphanQueue;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.write.RowLatches;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.apache.hadoop.hbase.metrics.impl.MetricRegistryImpl;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class OrphansTest {
  private final AtomicLong clock = new AtomicLong();
  private final ObserverMetrics metrics =
      new ObserverMetrics(
          new MetricRegistryImpl(new MetricRegistryInfo("test", "", "test", "test", false)));
  private RawTable t;
  private HRegion region;
  private OrphanQueue queue;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    region = t.regions().get(0);
    queue = new OrphanQueue(this::statuses, metrics, clock::get);
  }

  private Map<Long, Long> statuses(List<Long> starts) {
    Map<Long, Long> decided = new HashMap<>();
    for (long start : starts) {
      TransactionStatus status = t.oracle.status(start, start);
      switch (status.state()) {
        case COMMITTED -> decided.put(start, status.commitTimestamp());
        case ABORTED, RETRY -> decided.put(start, Outcome.ABORTED);
        case OPEN -> {}
      }
    }
    return decided;
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  @Test
  void cleansUpWhatIsDecidedAfterAWhile() throws IOException {
    long committed = t.oracle.begin();
    long aborted = t.oracle.begin();
    long open = t.oracle.begin();
    t.write(committed, "c", "a", "1");
    t.write(aborted, "b", "a", "2");
    t.write(open, "o", "a", "3");
    long at = t.commit(committed, "c");
    t.oracle.abort(aborted);
    queue.offer(region, Bytes.toBytes("c"), committed);
    queue.offer(region, Bytes.toBytes("c"), committed); // found twice
    queue.offer(region, Bytes.toBytes("b"), aborted);
    queue.offer(region, Bytes.toBytes("o"), open);
    assertEquals(3, queue.size());
    clock.addAndGet(OrphanQueue.GRACE_NANOS - 1);
    queue.round();
    assertEquals(3, queue.size(), "their clients still have time");
    clock.incrementAndGet();
    queue.round();
    assertEquals(0, queue.size());
    assertEquals(at + 1, t.cells("c").get(0).getTimestamp());
    assertEquals(1, t.cells("c").size());
    assertTrue(t.cells("b").isEmpty());
    assertEquals(2, t.cells("o").size(), "cell and mark of an open transaction stay");
  }

  @Test
  void isBoundedAndRegionsThatCloseLeaveNothing() {
    for (int i = 0; i < OrphanQueue.CAPACITY + 5; i++) {
      queue.offer(region, Bytes.toBytes(i), 16);
    }
    assertEquals(OrphanQueue.CAPACITY, queue.size());
    assertEquals(OrphanQueue.CAPACITY, metrics.orphansQueued.getCount());
    assertEquals(5, metrics.orphansDropped.getCount());
    queue.forget(region);
    assertEquals(0, queue.size());
  }

  @Test
  @Timeout(60)
  void aReadCleansUpBehindItsAnswer() throws IOException {
    long lost = lostTransaction();
    assertEquals(Map.of("a", "1"), t.read(t.oracle.begin(), "r"));
    awaitCleanup(lost);
  }

  @Test
  @Timeout(60)
  void aFlushFindsWhatNobodyReads() throws IOException {
    long lost = lostTransaction();
    t.flush();
    awaitCleanup(lost);
  }

  @Test
  @Timeout(60)
  void whatIsNoMarkDoesNotHinderTheOthersOfItsRound() throws IOException {
    long lost = lostTransaction();
    t.putUnseen(
        new Put(Bytes.toBytes("s"))
            .addColumn(PendingWrite.family(), Bytes.toBytes("x"), 17, new byte[1]));
    t.compact(); // both are in files now, of the regions that closed
    awaitCleanup(lost);
  }

  private long lostTransaction() throws IOException {
    long lost = t.oracle.begin();
    t.write(lost, "r", "a", "1");
    return t.commit(lost, "r");
  }

  private void awaitCleanup(long committed) throws IOException {
    while (t.cells("r").stream().anyMatch(PendingWrite::isMark)) {
      Thread.onSpinWait(); // each look is a request; the test's time limit ends it
    }
    assertEquals(committed + 1, t.cells("r").get(0).getTimestamp());
  }

  @Test
  void aRowThatIsBeingWrittenIsLeftAlone() {
    RowLatches latches = new RowLatches();
    RowLatches.Latch latch = new RowLatches.Latch(Bytes.toBytes("r"), 16);
    RowLatches.Latch same = new RowLatches.Latch(Bytes.toBytes("r"), 16);
    RowLatches.Latch other = new RowLatches.Latch(Bytes.toBytes("r"), 32);
    assertTrue(latches.latchForWrite(latch));
    assertTrue(latches.latchForWrite(same));
    assertFalse(latches.latchForCleanup(same));
    assertTrue(latches.latchForCleanup(other));
    assertFalse(latches.latchForCleanup(other));
    latches.releaseWrite(latch);
    assertFalse(latches.latchForCleanup(latch));
    latches.releaseWrite(same);
    assertTrue(latches.latchForCleanup(latch));
    assertFalse(latches.latchForWrite(same));
    latches.releaseCleanup(latch);
    assertTrue(latches.latchForWrite(same));
  }

  @Test
  void marksInTheLogSurviveTheDeathOfARegionServer() throws Exception {
    long open = t.oracle.begin();
    t.write(open, "r", "a", "pending");
    t.update("s", "a", "1");
    var server = t.cluster.hbase().startRegionServer();
    try (var admin = t.cluster.connection().getAdmin()) {
      admin.move(
          region.getRegionInfo().getEncodedNameAsBytes(), server.getRegionServer().getServerName());
    }
    long second = t.oracle.begin();
    t.write(second, "r", "b", "pending");
    t.update("s", "a", "2");
    server.getRegionServer().abort("killed by a test");
    assertEquals(Map.of(), t.read(t.oracle.begin(), "r"));
    assertEquals(Map.of("a", "2"), t.read(t.oracle.begin(), "s"));
    t.commit(second, "r");
    assertEquals(Map.of("b", "pending"), t.read(t.oracle.begin(), "r"));
    assertEquals(4, t.cells("r").size());
    t.table.put(new Put(Bytes.toBytes("x")).addColumn(RawTable.F, Bytes.toBytes("a"), new byte[1]));
  }
}
