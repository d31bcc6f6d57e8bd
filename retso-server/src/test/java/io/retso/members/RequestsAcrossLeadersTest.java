package io.retso.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.TransactionStatus.State;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of every kind that are under way when another server begins to lead. */
@Timeout(120)
class RequestsAcrossLeadersTest {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "test");

  /** More timestamps than a test takes, and fewer than a new leader passes over. */
  private static final long FEW = 100L * Timestamps.GAP;

  /** How clients find out that the leader is another one. */
  enum End {
    /** It says so, and sends back what it owes. */
    STEPS_DOWN,
    /** Its connections are closed. */
    DIES,
    /** It says nothing of it: only its successor does. */
    KNOWS_NOTHING
  }

  private final SharedLog log = new SharedLog();
  private TestMember a;
  private TestMember b;
  private OracleClient client;

  @BeforeEach
  void start() throws Exception {
    a = new TestMember(log, ORACLE, "a");
    b = new TestMember(log, ORACLE, "b");
    lead(a);
    client =
        OracleClient.builder()
            .address(a.address(), b.address())
            .requestTimeout(Duration.ofSeconds(60))
            .seed(1)
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    a.close();
    b.close();
  }

  private void lead(TestMember member) {
    member.lead(List.of(a.address(), b.address()));
  }

  private void failOver(End end) {
    switch (end) {
      case STEPS_DOWN -> a.follow(ServerRole.UNKNOWN);
      case DIES -> a.close();
      case KNOWS_NOTHING -> {}
      default -> throw new AssertionError();
    }
    lead(b);
  }

  private CompletableFuture<Long> beginning() {
    return client.beginAsync().thenApply(TransactionHandle::startTimestamp);
  }

  private static <T> T get(CompletableFuture<T> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  /** The leader has taken all that was asked before: a ping may overtake, the next one does not. */
  private void awaitTaken() {
    client.ping();
    client.ping();
  }

  /** Transactions of which the decision is asked for when the leader changes. */
  private final class UnderWay {
    final TransactionHandle plain = client.begin();
    final TransactionHandle serializable = client.begin();
    final TransactionHandle certified = client.begin();
    final TransactionHandle validating = client.begin();
    final TransactionHandle conflicting = client.begin();
    final TransactionHandle winner = client.begin();
    final TransactionHandle aborted = client.begin();
    final TransactionHandle asked = client.begin();
    final long last = asked.startTimestamp();
    final TransactionHandle cleaned = winner;

    final CompletableFuture<CommitResult> ofPlain;
    final CompletableFuture<CommitResult> ofSerializable;
    final CompletableFuture<CommitResult> ofCertified;
    final CompletableFuture<CommitResult> ofValidating;
    final CompletableFuture<CommitResult> ofConflicting;
    final CompletableFuture<CommitResult> ofAborted;
    final CompletableFuture<TransactionStatus> ofAsked;
    final CompletableFuture<Void> ofCleaned;
    final CompletableFuture<Void> ofSwept;
    final CompletableFuture<Long> watermark;
    final CompletableFuture<CommitResult> endedLater;
    final CompletableFuture<Void> cleanedLater;

    /** Asks for all of them; those that need the log are not answered. */
    UnderWay(boolean isKept) {
      assertTrue(client.commit(winner, 5).isCommitted());
      TransactionHandle ended = client.begin();
      TransactionHandle alsoCleaned = client.begin();
      assertTrue(client.commit(alsoCleaned, 9).isCommitted());
      if (isKept) {
        log.mute();
      } else {
        log.fence();
      }
      ofPlain = client.commitAsync(plain, 1);
      awaitTaken();
      ofSerializable =
          client.commitAsync(
              CommitRequest.of(serializable).withWrites(2).withReads(20).serializable());
      ofCertified =
          client.commitAsync(CommitRequest.of(certified).withReads(21, 22).serializable());
      ofValidating =
          client.commitAsync(CommitRequest.of(validating).withWrites(3).withValidated(30));
      ofConflicting = client.commitAsync(conflicting, 5);
      ofAborted = client.abortAsync(aborted);
      ofAsked = client.statusAsync(winner.startTimestamp(), last);
      ofCleaned = client.cleanedUpAsync(cleaned);
      ofSwept = client.sweptAsync(plain);
      watermark = client.lowWatermarkAsync();
      endedLater = client.endLater(ended);
      cleanedLater = client.cleanedUpLater(alsoCleaned);
    }

    List<CompletableFuture<?>> all() {
      return List.of(
          ofPlain,
          ofSerializable,
          ofCertified,
          ofValidating,
          ofConflicting,
          ofAborted,
          ofAsked,
          ofCleaned,
          ofSwept,
          watermark,
          endedLater,
          cleanedLater);
    }
  }

  /** Each gets its one true answer, whatever the old leader had done of it. */
  @ParameterizedTest
  @CsvSource({
    "true, STEPS_DOWN", "true, DIES", "true, KNOWS_NOTHING",
    "false, STEPS_DOWN", "false, DIES", "false, KNOWS_NOTHING"
  })
  void whatTheLogDecidesIsAnsweredByTheNextLeader(boolean isKept, End end) throws Exception {
    long before = client.lowWatermark();
    UnderWay calls = new UnderWay(isKept);
    awaitTaken();
    assertTrue(calls.all().stream().noneMatch(CompletableFuture::isDone));
    failOver(end);
    // The first one has an entry of its own; the others wait for its end.
    assertEquals(isKept, get(calls.ofPlain).commitTimestamp() < calls.last + FEW);
    assertTrue(get(calls.ofSerializable).commitTimestamp() > calls.last + FEW);
    assertTrue(get(calls.ofValidating).isCommitted());
    assertTrue(get(calls.ofCertified).isCommitted());
    assertFalse(get(calls.ofConflicting).isCommitted());
    assertFalse(get(calls.ofAborted).isCommitted());
    assertEquals(State.COMMITTED, get(calls.ofAsked).state());
    get(calls.ofCleaned);
    get(calls.ofSwept);
    assertTrue(get(calls.watermark) >= before);
    assertTrue(get(calls.endedLater).isCommitted());
    get(calls.cleanedLater);
    assertEquals(0, client.outstanding());
    assertState(get(calls.ofPlain), calls.plain);
    assertState(get(calls.ofSerializable), calls.serializable);
    assertState(get(calls.ofValidating), calls.validating);
    assertState(get(calls.ofConflicting), calls.conflicting);
    assertState(get(calls.ofAborted), calls.aborted);
  }

  /** The log, which the new leader has read, agrees with what was answered. */
  private void assertState(CommitResult answered, TransactionHandle asked) {
    TransactionStatus found = client.status(asked.startTimestamp(), client.timestamp());
    if (answered.isCommitted()) {
      assertEquals(answered.commitTimestamp(), found.commitTimestamp());
    } else {
      assertTrue(found.state() == State.ABORTED || found.state() == State.RETRY);
    }
  }

  /** The leader has no lease any more, so it keeps back what the log does not decide. */
  @ParameterizedTest
  @CsvSource({"STEPS_DOWN", "DIES", "KNOWS_NOTHING"})
  void timestampsThatWaitForALeaseComeFromTheNextLeader(End end) throws Exception {
    Set<Long> begun = new LinkedHashSet<>();
    begun.add(client.begin().startTimestamp());
    log.fence();
    CompletableFuture<Long> begin = beginning();
    awaitTaken();
    while (begin.isDone()) { // until the lease is over
      begun.add(get(begin));
      begin = beginning();
      awaitTaken();
    }
    CompletableFuture<Long> timestamp = client.timestampAsync();
    CompletableFuture<Long> safe = client.safeSnapshotAsync();
    awaitTaken();
    List<CompletableFuture<Long>> held = List.of(begin, timestamp, safe);
    assertTrue(held.stream().noneMatch(CompletableFuture::isDone));
    failOver(end);
    long last = begun.stream().mapToLong(start -> start).max().orElseThrow();
    assertTrue(get(begin) > last, "a begin of the first leader was answered to nobody");
    assertTrue(get(timestamp) > last);
    assertTrue(get(safe) > 0);
    assertTrue(begun.add(get(begin)));
  }

  /** It read before, it writes and commits afterwards. */
  @ParameterizedTest
  @CsvSource({"STEPS_DOWN", "DIES", "KNOWS_NOTHING"})
  void openTransactionsGoOnWithTheNextLeader(End end) throws Exception {
    TransactionHandle one = client.begin();
    TransactionHandle two = client.begin();
    TransactionHandle serializable = client.begin();
    TransactionHandle early = client.begin();
    assertTrue(client.commit(early, 50).isCommitted());
    failOver(end);
    assertEquals(State.OPEN, client.status(one.startTimestamp(), client.timestamp()).state());
    assertTrue(client.commit(one, 1).isCommitted());
    assertFalse(client.commit(two, 1).isCommitted(), "it conflicts, as ever");
    CommitRequest unchanged =
        CommitRequest.of(serializable).withWrites(2).withReads(60).serializable();
    assertTrue(client.commit(unchanged).isCommitted());
    long third = client.timestamp();
    assertEquals(State.COMMITTED, client.status(early.startTimestamp(), third).state());
  }

  /** None of many fail-overs in its life ends it, as long as the window has room. */
  @Test
  void anOpenTransactionOutlivesSeveralLeaders() throws Exception {
    TransactionHandle start = client.begin();
    List<TestMember> leaders = new ArrayList<>(List.of(a, b));
    for (int i = 0; i < 10; i++) {
      TestMember next = leaders.get((i + 1) % 2);
      lead(next);
      leaders.get(i % 2).follow(ServerRole.UNKNOWN);
      client.begin();
    }
    assertTrue(client.commit(start, 1).isCommitted());
  }
}
