package io.retso.client;

import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ClientFixture.servingOnce;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.protocol.FrameType;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests share frames, and which wait for others to do so. */
@Timeout(60)
class GatheringTest {
  private static final int GAP = Timestamps.GAP;

  @Test
  void requestsThatGatherTravelInOneFrameOfEachTypeAndBeginsAreLast() throws Exception {
    WireOracle oracle = new WireOracle(500);
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(gathered, oracle);
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<TransactionHandle>> begins = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        begins.add(client.beginAsync());
      }
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        commits.add(client.commitAsync(handle((i + 1) * (long) GAP), 7000 + i));
      }
      List<CompletableFuture<Void>> cleans = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        cleans.add(client.cleanedUpAsync(handle((i + 1) * (long) GAP)));
      }
      gathered.countDown();
      for (int i = 0; i < 1000; i++) {
        assertEquals(
            handle((1000 + i + 1) * (long) GAP),
            get(begins.get(i)),
            "timestamps follow the order of calls, and the commits that were sent with them");
      }
      for (CompletableFuture<CommitResult> commit : commits) {
        assertTrue(get(commit).isCommitted());
      }
      for (CompletableFuture<Void> clean : cleans) {
        get(clean);
      }
      assertEquals(List.of("COMMIT x500", "CLEANED x500", "BEGIN x1000"), oracle.frames());
    }
  }

  @Test
  void requestsMadeByDependentStagesOfOneReplyTravelTogether() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(gathered, oracle);
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<CommitResult>> transactions = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        transactions.add(client.beginAsync().thenCompose(start -> client.commitAsync(start)));
      }
      gathered.countDown();
      for (CompletableFuture<CommitResult> transaction : transactions) {
        assertTrue(get(transaction).isCommitted());
      }
      assertEquals(List.of("BEGIN x300", "COMMIT x300"), oracle.frames());
    }
  }

  @Test
  void timestampsThatGatherAreOneAndAreSentBehindCommits() throws Exception {
    WireOracle oracle = new WireOracle(500);
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(gathered, oracle);
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<Long> first = client.timestampAsync();
      CompletableFuture<Long> second = client.timestampAsync();
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 7);
      gathered.countDown();
      assertTrue(get(commit).isCommitted());
      assertEquals(502 * GAP, get(first));
      assertEquals(502 * GAP, get(second), "one timestamp for the frame");
      assertEquals(handle(503 * GAP), get(begin));
      assertEquals(List.of("COMMIT x1", "TIMESTAMP x2", "BEGIN x1"), oracle.frames());
    }
  }

  @Test
  void watermarkCallsShareAFrameAndItsAnswer() throws Exception {
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  wire.handshake();
                  Request request = wire.read();
                  assertEquals(FrameType.WATERMARK, request.type());
                  assertEquals(20, request.count());
                  wire.reply(request, 160);
                  wire.reply(wire.read(), 17);
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<Long>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        calls.add(client.lowWatermarkAsync());
      }
      gathered.countDown();
      for (CompletableFuture<Long> call : calls) {
        assertEquals(160, get(call));
      }
      assertFails(Category.INCOMPATIBLE, client.lowWatermarkAsync());
    }
  }

  @Test
  void reportsInNoHurryTravelWithWhatTheOracleLogsOrByThemselves() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle first = client.begin();
      TransactionHandle second = client.begin();
      client.endLater(first);
      client.status(first.startTimestamp(), second.startTimestamp());
      assertNotNull(oracle.decided(first), "it was sent before the query behind it");
      assertTrue(get(client.endLater(second)).isCommitted());
      TransactionHandle third = client.begin();
      assertTrue(client.commit(third, 1).isCommitted());
      get(client.cleanedUpLater(third));
      assertTrue(oracle.isCleaned(third));
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void reportsInNoHurryDoNotTravelWithEachBegin() throws Exception {
    int readers = 300;
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      long begun = System.nanoTime();
      List<CompletableFuture<CommitResult>> ends = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        ends.add(client.endLater(client.begin()));
      }
      for (CompletableFuture<CommitResult> end : ends) {
        assertTrue(get(end).isCommitted());
      }
      long lingers = (System.nanoTime() - begun) / OracleClient.LINGER.toNanos();
      long frames = oracle.frames().stream().filter(frame -> frame.startsWith("COMMIT")).count();
      assertTrue(
          frames <= readers / 64 + lingers + 1,
          frames + " frames of ends of " + readers + " readers within " + lingers + " lingers");
    }
  }

  @Test
  void reportsInNoHurryLeaveRoomForOthers() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).maxOutstanding(8).build()) {
      for (int i = 0; i < 1000; i++) {
        client.endLater(client.begin());
      }
    }
  }
}
