package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.member.Roster;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that share a log on real bookies: one leads, the others stand by. */
@Timeout(180)
class StandbyTest {
  @TempDir private Path dir;
  private EmbeddedBookKeeper cluster;
  private final List<RetsoServer> servers = new ArrayList<>();

  @BeforeEach
  void startBookies() throws Exception {
    cluster = EmbeddedBookKeeper.start(dir, 3, false);
  }

  @AfterEach
  void close() throws Exception {
    servers.forEach(RetsoServer::close);
    cluster.close();
  }

  private RetsoServer server() throws Exception {
    RetsoServer server =
        RetsoServer.start(
            TestServers.member(cluster.zookeeper()).set(Settings.LOG_TIMEOUT, "2s").build());
    servers.add(server);
    return server;
  }

  private OracleClient client() {
    var builder = OracleClient.builder().requestTimeout(Duration.ofSeconds(60));
    servers.forEach(server -> builder.address("127.0.0.1:" + server.port()));
    return builder.build();
  }

  private static void await(BooleanSupplier condition) throws Exception {
    Await.until(condition::getAsBoolean);
  }

  private RetsoServer leader() throws Exception {
    await(() -> servers.stream().anyMatch(RetsoServer::leads));
    return servers.stream().filter(RetsoServer::leads).findFirst().orElseThrow();
  }

  private static void awaitLeader(RetsoServer server) throws Exception {
    await(server::leads);
  }

  @Test
  void aSecondServerStandsByAndTakesOverWhenTheFirstDies() throws Exception {
    RetsoServer first = server();
    assertTrue(first.leads());
    RetsoServer second = server();
    assertFalse(second.leads());
    assertTrue(first.leads(), "it was left alone");
    assertEquals(200, TestServers.get(second.httpPort(), "/health").statusCode());
    assertEquals(503, TestServers.get(second.httpPort(), "/leader").statusCode());
    assertEquals(200, TestServers.get(first.httpPort(), "/leader").statusCode());
    long epoch = first.epoch();
    try (OracleClient client = client()) {
      TransactionHandle committed = client.begin();
      CommitResult result = client.commit(committed, 1);
      TransactionHandle open = client.begin();
      first.kill();
      long died = System.nanoTime();
      assertTrue(client.commit(open, 2).isCommitted());
      System.out.printf("answered %.0f ms after%n", (System.nanoTime() - died) / 1e6);
      assertTrue(second.leads());
      assertTrue(second.epoch() > epoch);
      assertEquals(
          result.commitTimestamp(),
          client.status(committed.startTimestamp(), client.timestamp()).commitTimestamp());
    }
  }

  @Test
  void aLeaderThatHungIsDeposedAndStandsByAndLeadsAgain() throws Exception {
    RetsoServer first = server();
    RetsoServer second = server();
    try (OracleClient client = client()) {
      TransactionHandle open = client.begin();
      CountDownLatch hangs = new CountDownLatch(1);
      first
          .oracleThread()
          .execute(
              () -> {
                try {
                  hangs.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      awaitLeader(second);
      assertTrue(client.commit(open, 1).isCommitted());
      hangs.countDown();
      await(() -> !first.leads() && first.view().serves());
      assertEquals(second.epoch(), first.epoch());
      TransactionHandle next = client.begin();
      second.kill();
      awaitLeader(first);
      assertTrue(client.commit(next, 1).isCommitted());
    }
  }

  @Test
  void aLeaderThatIsClosedLeavesNoGapBetweenTimestamps() throws Exception {
    RetsoServer first = server();
    RetsoServer second = server();
    try (OracleClient client = client()) {
      TransactionHandle before = client.begin();
      first.close();
      long closed = System.nanoTime();
      TransactionHandle after = client.begin();
      System.out.printf("answered %.0f ms after%n", (System.nanoTime() - closed) / 1e6);
      assertTrue(second.leads());
      long passed = after.startTimestamp() - before.startTimestamp();
      assertTrue(passed < 1_000_000, before + " and " + after);
    }
  }

  /** One after the other dies; one of the others takes over, and the rest follow that one. */
  @Test
  void oneOfTheStandbysTakesOverAndTheOthersFollowIt() throws Exception {
    for (int i = 0; i < 3; i++) {
      server();
    }
    try (OracleClient client = client()) {
      List<TransactionHandle> starts = new ArrayList<>();
      List<CommitResult> commits = new ArrayList<>();
      while (true) {
        TransactionHandle open = client.begin();
        for (int i = 0; i < 10; i++) {
          starts.add(client.begin());
          commits.add(client.commit(starts.get(starts.size() - 1), i));
        }
        if (servers.size() == 1) {
          break;
        }
        RetsoServer leader = leader();
        leader.kill();
        servers.remove(leader);
        assertTrue(client.commit(open, 100).isCommitted());
        RetsoServer next = leader();
        assertTrue(next.epoch() > leader.epoch());
        await(() -> servers.stream().allMatch(server -> server.view().serves()));
        for (RetsoServer server : servers) {
          assertEquals(leader().view().leader(), server.view().leader());
        }
      }
      long now = client.timestamp();
      for (int i = 0; i < starts.size(); i++) {
        assertEquals(
            commits.get(i).commitTimestamp(),
            client.status(starts.get(i).startTimestamp(), now).commitTimestamp());
      }
    }
  }

  /** Each of three leads in turn; the one before stands by, and its clients notice nothing. */
  @Test
  void handingOverCostsAMomentAndNoTimestamps() throws Exception {
    server();
    server();
    server();
    List<Double> gaps = new ArrayList<>();
    try (OracleClient client = client()) {
      for (int handedOver = 0; handedOver < 6; ) {
        await(() -> servers.stream().allMatch(server -> server.view().serves()));
        RetsoServer before = leader();
        await(() -> before.view().members().stream().filter(Roster.Entry::isReady).count() == 3);
        TransactionHandle start = client.begin();
        long epoch = before.epoch();
        long asked = System.nanoTime();
        HttpResponse<String> reply =
            TestServers.send(before.httpPort(), "/handover", "POST", "text/plain");
        if (reply.statusCode() == 409) {
          continue; // on a busy machine it may have been deposed just now
        }
        handedOver++;
        assertEquals(200, reply.statusCode(), reply.body());
        CommitResult result = client.commit(start, 1);
        gaps.add((System.nanoTime() - asked) / 1e6);
        assertTrue(result.isCommitted());
        if (leader().epoch() == epoch + 1) { // no leader was deposed in between
          assertTrue(
              result.commitTimestamp() - start.startTimestamp() < 10_000, start + " and " + result);
        }
      }
    }
    System.out.println("ms from the hand-over to the successor's answer: " + gaps);
  }

  @Test
  void aHandOverIsRefusedWithoutAStandby() throws Exception {
    RetsoServer first = server();
    HttpResponse<String> reply =
        TestServers.send(first.httpPort(), "/handover", "POST", "text/plain");
    assertEquals(409, reply.statusCode());
    assertEquals("no standby is ready to take over\n", reply.body());
    RetsoServer second = server();
    reply = TestServers.send(second.httpPort(), "/handover", "POST", "text/plain");
    assertEquals(409, reply.statusCode());
    assertTrue(
        reply.body().contains("does not lead; the leader is 127.0.0.1:" + first.port()),
        reply.body());
    assertTrue(first.leads());
  }
}
