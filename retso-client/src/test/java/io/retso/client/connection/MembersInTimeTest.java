package io.retso.client.connection;

import static io.retso.client.TestTickets.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleMembers;
import io.retso.client.TransactionHandle;
import io.retso.client.connection.VirtualNetwork.Reach;
import io.retso.client.connection.VirtualNetwork.Server;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client does when, towards members that come, go, are silent or cannot be reached. */
class MembersInTimeTest {
  private final VirtualNetwork network = new VirtualNetwork();
  private final Server a = network.server(1);
  private final Server b = network.server(2);
  private final Server c = network.server(3);

  private void aLeads() {
    a.lead(1, a, b, c);
    b.follow(1, a, a, b, c);
    c.follow(1, a, a, b, c);
  }

  private static void assertAnswered(CompletableFuture<?> call) {
    assertTrue(call.isDone() && !call.isCompletedExceptionally(), String.valueOf(call));
  }

  @Test
  void aClientThatKnowsOneStandbyIsConnectedToAllWithinAMillisecond() {
    aLeads();
    CompletableFuture<TransactionHandle> begin = network.client(1, c).beginAsync();
    network.pass(1);
    assertAnswered(begin);
  }

  /** It says no more than who leads. */
  @Test
  void theLeaderIsConnectedThoughNoListNamesIt() {
    a.lead(1);
    c.follow(1, a);
    CompletableFuture<TransactionHandle> begin = network.client(1, c).beginAsync();
    network.pass(1);
    assertAnswered(begin);
  }

  /** Registrations lapse before processes do, and the list may lack who leads next. */
  @Test
  void whoIsNamedNoMoreIsFoundAgainWhenNobodyLeads() {
    aLeads();
    OracleClient client = network.client(1, a);
    CompletableFuture<TransactionHandle> begin = client.beginAsync();
    network.pass(1);
    assertAnswered(begin);
    c.die(); // the client lost it, and it is not named any more
    a.lead(1, a);
    network.pass(60_000);
    c.reach = Reach.GOOD;
    a.die();
    b.die();
    c.lead(2, c);
    begin = client.beginAsync();
    network.pass(100);
    assertAnswered(begin);
  }

  @Test
  void whoIsNamedNoMoreIsNotConnectedAgainWhileSomebodyLeads() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(2_000);
    assertEquals(1, c.attempts.size());
    a.lead(1, a, b);
    c.die();
    network.pass(10_000);
    assertEquals(1, c.attempts.size());
  }

  /** All of them hear of it at the same moment. */
  @Test
  void aNewMemberIsNotConnectedByAllClientsAtOnce() {
    aLeads();
    for (int seed = 0; seed < 100; seed++) {
      network.client(seed, a).beginAsync();
    }
    network.pass(10);
    Server d = network.server(4);
    a.lead(1, a, b, c, d);
    network.pass(2_000);
    assertEquals(100, d.attempts.size());
    assertTrue(mostWithin(10, d.attempts) < 10, "attempts " + d.attempts);
  }

  /** The most of them within so many milliseconds. */
  private static int mostWithin(long millis, List<Long> times) {
    List<Long> sorted = new ArrayList<>(times);
    Collections.sort(sorted);
    int most = 0;
    for (long first : sorted) {
      long end = first + TimeUnit.MILLISECONDS.toNanos(millis);
      most = Math.max(most, (int) sorted.stream().filter(t -> t >= first && t < end).count());
    }
    return most;
  }

  /** It was to take over, and died before it had; the leader goes on. */
  @Test
  void aStandbyThatNamesAnEpochWhichNobodyLeadsTakesNoTrafficAway() {
    aLeads();
    OracleClient client = network.client(1, a, b);
    client.beginAsync();
    network.pass(1);
    b.follow(2, null, a, b, c);
    CompletableFuture<TransactionHandle> begin = client.beginAsync();
    network.pass(1);
    assertAnswered(begin);
  }

  @Test
  void ofTwoThatClaimToLeadTheOneWithTheHigherEpochIsAsked() {
    aLeads();
    OracleClient client = network.client(1, a, b);
    client.beginAsync();
    network.pass(1);
    a.answers = false;
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(Timestamps.GAP), 1);
    network.pass(1);
    int before = b.requests;
    b.lead(2, a, b, c);
    network.pass(1);
    assertEquals(before + 1, b.requests);
    assertAnswered(commit);
    int askedOfA = a.requests;
    a.lead(1, a, b, c); // it says so again
    client.beginAsync();
    network.pass(1_000);
    assertEquals(askedOfA, a.requests);
  }

  /** They were on their way when it ceased to lead: it did nothing of them. */
  @Test
  void requestsOfEachKindThatAStandbySendsBackGoToTheLeader() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1);
    CommitRequest request = CommitRequest.of(handle(Timestamps.GAP)).withReads(1).serializable();
    List<CompletableFuture<?>> calls =
        List.of(
            client.beginAsync(),
            client.commitAsync(handle(2 * Timestamps.GAP), 1),
            client.commitAsync(request),
            client.statusAsync(Timestamps.GAP, Timestamps.GAP),
            client.abortAsync(handle(Timestamps.GAP)),
            client.cleanedUpAsync(handle(Timestamps.GAP)),
            client.sweptAsync(handle(Timestamps.GAP)),
            client.lowWatermarkAsync(),
            client.timestampAsync(),
            client.safeSnapshotAsync(),
            client.endLater(handle(3 * Timestamps.GAP)),
            client.cleanedUpLater(handle(3 * Timestamps.GAP)));
    network.pass(0); // sent
    int before = a.requests;
    a.follow(1, null, a, b, c);
    network.pass(10);
    assertEquals(before + calls.size(), a.requests);
    assertTrue(calls.stream().noneMatch(CompletableFuture::isDone));
    b.lead(2, a, b, c);
    network.pass(1);
    calls.forEach(MembersInTimeTest::assertAnswered);
    assertEquals(0, b.repeats, "nobody has decided them");
    assertEquals(1, a.attempts.size(), "the connection goes on");
  }

  /** Whatever is wrong with one member, requests to the others do not wait. */
  @ParameterizedTest
  @EnumSource(Reach.class)
  void aMemberThatCannotBeReachedDelaysNobody(Reach reach) {
    aLeads();
    c.reach = reach;
    b.reach = reach;
    OracleClient client = network.client(1, c, b, a);
    CompletableFuture<TransactionHandle> begin = client.beginAsync();
    network.pass(1);
    assertAnswered(begin);
    network.pass(60_000);
    begin = client.beginAsync();
    network.pass(1);
    assertAnswered(begin);
  }

  /** However the old leader went, a successor that says so is asked in that moment. */
  @ParameterizedTest
  @EnumSource(Reach.class)
  void aSuccessorIsAskedAsSoonAsItSaysSo(Reach reach) {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(5_000);
    if (reach == Reach.REFUSED) {
      a.die();
    } else {
      a.reach = reach;
      a.answers = false;
    }
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(Timestamps.GAP), 1);
    CompletableFuture<TransactionHandle> begin = client.beginAsync();
    network.pass(600);
    assertFalse(commit.isDone() || begin.isDone());
    b.lead(2, a, b, c);
    network.pass(1);
    assertAnswered(commit);
    assertAnswered(begin);
  }

  /** Nothing waits, so nothing is lost if a dead leader is noticed a little later. */
  @Test
  void anIdleClientAsksEachMemberOnceASecondWhetherItLives() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1_000);
    for (Server server : List.of(a, b, c)) {
      server.pings = 0;
    }
    network.pass(60_000);
    for (Server server : List.of(a, b, c)) {
      assertTrue(server.pings >= 50 && server.pings <= 65, server.pings + " pings");
    }
  }

  /** It waits for the log, say. */
  @Test
  void aLeaderThatOwesAnAnswerIsAskedOftenWhetherItLives() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1_000);
    a.answers = false;
    a.pings = 0;
    client.commitAsync(handle(Timestamps.GAP), 1);
    network.pass(1_000);
    assertTrue(a.pings >= 8 && a.pings <= 11, a.pings + " pings");
    assertEquals(1, a.attempts.size(), "it answers them, so it is not given up");
  }

  @Test
  void aBusyLeaderIsNotAskedWhetherItLives() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1_000);
    a.pings = 0;
    for (int i = 0; i < 1_000; i++) {
      client.beginAsync();
      network.pass(10);
    }
    assertTrue(a.pings <= 1, a.pings + " pings");
  }

  /** 25 to 50 ms apart while nobody leads, for ten seconds; then up to two seconds. */
  @Test
  void pausesAreShortWhileNobodyLeadsButNotForEver() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1_000);
    for (Server server : List.of(a, b, c)) {
      server.die();
      server.attempts.clear();
    }
    network.pass(10_000);
    assertTrue(a.attempts.size() >= 200 && a.attempts.size() <= 405, a.attempts.size() + " times");
    a.attempts.clear();
    network.pass(60_000);
    assertTrue(a.attempts.size() >= 30 && a.attempts.size() <= 65, a.attempts.size() + " times");
  }

  /** 100 to 200 ms apart: the standbys say who leads. */
  @Test
  void aDeadLeaderIsNotRunAtWhileStandbysAreConnected() {
    aLeads();
    OracleClient client = network.client(1, a);
    client.beginAsync();
    network.pass(1_000);
    a.die();
    a.attempts.clear();
    network.pass(2_000);
    assertTrue(a.attempts.size() >= 10 && a.attempts.size() <= 20, a.attempts.size() + " times");
  }

  @Test
  void whatIsKnownOfTheMembersCanBeAsked() {
    aLeads();
    OracleClient client = network.client(1, a);
    assertEquals(new OracleMembers("", 0, 0, Duration.ZERO, List.of(), 0), client.members());
    client.beginAsync();
    network.pass(1_000);
    OracleMembers first = client.members();
    List<String> all = List.of(a.address(), b.address(), c.address());
    assertEquals(new OracleMembers(a.address(), 1, 0, first.withoutLeader(), all, 3), first);
    assertTrue(first.withoutLeader().toMillis() < 2, first::toString);
    a.die();
    network.pass(300);
    OracleMembers nobody = client.members();
    assertEquals(new OracleMembers("", 1, 0, nobody.withoutLeader(), all, 2), nobody);
    assertEquals(300, nobody.withoutLeader().toMillis(), 2);
    b.lead(4, b, c);
    network.pass(1_000);
    OracleMembers second = client.members();
    assertEquals(new OracleMembers(b.address(), 4, 1, second.withoutLeader(), all, 2), second);
    assertEquals(300, second.withoutLeader().toMillis(), 2);
    b.reach = Reach.NOTHING;
    client.beginAsync();
    network.pass(2_000);
    OracleMembers silent = client.members();
    assertEquals(b.address(), silent.leader());
    assertEquals(300 + 1_500, silent.withoutLeader().toMillis(), 102);
  }

  /** Someone else leads: there is no hurry with the one that is gone. */
  @Test
  void pausesGrowOnceAnotherOneLeads() {
    aLeads();
    for (int seed = 0; seed < 100; seed++) {
      network.client(seed, a).beginAsync();
    }
    network.pass(1_000);
    a.die();
    network.pass(300);
    b.lead(2, b, c);
    network.pass(2_000);
    a.attempts.clear();
    network.pass(10_000);
    assertTrue(a.attempts.size() <= 100 * 11, a.attempts.size() + " times");
    assertTrue(mostWithin(10, a.attempts) < 20, mostWithin(10, a.attempts) + " at once");
  }
}
