package io.retso.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.UnknownOutcomeException;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real clients of real servers that share a log, of which one leads after the other. */
@Timeout(120)
class MembersTest {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "test");
  private static final Duration PATIENT = Duration.ofSeconds(60);

  private final SharedLog log = new SharedLog();
  private final List<TestMember> members = new ArrayList<>();

  @AfterEach
  void close() {
    members.forEach(TestMember::close);
  }

  private TestMember member() throws IOException {
    TestMember member = new TestMember(log, ORACLE, "m" + members.size());
    members.add(member);
    return member;
  }

  private List<String> addresses() {
    return members.stream().map(TestMember::address).toList();
  }

  private long lead(TestMember member) {
    return member.lead(addresses());
  }

  /** What a standby says that follows a member. */
  private ServerRole following(TestMember leader) {
    return new ServerRole(false, log.epoch(), leader.name, leader.address(), addresses());
  }

  private static OracleClientBuilder client(TestMember... known) {
    OracleClientBuilder builder = OracleClient.builder().requestTimeout(PATIENT).seed(1);
    for (TestMember member : known) {
      builder.address(member.address());
    }
    return builder;
  }

  /** It knows one address, which is that of a standby, and goes wherever the leader is. */
  @Test
  void aClientFindsTheLeaderAndItsSuccessors() throws Exception {
    TestMember a = member();
    TestMember b = member();
    TestMember c = member();
    lead(a);
    b.follow(following(a));
    c.follow(following(a));
    try (OracleClient client = client(c).connections(3).build()) {
      TransactionHandle first = client.begin();
      assertTrue(client.commit(first, 1).isCommitted());
      lead(b); // a does not know it yet
      c.follow(following(b));
      TransactionHandle second = client.begin();
      assertTrue(second.startTimestamp() > first.startTimestamp());
      a.follow(following(b));
      assertTrue(client.commit(second, 1).isCommitted());
      CompletableFuture<CommitResult> late = client.commitAsync(client.begin(), 2);
      b.close();
      lead(c);
      assertTrue(late.get().isCommitted());
      assertTrue(client.timestamp() > second.startTimestamp());
    }
  }

  /** It was not decided, as the log of its server was fenced: the successor does that. */
  @Test
  void aCommitThatAFencedLeaderHoldsIsDecidedByItsSuccessor() throws Exception {
    TestMember a = member();
    TestMember b = member();
    lead(a);
    try (OracleClient client = client(a, b).build()) {
      TransactionHandle start = client.begin();
      log.fence();
      CompletableFuture<CommitResult> commit = client.commitAsync(start, 1);
      client.ping(); // behind the commit
      assertFalse(commit.isDone());
      lead(b);
      assertTrue(commit.get().isCommitted());
      assertEquals(
          TransactionStatus.State.COMMITTED,
          client.status(start.startTimestamp(), client.timestamp()).state());
    }
  }

  @Test
  void callsWaitWhileNobodyLeads() throws Exception {
    TestMember a = member();
    TestMember b = member();
    a.follow(ServerRole.UNKNOWN);
    b.follow(ServerRole.UNKNOWN);
    try (OracleClient client = client(a, b).build();
        OracleClient hasty = client(a, b).requestTimeout(Duration.ofMillis(200)).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      String message =
          hasty.beginAsync().handle((start, e) -> String.valueOf(e)).get(60, TimeUnit.SECONDS);
      assertTrue(message.contains(a.address() + " is a standby: no leader is known"), message);
      assertFalse(begin.isDone());
      lead(a);
      assertTrue(begin.get().startTimestamp() > 0);
      a.follow(ServerRole.UNKNOWN);
      CompletableFuture<TransactionHandle> next = client.beginAsync();
      lead(b);
      assertTrue(next.get().startTimestamp() > 0);
    }
  }

  @Test
  void aMemberIsReplacedByOneAtAnotherAddress() throws Exception {
    TestMember a = member();
    TestMember b = member();
    lead(a);
    b.follow(following(a));
    try (OracleClient client = client(a).build()) {
      client.begin();
      TestMember c = member();
      c.follow(following(a));
      members.remove(b);
      b.close();
      a.update(new ServerRole(true, log.epoch(), a.name, a.address(), addresses()));
      client.begin();
      a.close(); // the only address that the client was built with
      lead(c);
      assertTrue(client.timestamp() > 0);
    }
  }

  /** Which one of the two oracles comes first makes no difference to a client built for one. */
  @Test
  void anotherOracleAmongTheMembersIsRefused() throws Exception {
    TestMember a = member();
    SharedLog otherLog = new SharedLog();
    OracleIdentity other = new OracleIdentity(new UUID(3, 4), "test");
    for (int i = 0; i < 9; i++) {
      otherLog.fence(); // it has a higher epoch
    }
    try (TestMember stranger = new TestMember(otherLog, other, "x")) {
      stranger.lead(List.of(stranger.address()));
      a.lead(List.of(a.address(), stranger.address()));
      try (OracleClient client = client(a, stranger).oracle(ORACLE).build()) {
        for (int i = 0; i < 20; i++) {
          TransactionHandle start = client.begin();
          assertTrue(client.commit(start, 1).isCommitted());
        }
        assertEquals(ORACLE, client.identity());
      }
    }
  }

  @Test
  void allMembersGoDownAndComeBackElsewhere() throws Exception {
    TestMember a = member();
    TestMember b = member();
    lead(a);
    b.follow(following(a));
    try (OracleClient client = client(a, b).build()) {
      TransactionHandle start = client.begin();
      int port = Integer.parseInt(a.address().replaceAll(".*:", ""));
      a.close();
      b.close();
      CompletableFuture<CommitResult> commit = client.commitAsync(start, 1);
      members.clear();
      members.add(new TestMember(log, ORACLE, "again", port));
      lead(members.get(0));
      assertTrue(commit.get().isCommitted());
    }
  }

  /** A leader of an epoch that is over is not believed, though no other leads. */
  @Test
  void aLowerEpochThanThatOfALeaderIsNeverBelieved() throws Exception {
    TestMember a = member();
    TestMember b = member();
    lead(a);
    try (OracleClient client = client(a, b).build()) {
      client.begin();
      long accepted = a.accepted();
      lead(b); // a does not know it
      awaitAccepted(a, accepted + 1); // the client has left the older leader
      b.follow(ServerRole.UNKNOWN);
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      awaitAccepted(a, accepted + 4); // it looks again and again
      assertFalse(begin.isDone());
      lead(b);
      assertTrue(begin.get().startTimestamp() > 0);
    }
  }

  private static void awaitAccepted(TestMember member, long connections) throws Exception {
    Await.until(() -> member.accepted() >= connections);
  }

  /**
   * Transactions of a few rows while leaders are deposed, hand over and are killed: every outcome
   * is told once, and the log agrees with it.
   */
  @Test
  void outcomesAreTrueWhileLeadersChangeUnderLoad() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    member();
    member();
    member();
    TestMember leader = members.get(0);
    lead(leader);
    AtomicBoolean over = new AtomicBoolean();
    Map<Long, Long> outcomes = new ConcurrentHashMap<>();
    LongAdder answered = new LongAdder();
    List<Thread> workers = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    List<OracleClient> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      OracleClient client = client(members.toArray(new TestMember[0])).connections(2).build();
      clients.add(client);
      SplittableRandom choice = random.split();
      workers.add(
          new Thread(
              () -> {
                try {
                  while (!over.get()) {
                    transaction(client, choice, outcomes);
                    answered.increment();
                  }
                } catch (RuntimeException | Error e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              }));
    }
    workers.forEach(Thread::start);
    for (int change = 0; change < 30; change++) {
      long enough = answered.sum() + 40;
      Await.until(() -> answered.sum() >= enough || !failures.isEmpty());
      leader = nextLeader(leader, random);
    }
    over.set(true);
    for (Thread worker : workers) {
      worker.join();
    }
    assertEquals(List.of(), failures, "seed " + seed);
    try (OracleClient judge = client(leader).build()) {
      long now = judge.timestamp();
      for (Map.Entry<Long, Long> told : outcomes.entrySet()) {
        TransactionStatus status = judge.status(told.getKey(), now);
        long found =
            status.state() == TransactionStatus.State.COMMITTED ? status.commitTimestamp() : 0;
        assertEquals(told.getValue(), found, () -> "seed " + seed + ", " + told);
      }
    }
    clients.forEach(OracleClient::close);
  }

  private TestMember nextLeader(TestMember leader, SplittableRandom random) throws IOException {
    int place = members.indexOf(leader);
    TestMember next = members.get((place + 1 + random.nextInt(2)) % 3);
    switch (random.nextInt(3)) {
      case 0 -> { // it is deposed, and learns it later
        lead(next);
        leader.follow(following(next));
      }
      case 1 -> { // it steps down before there is another one
        leader.follow(ServerRole.UNKNOWN);
        lead(next);
      }
      default -> { // it is killed, and another one comes in its place
        leader.close();
        members.set(place, new TestMember(log, ORACLE, "m" + place));
        lead(next);
        members.get(place).follow(following(next));
      }
    }
    // Otherwise a client that missed a term may know no member that has heard of the next one.
    members.get(3 - place - members.indexOf(next)).follow(following(next));
    return next;
  }

  private static void transaction(
      OracleClient client, SplittableRandom random, Map<Long, Long> outcomes) {
    TransactionHandle start = client.begin();
    CommitResult result;
    try {
      result = client.commit(start, random.nextLong(20), random.nextLong(20));
    } catch (UnknownOutcomeException e) {
      result = client.abort(start);
    }
    outcomes.put(start.startTimestamp(), result.isCommitted() ? result.commitTimestamp() : 0);
  }

  /**
   * Prints how long the first answer takes from the moment when a member says that it leads, and
   * for comparison a begin of all clients at a time from a leader that goes on.
   */
  @Test
  void theFirstAnswerComesAtOnceWhereverTheLeaderIs() throws Exception {
    TestMember a = member();
    TestMember b = member();
    lead(a);
    b.follow(following(a));
    for (int count : new int[] {1, 100}) {
      List<OracleClient> clients = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        clients.add(client(a, b).build());
        clients.get(i).begin();
      }
      List<Long> usual = new ArrayList<>();
      List<Long> first = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        long now = System.nanoTime();
        answers(begins(clients)).forEach(end -> usual.add(end - now));
        TestMember from = round % 2 == 0 ? a : b;
        TestMember to = round % 2 == 0 ? b : a;
        from.follow(ServerRole.UNKNOWN);
        List<CompletableFuture<Long>> begins = begins(clients);
        long said = lead(to);
        answers(begins).forEach(end -> first.add(end - said));
      }
      print(count + " clients, the first begin behind \"I lead\"", first);
      print(count + " clients, a begin like others", usual);
      clients.forEach(OracleClient::close);
    }
  }

  /** A begin of each client, as the time of its answer. */
  private static List<CompletableFuture<Long>> begins(List<OracleClient> clients) {
    return clients.stream()
        .map(client -> client.beginAsync().thenApply(start -> System.nanoTime()))
        .toList();
  }

  private static List<Long> answers(List<CompletableFuture<Long>> begins) {
    return begins.stream().map(CompletableFuture::join).toList();
  }

  private static void print(String what, List<Long> nanos) {
    Collections.sort(nanos);
    System.out.printf(
        "%s: median %.2f ms, worst %.2f ms%n",
        what, nanos.get(nanos.size() / 2) / 1e6, nanos.get(nanos.size() - 1) / 1e6);
  }
}
