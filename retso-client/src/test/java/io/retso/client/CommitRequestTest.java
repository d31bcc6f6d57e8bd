package io.retso.client;

import static io.retso.client.ClientFixture.SHORT;
import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult.AbortReason;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Script;
import io.retso.protocol.Authentication;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits that say what was read, and safe snapshots. */
@Timeout(60)
class CommitRequestTest {
  private static final int GAP = Timestamps.GAP;
  private static final CommitRequest SERIALIZABLE =
      CommitRequest.of(handle(GAP)).withWrites(1).withReads(2).serializable();

  private final WireOracle oracle = new WireOracle();

  private static long[] ids(int from, int count) {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = from + i;
    }
    return ids;
  }

  /** Each list has a size of its own, and no id is in two of them. */
  @Test
  void everyListArrivesAsItWasGiven() throws Exception {
    List<CommitRequest> arrived = new ArrayList<>();
    CommitRequest sent =
        CommitRequest.of(handle(3 * GAP))
            .withWrites(ids(100, 2))
            .withValidated(ids(200, 3))
            .withReads(ids(300, 4))
            .withRangeReads(ids(400, 5))
            .withRangeWrites(ids(500, 6));
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  while (true) {
                    Request request = wire.read();
                    assertEquals(FrameType.COMMIT_READS, request.type());
                    assertFalse(request.isRepeated());
                    arrived.addAll(request.commitReads());
                    wire.reply(request, 4 * GAP);
                  }
                });
        OracleClient client = clientOf(peer).build()) {
      assertEquals(4 * GAP, client.commit(sent).commitTimestamp());
      assertEquals(4 * GAP, get(client.commitAsync(sent.serializable())).commitTimestamp());
    }
    assertEquals(2, arrived.size());
    assertFalse(arrived.get(0).isSerializable());
    assertTrue(arrived.get(1).isSerializable());
    for (CommitRequest request : arrived) {
      assertEquals(handle(3 * GAP), request.transaction());
      assertArrayEquals(sent.writes(), request.writes());
      assertArrayEquals(sent.validated(), request.validated());
      assertArrayEquals(sent.reads(), request.reads());
      assertArrayEquals(sent.rangeReads(), request.rangeReads());
      assertArrayEquals(sent.rangeWrites(), request.rangeWrites());
      assertEquals(20, request.ids());
    }
  }

  @Test
  void transactionsAreRefusedForWhatTheyRead() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      CommitRequest validator = CommitRequest.of(client.begin()).withValidated(7);
      CommitRequest pivot =
          CommitRequest.of(client.begin()).withWrites(8).withReads(7).serializable();
      CommitRequest reader = CommitRequest.of(client.begin()).withReads(7).serializable();
      CommitRequest scan = CommitRequest.of(client.begin()).withRangeReads(70).serializable();
      CommitRequest careless = CommitRequest.of(client.begin()).withReads(7).withWrites(9);
      CommitRequest writer = CommitRequest.of(client.begin()).withWrites(7).withRangeWrites(70);
      assertTrue(client.commit(writer).isCommitted());
      assertEquals(AbortReason.CONFLICT, client.commit(validator).abortReason());
      assertEquals(AbortReason.PIVOT, client.commit(pivot).abortReason());
      assertEquals(AbortReason.READ_ONLY, client.commit(reader).abortReason());
      assertEquals(AbortReason.READ_ONLY, client.commit(scan).abortReason());
      assertTrue(client.commit(careless).isCommitted(), "nobody asked for more");
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void everyReasonHasItsResult() throws Exception {
    long[] outcomes = {
      Outcome.ABORTED_CONFLICT,
      Outcome.ABORTED_TOO_OLD,
      Outcome.ABORTED,
      Outcome.ABORTED_PIVOT,
      Outcome.ABORTED_READ_ONLY,
      Outcome.ABORTED_UNKNOWN_SUCCESSOR
    };
    AbortReason[] reasons = {
      AbortReason.CONFLICT,
      AbortReason.TOO_OLD,
      AbortReason.EARLIER,
      AbortReason.PIVOT,
      AbortReason.READ_ONLY,
      AbortReason.UNKNOWN_SUCCESSOR
    };
    assertEquals(Set.of(AbortReason.values()), Set.of(reasons), "all of them are here");
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  wire.handshake();
                  wire.reply(wire.read(), outcomes);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 0; i < outcomes.length; i++) {
        commits.add(client.commitAsync(SERIALIZABLE));
      }
      gathered.countDown(); // they share a frame
      for (int i = 0; i < outcomes.length; i++) {
        CommitResult result = get(commits.get(i));
        assertEquals(reasons[i], result.abortReason());
        assertEquals(result, CommitResult.aborted(reasons[i]));
        assertEquals(result, CommitResult.of(outcomes[i], 0));
      }
    }
  }

  /** They are not told to callers who asked for less; and the last is no outcome at all. */
  @Test
  void outcomesOfReadsInAnswerToOthersBreakTheProtocol() throws Exception {
    for (long outcome : new long[] {-11, -12, -13, -15}) {
      try (ScriptedPeer peer =
              new ScriptedPeer(
                  wire -> {
                    wire.handshake();
                    wire.reply(wire.read(), outcome);
                    wire.drain();
                  });
          OracleClient client = clientOf(peer).build()) {
        assertFails(Category.INCOMPATIBLE, client.statusAsync(GAP, GAP));
        assertFails(Category.INCOMPATIBLE, client.abortAsync(handle(GAP)));
        assertFails(Category.UNKNOWN_OUTCOME, client.commitAsync(handle(GAP), 1));
      }
    }
  }

  @Test
  void gatheredRequestsShareAFrameAndHaveItsBounds() throws Exception {
    CountDownLatch gathered = new CountDownLatch(1);
    WireOracle busy = new WireOracle(2 * Limits.FRAME_TIMESTAMPS_MAX);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  busy.serve(wire);
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
      for (int i = 1; i <= Limits.FRAME_TIMESTAMPS_MAX + 1; i++) {
        commits.add(client.commitAsync(CommitRequest.of(handle(i * (long) GAP)).serializable()));
      }
      long[] many = ids(1_000_000, 5_000);
      CommitRequest large = SERIALIZABLE.withReads(many);
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<Long> snapshot = client.safeSnapshotAsync();
      CompletableFuture<Long> shared = client.safeSnapshotAsync();
      gathered.countDown();
      for (CompletableFuture<CommitResult> commit : commits) {
        assertTrue(get(commit).isCommitted());
      }
      assertEquals(get(snapshot), get(shared), "one for all who ask");
      assertTrue(get(begin).startTimestamp() > get(snapshot));
      assertTrue(client.commit(large) != null);
      List<String> frames = busy.frames();
      // 36 bytes each: a frame is closed when it has 64 KiB.
      int perFrame = (64 << 10) / 36;
      assertEquals("COMMIT_READS x" + perFrame, frames.get(0));
      assertEquals("SAFE x2", frames.get(frames.size() - 3));
      assertEquals("BEGIN x1", frames.get(frames.size() - 2));
    }
  }

  @Test
  void theLargestFitsAndALargerOneIsRefusedAtOnce() throws Exception {
    int fifth = Limits.TRANSACTION_IDS_MAX / 5;
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      CommitRequest largest =
          CommitRequest.of(client.begin())
              .withWrites(ids(0, fifth))
              .withValidated(ids(fifth, fifth))
              .withReads(ids(2 * fifth, fifth))
              .withRangeReads(ids(3 * fifth, fifth))
              .withRangeWrites(ids(4 * fifth, fifth))
              .serializable();
      assertTrue(client.commit(largest).isCommitted());
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class,
              () -> client.commitAsync(largest.withReads(ids(0, fifth + 1))));
      assertTrue(e.getMessage().contains("102001 rows and granules"), e.getMessage());
      CommitRequest manyRows =
          CommitRequest.of(handle(GAP))
              .withWrites(ids(0, Limits.TRANSACTION_ROWS_MAX + 1))
              .withRangeWrites(1);
      assertThrows(IllegalArgumentException.class, () -> client.commitAsync(manyRows));
      CommitRequest plain = CommitRequest.of(handle(GAP)).withWrites(ids(0, 5 * fifth + 1));
      assertThrows(IllegalArgumentException.class, () -> client.commitAsync(plain));
      assertThrows(NullPointerException.class, () -> CommitRequest.of(null));
      assertThrows(NullPointerException.class, () -> largest.withReads((long[]) null));
    }
  }

  /** A server may allow fewer ids than the protocol does. */
  @Test
  void limitsOfTheServerHoldForAllIdsTogether() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(
                      new Welcome(
                          Handshake.VERSION_MAX,
                          Handshake.Mode.ORACLE,
                          Limits.FRAME_BYTES_MAX,
                          10,
                          GAP,
                          ScriptedPeer.ORACLE,
                          ServerRole.alone(1),
                          Authentication.Offer.NONE));
                  oracle.answerAll(wire);
                });
        OracleClient client = clientOf(peer).build()) {
      CommitRequest allowed = CommitRequest.of(client.begin()).withWrites(ids(0, 3));
      assertTrue(client.commit(allowed.withReads(ids(9, 7))).isCommitted());
      OracleException failure = failureOf(client.commitAsync(SERIALIZABLE.withReads(ids(9, 10))));
      assertEquals(Category.INVALID_REQUEST, failure.category());
      assertTrue(failure.getMessage().contains("names 11 rows"), failure::getMessage);
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void aLostReplyIsAskedForAgainWithTheFlag() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(oracle::loseSecondReply, oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      TransactionHandle start = client.begin();
      CommitRequest request = CommitRequest.of(start).withWrites(1).withReads(2).serializable();
      long commit = client.commit(request).commitTimestamp();
      assertEquals(oracle.decided(start), commit);
      assertEquals(1, oracle.repeats());
      assertEquals(List.of("BEGIN x1", "COMMIT_READS x1", "COMMIT_READS x1"), oracle.frames());
    }
  }

  @Test
  void safeSnapshotsAreAskedForAgain() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  wire.read();
                },
                oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      assertEquals(GAP, client.safeSnapshot());
    }
  }

  @Test
  void anUnansweredCommitIsUnknownAndAnUnansweredSnapshotIsNot() throws Exception {
    Script silent =
        wire -> {
          wire.handshake();
          wire.drain();
        };
    try (ScriptedPeer peer = new ScriptedPeer(silent);
        OracleClient client = clientOf(peer).requestTimeout(SHORT).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(SERIALIZABLE);
      CompletableFuture<Long> snapshot = client.safeSnapshotAsync();
      UnknownOutcomeException unknown =
          assertInstanceOf(UnknownOutcomeException.class, failureOf(commit));
      assertEquals(GAP, unknown.startTimestamp());
      assertFails(Category.TIMEOUT, snapshot);
    }
  }

  /** A server's words on a refused commit, which writes 1 and 2, validates 3 and reads 4. */
  private CompletableFuture<CommitResult> refused(long outcome, long... words) throws Exception {
    Script script =
        wire -> {
          wire.handshake();
          Request commit = wire.read();
          long[] numbers =
              LongStream.concat(LongStream.of(outcome, 0), LongStream.of(words)).toArray();
          wire.reply(commit.type().reply(), 1, commit.id(), numbers);
          wire.drain();
        };
    CommitRequest request =
        CommitRequest.of(handle(GAP)).withWrites(1, 2).withValidated(3).withReads(4);
    try (ScriptedPeer peer = new ScriptedPeer(script);
        OracleClient client = clientOf(peer).requestTimeout(SHORT).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(request.serializable());
      commit.handle((result, failure) -> null).get();
      return commit;
    }
  }

  @Test
  void explanationsNameIdsOfTheRequest() throws Exception {
    CommitResult conflict = get(refused(Outcome.ABORTED_CONFLICT, Frames.refusal(2, -1), 2 * GAP));
    Conflict met = conflict.conflict().orElseThrow();
    assertEquals(new Conflict.Id(Conflict.Kind.VALIDATED, 3), met.changed());
    assertEquals(2 * GAP, met.commitTimestamp().getAsLong());
    CommitResult pivot = get(refused(Outcome.ABORTED_PIVOT, Frames.refusal(3, 1), 2 * GAP));
    met = pivot.conflict().orElseThrow();
    assertEquals(new Conflict.Id(Conflict.Kind.READ, 4), met.changed());
    assertEquals(new Conflict.Id(Conflict.Kind.WRITE, 2), met.read().orElseThrow());
    CommitResult old = get(refused(Outcome.ABORTED_TOO_OLD, Frames.refusal(0, -1), 0));
    assertTrue(old.conflict().orElseThrow().commitTimestamp().isEmpty());
    assertTrue(get(refused(Outcome.ABORTED_TOO_OLD, -1, 0)).conflict().isEmpty());
    assertTrue(get(refused(Outcome.ABORTED_CONFLICT)).conflict().isEmpty(), "of version 1");
  }

  @Test
  void explanationsThatContradictTheRequestAreNoAnswers() throws Exception {
    long[][] all = {
      {Frames.refusal(4, -1), 2 * GAP},
      {Frames.refusal(-2, -1), 2 * GAP},
      {Frames.refusal(-1, 0), 2 * GAP},
      {Frames.refusal(0, 4), 2 * GAP},
      {Frames.refusal(0, -1), GAP},
      {Frames.refusal(0, -1), 2 * GAP + 1},
      {Frames.refusal(0, -1)},
      {Frames.refusal(0, -1), 2 * GAP, 0, 0},
    };
    for (long[] words : all) {
      UnknownOutcomeException unknown =
          assertInstanceOf(
              UnknownOutcomeException.class, failureOf(refused(Outcome.ABORTED_CONFLICT, words)));
      assertEquals(GAP, unknown.startTimestamp());
    }
  }

  @Test
  void requestsAreImmutable() {
    CommitRequest empty = CommitRequest.of(handle(GAP));
    CommitRequest full = empty.withWrites(1).withReads(2, 3).serializable();
    assertEquals(0, empty.ids());
    assertFalse(empty.isSerializable());
    assertEquals(3, full.ids());
    assertTrue(empty.isPlain() && empty.withWrites(1).isPlain());
    assertFalse(empty.serializable().isPlain());
    assertFalse(empty.withValidated(1).isPlain() || empty.withRangeWrites(1).isPlain());
    assertTrue(empty.withReads(1).isPlain(), "nobody looks at what it read");
  }
}
