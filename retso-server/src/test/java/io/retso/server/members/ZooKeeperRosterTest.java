package io.retso.server.members;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.Await;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.member.Roster;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members meet in a real ZooKeeper. */
class ZooKeeperRosterTest {
  private static final Roster.Entry A = new Roster.Entry("a:7521", "a:7522", true, 16, 0);
  private static final Roster.Entry B = new Roster.Entry("b:7521", "b:7522", false, 16, 7);

  private final AtomicLong nanos = new AtomicLong();
  private TestingServer zookeeper;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(InstanceSpec.newInstanceSpec(), true);
  }

  @AfterEach
  void stop() throws Exception {
    zookeeper.close();
  }

  private ZooKeeperRoster roster() {
    return ZooKeeperRoster.connect(
        zookeeper.getConnectString(), ZooKeeperAccess.OPEN, "/retso/log", nanos::get);
  }

  private static void until(BooleanSupplier condition) throws Exception {
    Await.aMinute("the roster changes", condition::getAsBoolean);
  }

  @Test
  void membersAreListedInTheOrderOfTheirRegistrationAndGoAtOnce() throws Exception {
    try (ZooKeeperRoster first = roster()) {
      first.publish(B);
      until(() -> first.members().equals(List.of(B)));
      ZooKeeperRoster second = roster();
      second.publish(A);
      until(() -> first.members().equals(List.of(B, A)));
      until(() -> second.members().equals(List.of(B, A)));
      second.close();
      until(() -> first.members().equals(List.of(B)));
    }
  }

  @Test
  void changesAreSeenAndThoseOfTheLagAtMostOnceASecond() throws Exception {
    try (ZooKeeperRoster first = roster();
        ZooKeeperRoster second = roster()) {
      first.publish(B);
      until(() -> second.members().equals(List.of(B)));
      Roster.Entry further = new Roster.Entry("b:7521", "b:7522", false, 16, 3);
      first.publish(further); // too soon
      Roster.Entry ready = new Roster.Entry("b:7521", "b:7522", true, 16, 2);
      first.publish(ready);
      until(
          () -> { // as members do with each tick
            first.publish(ready);
            nanos.addAndGet(ZooKeeperRoster.LAG_NANOS / 10);
            return second.members().equals(List.of(ready));
          });
      nanos.addAndGet(ZooKeeperRoster.LAG_NANOS);
      Roster.Entry done = new Roster.Entry("b:7521", "b:7522", true, 16, 0);
      first.publish(done);
      until(() -> second.members().equals(List.of(done)));
    }
  }

  @Test
  void membersRemainKnownWithoutZooKeeperAndRegisterAgain() throws Exception {
    try (ZooKeeperRoster first = roster()) {
      first.publish(A);
      until(() -> first.members().equals(List.of(A)));
      zookeeper.stop();
      first.publish(new Roster.Entry("a:7521", "a:7522", false, 16, 0));
      assertEquals(List.of(A), first.members());
      zookeeper.restart();
      until(
          () ->
              first.members().equals(List.of(new Roster.Entry("a:7521", "a:7522", false, 16, 0))));
    }
  }

  @Test
  void whatIsNoMemberIsLeftOut() throws Exception {
    try (ZooKeeperRoster first = roster();
        CuratorFramework client = client()) {
      client
          .create()
          .creatingParentsIfNeeded()
          .forPath("/retso/log-members/m-0000000001", "retso-member 9\nx".getBytes());
      client.create().forPath("/retso/log-members/m-0000000002", new byte[0]);
      first.publish(A);
      until(() -> first.members().equals(List.of(A)));
    }
  }

  @Test
  void theLogsNodeIsNotMade() throws Exception {
    try (ZooKeeperRoster first = roster();
        CuratorFramework client = client()) {
      first.publish(A);
      until(() -> first.members().equals(List.of(A)));
      assertEquals(null, client.checkExists().forPath("/retso/log"));
    }
  }

  private CuratorFramework client() {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(zookeeper.getConnectString(), new RetryOneTime(100));
    client.start();
    return client;
  }
}
