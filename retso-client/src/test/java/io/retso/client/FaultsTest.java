package io.retso.client;

import static io.retso.client.ClientFixture.SHORT;
import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static io.retso.client.ScriptedPeer.ticket;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Script;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameType;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that break, servers that misbehave after the handshake, and time running out. */
@Timeout(60)
class FaultsTest {
  private static final int GAP = Timestamps.GAP;
  private static final Script SILENT =
      wire -> {
        wire.handshake();
        wire.drain();
      };

  private final WireOracle oracle = new WireOracle();

  @Test
  void commitWhoseReplyWasLostGetsTheOneTrueOutcome() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(oracle::loseSecondReply, oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle start = client.begin();
      CommitResult result = client.commit(start, 1, 2);
      assertEquals(oracle.decided(start), result.commitTimestamp());
      assertEquals(1, oracle.repeats(), "the repetition is flagged");
      assertEquals(List.of("BEGIN x1", "COMMIT x1", "COMMIT x1"), oracle.frames());
    }
  }

  @Test
  void commitThatWasLostIsDecidedByItsRepetition() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request begin = wire.read();
                  wire.reply(begin, oracle.answer(begin));
                  wire.read(); // lost
                },
                oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      assertTrue(client.commit(client.begin(), 1, 2).isCommitted());
      assertEquals(1, oracle.repeats());
    }
  }

  @Test
  void everythingElseIsRepeatedUntilItIsAnswered() throws Exception {
    Script readsOneAndHangsUp =
        wire -> {
          wire.handshake();
          wire.read();
        };
    try (ScriptedPeer peer =
            new ScriptedPeer(
                readsOneAndHangsUp, readsOneAndHangsUp, readsOneAndHangsUp, oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<CommitResult> abort = client.abortAsync(handle(GAP));
      CompletableFuture<TransactionStatus> status = client.statusAsync(2 * GAP, 3 * GAP);
      CompletableFuture<Void> ping = client.pingAsync();
      assertTrue(get(begin).startTimestamp() > 0);
      assertFalse(get(abort).isCommitted());
      assertEquals(TransactionStatus.State.OPEN, get(status).state());
      get(ping);
      assertEquals(4, peer.accepted());
    }
  }

  @Test
  void addressesThatFailSpoilNoOther() throws Exception {
    ScriptedPeer gone = new ScriptedPeer(SILENT);
    gone.close();
    try (ScriptedPeer hangsUp = new ScriptedPeer(wire -> {});
        ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(gone, hangsUp, peer).build()) {
      assertTrue(client.begin().startTimestamp() > 0);
    }
  }

  @Test
  void unreachableOracleIsUnavailableAlsoForCommits() throws Exception {
    ScriptedPeer gone = new ScriptedPeer(SILENT);
    gone.close();
    try (OracleClient client = clientOf(gone).requestTimeout(SHORT).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
      OracleException failure = failureOf(begin);
      assertEquals(Category.UNAVAILABLE, failure.category());
      assertTrue(failure.getMessage().contains(gone.address()), failure::getMessage);
      assertFails(Category.UNAVAILABLE, commit);
    }
  }

  @Test
  void silentOracleTimesOutAndLeavesCommitsUnknown() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(SILENT);
        OracleClient client = clientOf(peer).requestTimeout(SHORT).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
      assertFails(Category.TIMEOUT, begin);
      UnknownOutcomeException unknown =
          assertInstanceOf(UnknownOutcomeException.class, failureOf(commit));
      assertTrue(unknown.getMessage().contains("abort with its handle"), unknown::getMessage);
      awaitSecondConnection(peer);
    }
  }

  /** Silence costs the connection; the test's time limit ends the wait for the next one. */
  private static void awaitSecondConnection(ScriptedPeer peer) throws InterruptedException {
    while (peer.accepted() < 2) {
      TimeUnit.MILLISECONDS.sleep(5); // between two looks, not instead of one
    }
  }

  @Test
  void silentConnectionIsReplacedInTimeForARepetition() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(SILENT, oracle::serve);
        OracleClient client = clientOf(peer).requestTimeout(Duration.ofSeconds(8)).build()) {
      assertTrue(client.begin().startTimestamp() > 0);
    }
  }

  @Test
  void timeOutInOneLaneSparesTheOther() throws Exception {
    CountDownLatch timedOut = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request late = null;
                  while (true) {
                    Request request = wire.read();
                    if (request.type() == FrameType.BEGIN) {
                      wire.reply(request, oracle.answer(request));
                      if (timedOut.getCount() == 0 && late != null) {
                        wire.reply(late, Outcome.ABORTED);
                        late = null;
                      }
                    } else if (timedOut.getCount() > 0) {
                      late = request; // its log is slow
                    } else {
                      wire.reply(request, oracle.answer(request));
                    }
                  }
                });
        OracleClient client = clientOf(peer).requestTimeout(Duration.ofSeconds(1)).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
      while (!commit.isDone()) {
        client.begin();
      }
      assertFails(Category.UNKNOWN_OUTCOME, commit);
      assertTrue(client.outstanding() >= 1, "it counts until its reply comes");
      timedOut.countDown();
      client.begin();
      client.abort(handle(GAP));
      assertEquals(0, client.outstanding());
      assertEquals(1, peer.accepted(), "a late reply still matches its frame");
    }
  }

  @Test
  void brokenProtocolClosesTheConnectionAndRepeatsNothing() throws Exception {
    ByteBuf oversized = Unpooled.buffer();
    oversized.writeInt(Limits.FRAME_BYTES_MAX + 1).writeLong(0);
    byte[] tooLong = new byte[oversized.readableBytes()];
    oversized.readBytes(tooLong);
    List<Script> breaches = new ArrayList<>();
    breaches.add(
        breach(
            (wire, commit) -> wire.send("garbage, not a frame".getBytes(StandardCharsets.UTF_8))));
    breaches.add(breach((wire, commit) -> wire.send(tooLong)));
    breaches.add(breach((wire, commit) -> wire.reply(0x82, 1, 99, 16, ticket(16))));
    breaches.add(breach((wire, commit) -> wire.reply(0x83, 1, commit.id() + 1, 32, 1)));
    breaches.add(breach((wire, commit) -> wire.reply(0x83, 2, commit.id(), 32, 48, 1, 1)));
    breaches.add(breach((wire, commit) -> wire.reply(0x83, 1, commit.id(), 32, 48, 64)));
    breaches.add(breach((wire, commit) -> wire.reply(0x84, 1, commit.id(), 32)));
    breaches.add(breach((wire, commit) -> wire.reply(0x03, 1, commit.id(), 32)));
    breaches.add(breach((wire, commit) -> wire.reply(0x81, 0, 0, 1, 2, 3)));
    breaches.add(breach((wire, commit) -> wire.reply(commit, Outcome.OPEN)));
    breaches.add(breach((wire, commit) -> wire.reply(commit, -99)));
    breaches.add(breach((wire, commit) -> wire.reply(commit, GAP))); // not above its start
    for (int i = 0; i < breaches.size(); i++) {
      try (ScriptedPeer peer = new ScriptedPeer(breaches.get(i), oracle::serve);
          OracleClient client = clientOf(peer).build()) {
        CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
        CompletableFuture<TransactionStatus> status = client.statusAsync(GAP, GAP);
        assertFails(Category.UNKNOWN_OUTCOME, commit);
        assertFails(Category.INCOMPATIBLE, status);
        assertTrue(client.begin().startTimestamp() > 0, "breach " + i);
        assertEquals(0, oracle.repeats(), "breach " + i);
        assertEquals(0, client.outstanding(), "breach " + i);
      }
    }
  }

  @Test
  void ofAFrameOnlyWhatWasRefusedIsAskedAgain() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    AtomicReference<long[][]> again = new AtomicReference<>();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  asked.await();
                  wire.handshake();
                  wire.reply(
                      wire.read(),
                      Outcome.REFUSED_SHARE,
                      10 * GAP,
                      Outcome.REFUSED_UNCLEANED,
                      Outcome.ABORTED_CONFLICT);
                  Request refused = wire.read();
                  again.set(refused.commits());
                  wire.reply(refused, 11 * GAP, 12 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 1; i <= 4; i++) {
        commits.add(client.commitAsync(handle(i * GAP), i));
      }
      asked.countDown();
      assertEquals(11 * GAP, get(commits.get(0)).commitTimestamp());
      assertEquals(10 * GAP, get(commits.get(1)).commitTimestamp());
      assertEquals(12 * GAP, get(commits.get(2)).commitTimestamp());
      assertFalse(get(commits.get(3)).isCommitted());
      assertArrayEquals(new long[][] {{GAP, 1, 1}, {3 * GAP, 1, 3}}, again.get());
      assertEquals(0, client.outstanding());
    }
  }

  private interface Breach {
    void commit(ScriptedPeer.Wire wire, Request commit) throws IOException;
  }

  /** Reads a commit and a status query, then does what it must not. */
  private static Script breach(Breach breach) {
    return wire -> {
      wire.handshake();
      Request commit = wire.read();
      wire.read();
      breach.commit(wire, commit);
      wire.drain();
    };
  }

  @Test
  void beginsThatBreakTheOrderOfTheirLaneAreABreach() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch first = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request one = wire.read();
                  first.countDown();
                  Request two = wire.read();
                  second.countDown();
                  wire.reply(two, 32);
                  wire.reply(one, 16);
                  wire.drain();
                },
                oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> one = client.beginAsync();
      first.await();
      CompletableFuture<TransactionHandle> two = client.beginAsync();
      second.await();
      assertFails(Category.INCOMPATIBLE, one);
      assertFails(Category.INCOMPATIBLE, two);
    }
  }

  @Test
  void errorFramesAreToldApart() throws Exception {
    for (ErrorCode code : ErrorCode.values()) {
      try (ScriptedPeer peer =
              new ScriptedPeer(
                  wire -> {
                    wire.handshake();
                    Request request = wire.read();
                    wire.refuse(request, code, "because");
                    wire.drain();
                  },
                  oracle::serve);
          OracleClient client = clientOf(peer).build()) {
        CompletableFuture<TransactionHandle> begin = client.beginAsync();
        switch (code) {
          case MALFORMED_FRAME, TOO_LARGE, UNSUPPORTED_VERSION, HANDSHAKE -> {
            OracleException failure = failureOf(begin);
            assertEquals(Category.INCOMPATIBLE, failure.category());
            assertTrue(failure.getMessage().contains("because"), failure::getMessage);
          }
          case NOT_LEADER, DEPOSED ->
              assertFails(Category.INCOMPATIBLE, begin); // the server never said it is a standby
          case NOT_PERMITTED -> assertFails(Category.NOT_PERMITTED, begin);
          default -> assertTrue(get(begin).startTimestamp() > 0, code + " is repeated");
        }
      }
    }
  }

  @Test
  void repliesInSinglePiecesAreReassembled() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  while (true) {
                    Request request = wire.read();
                    ByteBuf out = request.reply(oracle.answer(request));
                    while (out.isReadable()) {
                      wire.send(new byte[] {out.readByte()});
                    }
                  }
                });
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle start = client.begin();
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        commits.add(client.commitAsync(start, i));
      }
      for (CompletableFuture<CommitResult> commit : commits) {
        long commitTimestamp = get(commit).commitTimestamp();
        assertEquals(oracle.decided(start), commitTimestamp);
      }
    }
  }
}
