package io.retso.client;

import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult.AbortReason;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.TransactionStatus.State;
import io.retso.protocol.Authentication;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OracleClientTest {
  private static final int GAP = Timestamps.GAP;

  @Test
  void transactionsRunFromBeginToCleanUp() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      client.ping();
      TransactionHandle first = client.begin();
      TransactionHandle second = client.begin();
      assertTrue(second.startTimestamp() > first.startTimestamp());

      CommitResult committed = client.commit(first, 1, 2, 3);
      assertTrue(committed.isCommitted());
      assertTrue(committed.commitTimestamp() > second.startTimestamp());
      CommitResult conflict = client.commit(second, 3);
      assertFalse(conflict.isCommitted());
      assertEquals(AbortReason.CONFLICT, conflict.abortReason());

      TransactionHandle third = client.begin();
      long reader = third.startTimestamp();
      TransactionStatus status = client.status(first.startTimestamp(), reader);
      assertEquals(State.COMMITTED, status.state());
      assertEquals(committed.commitTimestamp(), status.commitTimestamp());
      assertEquals(State.ABORTED, client.status(second.startTimestamp(), reader).state());
      assertEquals(State.OPEN, client.status(reader, reader).state());

      assertEquals(AbortReason.EARLIER, client.abort(third).abortReason());
      assertEquals(committed, client.abort(first));
      client.cleanedUp(first);
      assertTrue(oracle.isCleaned(first));
      assertTrue(client.commit(client.begin()).isCommitted());
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void theWatermarkRisesWithCleanUpsAndSweeps() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle first = client.begin();
      assertEquals(first.startTimestamp(), client.lowWatermark());
      assertTrue(client.commit(first, 1).isCommitted());
      assertEquals(first.startTimestamp(), client.lowWatermark());
      client.cleanedUp(first);
      TransactionHandle second = client.begin();
      assertEquals(second.startTimestamp(), client.lowWatermark());
      assertTrue(client.commit(second, 2).isCommitted());
      TransactionHandle sweep = client.begin();
      client.swept(sweep);
      assertTrue(oracle.isCleaned(second));
      assertEquals(sweep.startTimestamp(), client.lowWatermark());
      TransactionHandle future = handle(sweep.startTimestamp() + 1000L * GAP);
      OracleException e = assertThrows(OracleException.class, () -> client.swept(future));
      assertEquals(Category.INVALID_REQUEST, e.category());
    }
  }

  @Test
  void aTimestampIsNewAndNobodys() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      long commit = client.commit(client.begin(), 2).commitTimestamp();
      long timestamp = client.timestamp();
      assertEquals(commit + GAP, timestamp);
      assertEquals(handle(timestamp + GAP), client.begin());
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void timestampsOvertakeCommitsAndAreRepeated() throws Exception {
    CountDownLatch committing = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  assertEquals(FrameType.COMMIT, wire.read().type());
                  committing.countDown();
                  assertEquals(FrameType.TIMESTAMP, wire.read().type());
                }, // and hangs up
                wire -> {
                  wire.handshake();
                  Request commit = wire.read();
                  assertEquals(1 | FrameType.REPEAT_FLAG, commit.commits()[0][1]);
                  wire.reply(wire.read(), 5 * GAP);
                  answered.await();
                  wire.reply(commit, 6 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
      committing.await();
      assertEquals(5 * GAP, get(client.timestampAsync()));
      assertFalse(commit.isDone());
      answered.countDown();
      assertEquals(6 * GAP, get(commit).commitTimestamp());
    }
  }

  @Test
  void misshapenTimestampsBreakTheProtocol() throws Exception {
    for (long senseless : new long[] {4 * GAP + 2, 0, Outcome.RETRY}) {
      try (ScriptedPeer peer =
              new ScriptedPeer(
                  wire -> {
                    wire.handshake();
                    wire.reply(wire.read(), senseless);
                    wire.drain();
                  });
          OracleClient client = clientOf(peer).build()) {
        assertFails(Category.INCOMPATIBLE, client.timestampAsync());
      }
    }
  }

  @Test
  void largeCommitsAreSplitIntoFramesAndTheLargestFits() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle largest = client.begin();
      long[] rows = new long[Limits.TRANSACTION_ROWS_MAX];
      assertTrue(client.commit(largest, rows).isCommitted());
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        TransactionHandle start = client.begin();
        long[] many = new long[5000];
        Arrays.fill(many, 1_000_000 + i);
        commits.add(client.commitAsync(start, many));
      }
      for (CompletableFuture<CommitResult> commit : commits) {
        assertTrue(get(commit).isCommitted());
      }
    }
  }

  @Test
  void beginMayOvertakeCommits() throws Exception {
    CountDownLatch committing = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request commit = wire.read();
                  assertEquals(FrameType.COMMIT, commit.type());
                  committing.countDown();
                  Request begin = wire.read();
                  wire.reply(begin, 5 * GAP);
                  begun.await();
                  wire.reply(commit, 6 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
      committing.await();
      assertEquals(handle(5 * GAP), get(client.beginAsync()));
      assertFalse(commit.isDone());
      begun.countDown();
      assertEquals(6 * GAP, get(commit).commitTimestamp());
    }
  }

  @Test
  void outcomesMapToResultsAndFailures() throws Exception {
    AtomicReference<Long> next = new AtomicReference<>();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  while (true) {
                    wire.reply(wire.read(), next.get());
                  }
                });
        OracleClient client = clientOf(peer).build()) {
      next.set(Outcome.ABORTED_TOO_OLD);
      assertEquals(AbortReason.TOO_OLD, client.commit(handle(GAP)).abortReason());
      next.set(Outcome.ABORTED);
      assertEquals(AbortReason.EARLIER, client.commit(handle(GAP)).abortReason());
      assertEquals(State.ABORTED, client.status(GAP, GAP).state());
      next.set(Outcome.RETRY);
      assertEquals(State.RETRY, client.status(GAP, GAP).state());
      next.set(Outcome.DONE);
      assertFalse(client.abort(handle(GAP)).isCommitted());
      next.set(Outcome.OPEN);
      assertFails(Category.INVALID_REQUEST, client.cleanedUpAsync(handle(GAP)));
      next.set(Outcome.INVALID_TIMESTAMP);
      assertFails(Category.INVALID_REQUEST, client.commitAsync(handle(GAP)));
      assertFails(Category.INVALID_REQUEST, client.statusAsync(GAP, GAP));
      next.set(Outcome.ALREADY_COMMITTED);
      assertFails(Category.UNKNOWN_OUTCOME, client.commitAsync(handle(GAP)));
      next.set(Outcome.UNKNOWN);
      UnknownOutcomeException unknown =
          assertInstanceOf(
              UnknownOutcomeException.class, failureOf(client.commitAsync(handle(GAP))));
      assertEquals(GAP, unknown.startTimestamp());
      assertThrows(UnknownOutcomeException.class, () -> client.abort(handle(GAP)));
      assertEquals(1, peer.accepted(), "none of these costs the connection");
    }
  }

  /** More begins than one frame may ask for wait for the handshake, and go in several. */
  @Test
  void manyBeginsAreSplitIntoFrames() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  asked.await();
                  oracle.serve(wire);
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<TransactionHandle>> begins = new ArrayList<>();
      for (int i = 0; i < 2 * Limits.FRAME_TIMESTAMPS_MAX + 1; i++) {
        begins.add(client.beginAsync());
      }
      asked.countDown();
      long last = 0;
      for (CompletableFuture<TransactionHandle> begin : begins) {
        long start = begin.get().startTimestamp();
        assertEquals(handle(start), begin.get());
        assertTrue(start > last);
        last = start;
      }
      assertTrue(oracle.frames().contains("BEGIN x" + Limits.FRAME_TIMESTAMPS_MAX));
    }
  }

  @Test
  void badArgumentsAreThrownAtOnceAndHarmOnlyTheirCall() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      assertThrows(NullPointerException.class, () -> client.commitAsync(null, 1));
      assertThrows(NullPointerException.class, () -> client.commitAsync((CommitRequest) null));
      assertThrows(
          NullPointerException.class, () -> client.commitAsync(handle(GAP), (long[]) null));
      assertThrows(
          IllegalArgumentException.class,
          () -> client.commitAsync(handle(GAP), new long[Limits.TRANSACTION_ROWS_MAX + 1]));
      assertThrows(IllegalArgumentException.class, () -> client.statusAsync(GAP, 3));
      assertThrows(IllegalArgumentException.class, () -> client.statusAsync(3, GAP));
      assertThrows(NullPointerException.class, () -> client.abortAsync(null));
      assertThrows(NullPointerException.class, () -> client.cleanedUpAsync(null));
      assertThrows(NullPointerException.class, () -> client.sweptAsync(null));
      assertThrows(NullPointerException.class, () -> client.endLater(null));
      assertThrows(NullPointerException.class, () -> client.cleanedUpLater(null));
      assertEquals(0, client.outstanding());
      assertTrue(client.commit(client.begin()).isCommitted());
    }
  }

  @Test
  void builderRefusesWhatCannotWork() {
    OracleClientBuilder builder = OracleClient.builder();
    assertThrows(IllegalStateException.class, builder::build);
    assertThrows(IllegalArgumentException.class, () -> builder.address("nowhere"));
    assertThrows(IllegalArgumentException.class, () -> builder.connections(0));
    assertThrows(IllegalArgumentException.class, () -> builder.maxOutstanding(0));
    assertThrows(IllegalArgumentException.class, () -> builder.name(""));
    assertThrows(IllegalArgumentException.class, () -> builder.name("é".repeat(33)));
    assertThrows(IllegalArgumentException.class, () -> builder.requestTimeout(Duration.ZERO));
  }

  @Test
  void serversOwnLimitsAreKept() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(
                      new Welcome(
                          Handshake.VERSION_MAX,
                          Handshake.Mode.ORACLE,
                          4096,
                          10,
                          GAP,
                          ScriptedPeer.ORACLE,
                          ServerRole.alone(1),
                          Authentication.Offer.NONE));
                  while (true) {
                    Request request = wire.read();
                    wire.reply(request, oracle.answer(request));
                  }
                });
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle start = client.begin();
      assertFails(Category.INVALID_REQUEST, client.commitAsync(start, new long[11]));
      assertTrue(client.commit(start, new long[10]).isCommitted());
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        commits.add(client.commitAsync(start, new long[10]));
      }
      for (CompletableFuture<CommitResult> commit : commits) {
        assertTrue(get(commit).isCommitted());
      }
    }
  }

  @Test
  void overloadFailsAtOnceAndPasses() throws Exception {
    CountDownLatch full = new CountDownLatch(1);
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  full.await();
                  oracle.serve(wire);
                });
        OracleClient client = clientOf(peer).maxOutstanding(10).build()) {
      List<CompletableFuture<TransactionHandle>> taken = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        taken.add(client.beginAsync());
      }
      CompletableFuture<TransactionHandle> refused = client.beginAsync();
      assertTrue(refused.isDone());
      assertTrue(failureOf(refused).getMessage().contains("maxOutstanding"));
      assertFails(Category.OVERLOADED, refused);
      full.countDown();
      for (CompletableFuture<TransactionHandle> begin : taken) {
        get(begin);
      }
      assertTrue(client.begin().startTimestamp() > 0);
    }
  }

  @Test
  void connectionsTakeTurns() throws Exception {
    WireOracle oracle = new WireOracle();
    List<Thread> serving = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch both = new CountDownLatch(2);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  while (true) {
                    Request request = wire.read();
                    if (!serving.contains(Thread.currentThread())) {
                      serving.add(Thread.currentThread());
                      both.countDown();
                    }
                    wire.reply(request, oracle.answer(request));
                  }
                });
        OracleClient client = clientOf(peer).connections(2).build()) {
      while (both.getCount() > 0) {
        client.begin();
      }
      assertEquals(2, serving.size());
    }
  }
}
