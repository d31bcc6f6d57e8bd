package io.retso.server.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.retso.Await;
import io.retso.client.sockets.Sockets;
import io.retso.front.TestTickets;
import io.retso.member.LeaderWatch;
import io.retso.net.OracleServer;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A watch on real servers. */
class NettyLeaderWatchTest {
  private static final int CONNECTIONS = 10;
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "watched");

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, Sockets.handlers());
  private final EventLoop loop = (EventLoop) group.next();
  private final NettyLeaderWatch watch =
      new NettyLeaderWatch(loop, LeaderWatch.clientName("m:1"), Optional::empty, () -> false);
  private final Queue<ServerRole> said = new ConcurrentLinkedQueue<>();
  private OracleServer server;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws IOException {
    server = server(0);
  }

  private OracleServer server(int port) throws IOException {
    OracleServer made =
        new OracleServer(
            new OracleServer.Settings(
                CONNECTIONS,
                CONNECTIONS,
                400,
                10_000,
                Optional::empty,
                TestTickets.settings(ORACLE, System::nanoTime)));
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
    watch(address.getPort());
  }

  private void watch(int port) throws ExecutionException, InterruptedException {
    onLoop(
        () -> {
          watch.watch("127.0.0.1:" + port, said::add, () -> {});
          return null;
        });
  }

  private void untilGone(boolean wanted) throws Exception {
    Await.aMinute("gone becomes " + wanted, () -> onLoop(watch::isGone) == wanted);
  }

  /** Connections that were accepted, that there are, and that were ended. */
  private long[] counted() throws Exception {
    var counters = new CompletableFuture<long[]>();
    server
        .executor()
        .execute(
            () ->
                counters.complete(
                    new long[] {
                      server.counters().accepted,
                      server.counters().connections,
                      server.counters().rejected
                    }));
    return counters.get();
  }

  private void untilAccepted(long times) throws Exception {
    Await.until(() -> counted()[0] >= times);
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
    assertEquals(1, counted()[0]);
    assertEquals(1, counted()[1]);
  }

  @Test
  void itHearsToWhomTheLeaderHandsOverAndIsKnownThere() throws Exception {
    watchTheServer();
    untilAccepted(1);
    Await.until(() -> heard("m:1"));
    assertFalse(heard("m:2"));
    ServerRole gone = new ServerRole(false, 7, "", "m:1", List.of("m:1", "m:2"));
    server.executor().execute(() -> server.front().follow(gone));
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
  void aLeaderWhoseClientsHaveAllConnectionsHearsItsStandby() throws Exception {
    List<Socket> clients = new ArrayList<>();
    try {
      while (clients.size() < CONNECTIONS) {
        clients.add(new Socket("127.0.0.1", address.getPort()));
      }
      untilAccepted(CONNECTIONS);
      watchTheServer();
      Await.until(() -> heard("m:1"));
      assertEquals(0, counted()[2], "it was turned away");
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  /**
   * A port that answers each HELLO in the same way, and closes the connection. What it notes of
   * time is no more than what had passed since it was made.
   */
  private static final class ClosingPort implements AutoCloseable {
    final List<ByteBuf> hellos = new CopyOnWriteArrayList<>();
    private final ServerSocket listening =
        new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Consumer<ByteBuf> answer;
    private final long since = System.nanoTime();
    private volatile long closedNanos;

    ClosingPort(Consumer<ByteBuf> answer) throws IOException {
      this.answer = answer;
      Thread thread = new Thread(this::listen, "closes connections");
      thread.setDaemon(true);
      thread.start();
    }

    private void listen() {
      while (!listening.isClosed()) {
        try (Socket connection = listening.accept()) {
          DataInputStream in = new DataInputStream(connection.getInputStream());
          byte[] rest = new byte[in.readInt()];
          in.readFully(rest);
          ByteBuf out = Unpooled.buffer();
          answer.accept(out);
          out.readBytes(connection.getOutputStream(), out.readableBytes());
          closedNanos = System.nanoTime() - since;
          hellos.add(Unpooled.buffer().writeInt(rest.length).writeBytes(rest));
        } catch (IOException e) {
          continue; // it was closed, or the watch was
        }
      }
    }

    /** Returns the milliseconds until so many connections were closed, at least. */
    long millisUntil(int connections) throws Exception {
      Await.until(() -> hellos.size() >= connections);
      return TimeUnit.NANOSECONDS.toMillis(closedNanos);
    }

    @Override
    public void close() throws IOException {
      listening.close();
    }
  }

  /** Each attempt costs the leader's own thread. */
  @Test
  void aServerThatTurnsItAwayIsAskedAgainAfterPausesThatDouble() throws Exception {
    try (ClosingPort full =
        new ClosingPort(
            out -> Frames.writeError(out, 0, ErrorCode.TOO_MANY_CONNECTIONS, "it is full"))) {
      watch(full.listening.getLocalPort());
      long millis = full.millisUntil(7);
      long least = 20 + 40 + 80 + 160 + NettyLeaderWatch.RETRY_MILLIS_MAX * 2;
      assertTrue(millis >= least, "7 attempts in " + millis + " ms");
      assertFalse(onLoop(watch::hasAnswered), "an error is no sign of a leader");
      assertFalse(onLoop(watch::isGone));
    }
  }

  @Test
  void aServerThatWelcomesItAndClosesIsAskedAgainAfterAPause() throws Exception {
    Handshake.Welcome welcome =
        new Handshake.Welcome(
            Handshake.VERSION_MAX,
            Handshake.Mode.ORACLE,
            Limits.FRAME_BYTES_MAX,
            Limits.TRANSACTION_ROWS_MAX,
            Timestamps.GAP,
            ORACLE,
            ServerRole.UNKNOWN,
            Authentication.Offer.NONE);
    try (ClosingPort closes = new ClosingPort(out -> Handshake.writeWelcome(out, 0, welcome))) {
      watch(closes.listening.getLocalPort());
      long millis = closes.millisUntil(6);
      assertTrue(millis >= 5 * NettyLeaderWatch.RETRY_MILLIS, "6 attempts in " + millis + " ms");
      assertTrue(onLoop(watch::hasAnswered));
    }
  }

  /** The leader may be of a build before this one, or after it. */
  @Test
  void itSpeaksEveryVersion() throws Exception {
    try (ClosingPort port = new ClosingPort(out -> {})) {
      watch(port.listening.getLocalPort());
      port.millisUntil(1);
      ByteBuf hello = port.hellos.get(0);
      int body = hello.readableBytes() - Frames.HEADER_BYTES;
      Handshake.Hello said = Handshake.readHello(hello.skipBytes(Frames.HEADER_BYTES), body);
      assertEquals(Handshake.VERSION_MIN, said.versionMin());
      assertEquals(Handshake.VERSION_MAX, said.versionMax());
    }
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
