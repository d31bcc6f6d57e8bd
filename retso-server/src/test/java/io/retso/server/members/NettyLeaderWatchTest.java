package io.retso.server.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.retso.Await;
import io.retso.front.FrontDesk;
import io.retso.member.LeaderWatch;
import io.retso.net.OracleServer;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A watch on real servers. */
class NettyLeaderWatchTest {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = (EventLoop) group.next();
  private final NettyLeaderWatch watch = new NettyLeaderWatch(loop, LeaderWatch.clientName("m:1"));
  private final Queue<ServerRole> said = new ConcurrentLinkedQueue<>();
  private OracleServer server;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws IOException {
    server = server(0);
  }

  private OracleServer server(int port) throws IOException {
    OracleIdentity oracle = new OracleIdentity(new UUID(1, 2), "watched");
    OracleServer made =
        new OracleServer(
            new OracleServer.Settings(
                10,
                10,
                400,
                10_000,
                new FrontDesk.Settings(
                    () -> oracle, System::nanoTime, FrontDesk.Latencies.IGNORED)));
    address = made.listen(new InetSocketAddress("127.0.0.1", port));
    return made;
  }

  @AfterEach
  void stop() throws Exception {
    onLoop(
        () -> {
          watch.close();
          return null;
        });
    server.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private <T> T onLoop(Callable<T> task) throws ExecutionException, InterruptedException {
    return loop.submit(task).get();
  }

  private void watchTheServer() throws ExecutionException, InterruptedException {
    onLoop(
        () -> {
          watch.watch("127.0.0.1:" + address.getPort(), said::add, () -> {});
          return null;
        });
  }

  private void untilGone(boolean wanted) throws Exception {
    Await.aMinute("gone becomes " + wanted, () -> onLoop(watch::isGone) == wanted);
  }

  private long[] acceptedAndConnected() throws Exception {
    var counters = new CompletableFuture<long[]>();
    server
        .executor()
        .execute(
            () ->
                counters.complete(
                    new long[] {server.counters().accepted, server.counters().connections}));
    return counters.get();
  }

  private void untilAccepted(long times) throws Exception {
    Await.until(() -> acceptedAndConnected()[0] >= times);
  }

  @Test
  void aServerThatEndsIsGoneAndOneThatComesBackIsNot() throws Exception {
    watchTheServer();
    untilAccepted(1);
    assertFalse(onLoop(watch::isGone));
    server.close();
    untilGone(true);
    server = server(address.getPort());
    untilGone(false);
  }

  @Test
  void nobodyIsGoneAtAnAddressWhereNobodyListened() throws Exception {
    server.close();
    watchTheServer();
    untilGone(true);
  }

  /** The server gives up silent clients after 0.8 s; the watch is none, and is not refused. */
  @Test
  void itRemainsConnected() throws Exception {
    watchTheServer();
    untilAccepted(1);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2_000);
    while (System.nanoTime() < end) {
      assertFalse(onLoop(watch::isGone));
    }
    assertEquals(1, acceptedAndConnected()[0]);
    assertEquals(1, acceptedAndConnected()[1]);
  }

  @Test
  void itHearsToWhomTheLeaderHandsOverAndIsKnownThere() throws Exception {
    watchTheServer();
    untilAccepted(1);
    Await.until(() -> heard("m:1"));
    assertFalse(heard("m:2"));
    ServerRole gone = new ServerRole(false, 7, "", "m:1", List.of("m:1", "m:2"));
    server.executor().execute(() -> server.follow(gone));
    Await.until(() -> !said.isEmpty());
    assertEquals(List.of(gone), List.copyOf(said));
  }

  @Test
  void aStandbyThatHangsIsNotHeardForLong() throws Exception {
    watchTheServer();
    Await.until(() -> heard("m:1"));
    CountDownLatch hangs = new CountDownLatch(1);
    loop.submit(
        () -> {
          hangs.await();
          return null;
        });
    Await.until(() -> !heard("m:1"));
    hangs.countDown();
    Await.until(() -> heard("m:1"));
  }

  private boolean heard(String address) throws Exception {
    return CompletableFuture.supplyAsync(
            () -> server.front().hears(LeaderWatch.clientName(address)), server.executor())
        .get();
  }

  @Test
  void whoeverIsWatchedNoMoreIsNotGone() throws Exception {
    watchTheServer();
    untilAccepted(1);
    onLoop(
        () -> {
          watch.watch("", said::add, () -> {});
          return null;
        });
    server.close();
    loop.schedule(() -> {}, 10 * NettyLeaderWatch.RETRY_MILLIS, TimeUnit.MILLISECONDS).get();
    assertFalse(onLoop(watch::isGone));
  }
}
