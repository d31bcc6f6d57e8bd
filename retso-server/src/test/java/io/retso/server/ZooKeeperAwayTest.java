package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.log.Tunnel;
import io.retso.member.Member;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that must take over while its ZooKeeper is away. */
@Timeout(180)
class ZooKeeperAwayTest {
  @Test
  void itAnswersMeanwhileAndEndsWhenItIsStopped(@TempDir Path directory) throws Exception {
    try (EmbeddedBookKeeper cluster = EmbeddedBookKeeper.start(directory, 1, false);
        Tunnel zooKeeper = new Tunnel(Integer.parseInt(cluster.zookeeper().split(":")[1]));
        RetsoServer leader = server(cluster.zookeeper());
        RetsoServer standby = server("127.0.0.1:" + zooKeeper.port())) {
      assertTrue(leader.leads());
      zooKeeper.cut();
      leader.kill();
      Await.until(() -> standby.view().state() == Member.State.TAKING_OVER);
      zooKeeper.awaitRefusals();
      CountDownLatch answered = new CountDownLatch(1);
      standby.oracleThread().execute(answered::countDown);
      assertTrue(answered.await(5, TimeUnit.SECONDS), "the oracle's thread waits for ZooKeeper");
      assertEquals(503, TestServers.get(standby.httpPort(), "/leader").statusCode());
      assertTimeoutPreemptively(Duration.ofSeconds(12), standby::close);
    }
  }

  private static RetsoServer server(String zooKeeper) throws Exception {
    return RetsoServer.start(
        TestServers.member(zooKeeper)
            .set(Settings.LOG_ENSEMBLE, "1")
            .set(Settings.LOG_TIMEOUT, "2s")
            .build());
  }
}
