package io.retso.client;

import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static io.retso.client.ScriptedPeer.ticket;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult.AbortReason;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Script;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client may not do, as servers say it: of one transaction, or of a frame. */
@Timeout(60)
class OwnersTest {
  private static final int GAP = Timestamps.GAP;
  private static final CommitRequest SERIALIZABLE =
      CommitRequest.of(handle(GAP)).withWrites(1).withReads(2).serializable();

  /** Everything that only the owner of a transaction may ask. */
  private static final List<Function<OracleClient, CompletableFuture<?>>> OWNED =
      List.of(
          client -> client.commitAsync(handle(GAP), 1, 2),
          client -> client.commitAsync(SERIALIZABLE),
          client -> client.endLater(handle(GAP)),
          client -> client.abortAsync(handle(GAP)),
          client -> client.cleanedUpAsync(handle(GAP)),
          client -> client.cleanedUpLater(handle(GAP)),
          client -> client.sweptAsync(handle(GAP)));

  private final WireOracle oracle = new WireOracle();

  private static final Script LOSES_A_REQUEST =
      wire -> {
        wire.handshake();
        wire.read();
      };

  private static final Script KNOWS_ANOTHER_OWNER =
      wire -> {
        wire.handshake();
        while (true) {
          Request request = wire.read();
          long[] outcomes = new long[request.count()];
          Arrays.fill(outcomes, Outcome.NOT_OWNER);
          wire.reply(request, outcomes);
        }
      };

  private static final Script PERMITS_NOTHING =
      wire -> {
        wire.handshake();
        while (true) {
          wire.refuse(wire.read(), ErrorCode.NOT_PERMITTED, "not yours");
        }
      };

  private static boolean isCommit(int i) {
    return i < 3;
  }

  private static void assertTellsNoTicket(OracleException failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      assertFalse(t.getMessage().contains("" + ticket(GAP)), t::getMessage);
      assertFalse(t.getMessage().contains(Long.toHexString(ticket(GAP))), t::getMessage);
    }
  }

  private static void assertNotPermitted(Script script, String message) throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(script);
        OracleClient client = clientOf(peer).build()) {
      for (Function<OracleClient, CompletableFuture<?>> request : OWNED) {
        OracleException failure = failureOf(request.apply(client));
        assertEquals(Category.NOT_PERMITTED, failure.category(), failure::getMessage);
        assertTrue(failure.getMessage().contains(message), failure::getMessage);
        assertTellsNoTicket(failure);
      }
      assertEquals(0, client.outstanding());
      assertEquals(1, peer.accepted(), "none of these costs the connection");
    }
  }

  /** Its older copy may have been carried out; what is no commit does no harm if it was. */
  private static void assertOpenIfRepeated(Script script, String message) throws Exception {
    for (int i = 0; i < OWNED.size(); i++) {
      try (ScriptedPeer peer = new ScriptedPeer(LOSES_A_REQUEST, script);
          OracleClient client = clientOf(peer).build()) {
        OracleException failure = failureOf(OWNED.get(i).apply(client));
        assertTrue(failure.getMessage().contains(message), failure::getMessage);
        assertTellsNoTicket(failure);
        Category expected = isCommit(i) ? Category.UNKNOWN_OUTCOME : Category.NOT_PERMITTED;
        assertEquals(expected, failure.category(), failure::getMessage);
        if (isCommit(i)) {
          assertInstanceOf(UnknownOutcomeException.class, failure);
          assertTrue(failure.getMessage().contains("abort with its handle"), failure::getMessage);
        }
        assertEquals(0, client.outstanding());
        assertEquals(2, peer.accepted());
      }
    }
  }

  @Test
  void transactionsOfOthersAreNotPermitted() throws Exception {
    assertNotPermitted(KNOWS_ANOTHER_OWNER, "transaction 16 was begun by another client");
  }

  @Test
  void aRepeatedCommitOfAnothersIsOfUnknownOutcome() throws Exception {
    assertOpenIfRepeated(KNOWS_ANOTHER_OWNER, "transaction 16 was begun by another client");
  }

  @Test
  void framesThatAreNotPermittedFailWithTheServersWords() throws Exception {
    assertNotPermitted(PERMITS_NOTHING, "refuses: not yours");
  }

  @Test
  void aRepeatedCommitThatIsNotPermittedIsOfUnknownOutcome() throws Exception {
    assertOpenIfRepeated(PERMITS_NOTHING, "refuses: not yours");
  }

  @Test
  void ofAFrameOnlyThoseOfOthersFail() throws Exception {
    CountDownLatch gathered = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  wire.handshake();
                  long another = Outcome.NOT_OWNER;
                  wire.reply(wire.read(), 10 * GAP, another, Outcome.ABORTED_CONFLICT, another);
                  wire.reply(wire.read(), another, Outcome.DONE);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      List<CompletableFuture<CommitResult>> commits =
          List.of(
              client.commitAsync(handle(GAP), 1),
              client.commitAsync(handle(2 * GAP), 2),
              client.commitAsync(handle(3 * GAP), 3),
              client.commitAsync(handle(4 * GAP), 4));
      CompletableFuture<Void> first = client.cleanedUpAsync(handle(5 * GAP));
      CompletableFuture<Void> second = client.cleanedUpAsync(handle(6 * GAP));
      gathered.countDown();
      assertEquals(10 * GAP, get(commits.get(0)).commitTimestamp());
      assertFails(Category.NOT_PERMITTED, commits.get(1));
      assertEquals(AbortReason.CONFLICT, get(commits.get(2)).abortReason());
      assertFails(Category.NOT_PERMITTED, commits.get(3));
      assertFails(Category.NOT_PERMITTED, first);
      get(second);
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void anOwnerInAnswerToAStatusQueryIsABreach() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(KNOWS_ANOTHER_OWNER);
        OracleClient client = clientOf(peer).build()) {
      assertFails(Category.INCOMPATIBLE, client.statusAsync(GAP, GAP));
    }
  }

  /** The handle that another process kept as text serves as well. */
  @Test
  void aHandleServesWhereItWasNotBegun() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(peer).build();
        OracleClient other = clientOf(peer).build()) {
      String text = client.begin().text();
      assertFalse(other.abort(TransactionHandle.parse(text)).isCommitted());
    }
  }

  /** Behind it in the log lane is a query; timestamps overtake both. */
  @Test
  void aFrameThatIsNotPermittedDelaysNoOther() throws Exception {
    CountDownLatch gathered = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  wire.handshake();
                  Request swept = wire.read();
                  assertEquals(FrameType.SWEPT, swept.type());
                  assertEquals(2, swept.count());
                  asked.countDown();
                  Request status = wire.read();
                  assertEquals(FrameType.STATUS, status.type());
                  wire.reply(wire.read(), 5 * GAP);
                  begun.await();
                  wire.refuse(swept, ErrorCode.NOT_PERMITTED, "sweeps are for others");
                  wire.reply(status, Outcome.OPEN);
                  oracle.answerAll(wire);
                });
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<Void> first = client.sweptAsync(handle(GAP));
      CompletableFuture<Void> second = client.sweptAsync(handle(2 * GAP));
      gathered.countDown();
      asked.await();
      CompletableFuture<TransactionStatus> status = client.statusAsync(GAP, 2 * GAP);
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      assertEquals(handle(5 * GAP), get(begin));
      assertFalse(first.isDone() || second.isDone() || status.isDone());
      begun.countDown();
      for (CompletableFuture<Void> sweep : List.of(first, second)) {
        OracleException failure = failureOf(sweep);
        assertEquals(Category.NOT_PERMITTED, failure.category());
        assertTrue(failure.getMessage().contains(peer.address()), failure::getMessage);
        assertTrue(failure.getMessage().contains("sweeps are for others"), failure::getMessage);
      }
      assertEquals(TransactionStatus.State.OPEN, get(status).state());
      assertTrue(client.commit(client.begin(), 1).isCommitted());
      assertEquals(0, client.outstanding());
      assertEquals(1, peer.accepted(), "the connection goes on");
    }
  }

  /** They would be taken for answers to others. */
  @Test
  void refusalsOutOfTurnAreABreach() throws Exception {
    Script late =
        wire -> {
          wire.handshake();
          wire.read();
          wire.refuse(wire.read(), ErrorCode.NOT_PERMITTED, "the second first");
          wire.drain();
        };
    Script twice =
        wire -> {
          wire.handshake();
          Request first = wire.read();
          wire.read();
          wire.refuse(first, ErrorCode.NOT_PERMITTED, "once");
          wire.refuse(first, ErrorCode.NOT_PERMITTED, "and once more");
          wire.drain();
        };
    for (Script script : List.of(late, twice)) {
      try (ScriptedPeer peer = new ScriptedPeer(script, oracle::serve);
          OracleClient client = clientOf(peer).build()) {
        CompletableFuture<CommitResult> commit = client.commitAsync(handle(GAP), 1);
        CompletableFuture<TransactionStatus> status = client.statusAsync(GAP, GAP);
        assertFails(script == late ? Category.UNKNOWN_OUTCOME : Category.NOT_PERMITTED, commit);
        assertFails(Category.INCOMPATIBLE, status);
        assertEquals(0, client.outstanding());
        assertEquals(0, oracle.repeats());
      }
    }
  }

  private interface Begins {
    void answer(ScriptedPeer.Wire wire, Request begin) throws IOException;
  }

  private void assertBreach(int gap, Begins begins) throws Exception {
    CountDownLatch gathered = new CountDownLatch(1);
    WireOracle next = new WireOracle();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  gathered.await();
                  wire.handshake(1, gap);
                  Request begin = wire.read();
                  assertEquals(2, begin.count());
                  begins.answer(wire, begin);
                  wire.drain();
                },
                next::serve);
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> first = client.beginAsync();
      CompletableFuture<TransactionHandle> second = client.beginAsync();
      gathered.countDown();
      assertFails(Category.INCOMPATIBLE, first);
      assertFails(Category.INCOMPATIBLE, second);
      assertEquals(handle(GAP), client.begin(), "the next connection is not to blame");
      assertEquals(List.of("BEGIN x1"), next.frames(), "nothing is repeated");
      assertEquals(0, client.outstanding());
    }
  }

  @Test
  void beginsWithMalformedStartsAreABreach() throws Exception {
    for (long start : new long[] {0, 1, GAP + 1, -GAP, Timestamps.MAX + GAP, Long.MIN_VALUE}) {
      assertBreach(GAP, (wire, begin) -> wire.reply(begin, start));
    }
    assertBreach(GAP, (wire, begin) -> wire.reply(begin, Timestamps.MAX)); // the second is beyond
    for (int gap : new int[] {1, GAP / 2, GAP + 1}) {
      assertBreach(gap, (wire, begin) -> wire.reply(begin, GAP));
    }
  }

  @Test
  void beginsWithTooFewOrTooManyTicketsAreABreach() throws Exception {
    for (int tickets = 0; tickets <= 4; tickets++) {
      if (tickets != 2) {
        long[] words = new long[1 + tickets];
        Arrays.setAll(words, i -> i == 0 ? GAP : ticket(i * (long) GAP));
        int type = FrameType.BEGIN.reply();
        assertBreach(GAP, (wire, begin) -> wire.reply(type, begin.count(), begin.id(), words));
        // Nor may it answer as many begins as it has tickets.
        assertBreach(GAP, (wire, begin) -> wire.reply(type, words.length - 1, begin.id(), words));
      }
    }
  }
}
