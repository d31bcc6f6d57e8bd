package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.Await;
import io.retso.front.TestTickets;
import io.retso.log.MemoryLog;
import io.retso.member.LeaderWatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients with plain sockets that behave, and clients that do not: these harm no others. */
@Timeout(60)
class OracleServerTest {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "test");
  private static final int CONNECTIONS_MAX = 20;
  private static final int CONNECTIONS_PER_HOST = 16;
  private static final long IDLE_MILLIS = 2_000;

  /** What all tests but one take: a client that gets no processor time is not idle. */
  private static final long NEVER_IDLE_MILLIS = 60_000;

  private static final long STALL_MILLIS = 200;
  private static final int ROUNDS = 200;
  private static final String STANDBY = LeaderWatch.clientName("m:1");

  private OracleServer server;
  private InetSocketAddress address;

  @BeforeEach
  void start() throws Exception {
    start(NEVER_IDLE_MILLIS);
  }

  private void start(long idleMillis) throws Exception {
    server =
        new OracleServer(
            new OracleServer.Settings(
                CONNECTIONS_MAX,
                CONNECTIONS_PER_HOST,
                idleMillis,
                STALL_MILLIS,
                Optional::empty,
                TestTickets.settings(ORACLE, System::nanoTime)));
    Sequencer sequencer =
        new Sequencer(
            SequencerSettings.withoutLog(2, 1 << 16),
            changes -> new StatusOracle(10_000, 1 << 12, 1_000, changes),
            server.front());
    CompletableFuture.runAsync(
            () -> {
              server.front().lead(sequencer, ServerRole.alone(7));
              sequencer.start(new MemoryLog(sequencer), 0);
            },
            server.executor())
        .get();
    address = server.listen(new InetSocketAddress("127.0.0.1", 0));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Peer peer() throws IOException {
    return new Peer(address, "127.0.0.1");
  }

  private void assertServes() throws IOException {
    try (Peer peer = peer().hello()) {
      long start = peer.begin();
      assertEquals(start + Timestamps.GAP, peer.commit(start, 1, 2, 3));
    }
  }

  @Test
  void conflictsAreDecidedBetweenConnections() throws IOException {
    try (Peer first = peer().hello();
        Peer second = peer().hello()) {
      long a = first.begin();
      long b = second.begin();
      assertTrue(Outcome.isCommitted(first.commit(a, 42)));
      assertEquals(Outcome.ABORTED_CONFLICT, second.commit(b, 42));
      assertEquals(Outcome.ABORTED, second.commit(b, 42));
    }
  }

  @Test
  void watermarkAndSweepAreAnswered() throws IOException {
    try (Peer peer = peer().hello()) {
      long start = peer.begin();
      assertEquals(start, peer.watermark());
      assertTrue(Outcome.isCommitted(peer.commit(start, 43)));
      assertEquals(start, peer.watermark());
      long sweep = peer.begin();
      assertEquals(Outcome.DONE, peer.swept(sweep));
      assertEquals(sweep, peer.watermark());
      assertEquals(Outcome.INVALID_TIMESTAMP, peer.swept(sweep + 16_000));
    }
  }

  @Test
  void callsOfAFrameShareATimestampThatIsIssuedOnce() throws IOException {
    try (Peer peer = peer().hello()) {
      long commit = peer.commit(peer.begin(), 77);
      assertEquals(commit + Timestamps.GAP, peer.timestamp(500));
      assertEquals(commit + 2 * Timestamps.GAP, peer.begin());
    }
  }

  @Test
  void repliesKeepTheOrderOfRequestsHoweverTheyAreCut() throws IOException {
    ByteBuf stream = Unpooled.buffer();
    for (int id = 0; id < ROUNDS; id++) {
      Frames.writeHeader(stream, id % 3 == 0 ? FrameType.PING : FrameType.BEGIN, id % 3, id, 0);
    }
    SplittableRandom random = new SplittableRandom(3);
    try (Peer peer = peer().hello()) {
      while (stream.isReadable()) {
        byte[] piece = new byte[Math.min(stream.readableBytes(), random.nextInt(1, 40))];
        stream.readBytes(piece);
        peer.out.write(piece);
      }
      long last = 0;
      for (int id = 0; id < ROUNDS; id++) {
        ByteBuf reply = peer.frame();
        assertEquals(id, Frames.frameId(reply, 0));
        if (id % 3 != 0) {
          long first = reply.getLong(Frames.HEADER_BYTES);
          assertTrue(first > last);
          last = first;
        }
      }
    }
  }

  @Test
  void garbageIsRefusedAndHarmsNobody() throws IOException {
    try (Peer bystander = peer().hello()) {
      SplittableRandom random = new SplittableRandom(11);
      for (int round = 0; round < ROUNDS; round++) {
        try (Peer peer = round % 2 == 0 ? peer() : peer().hello()) {
          byte[] garbage = new byte[random.nextInt(4, 300)];
          random.nextBytes(garbage);
          garbage[0] |= (byte) 0x80; // an impossible length
          peer.out.write(garbage);
          peer.assertRefused(ErrorCode.MALFORMED_FRAME);
        }
        assertTrue(bystander.begin() > 0);
      }
    }
    assertServes();
  }

  @Test
  void breachesOfTheHandshakeAndTheLimitsAreNamed() throws IOException {
    assertRefused(ErrorCode.HANDSHAKE, b -> Frames.writeHeader(b, FrameType.BEGIN, 1, 1, 0));
    Handshake.Hello future = new Handshake.Hello(99, 100, Handshake.Mode.ORACLE, "future");
    assertRefused(ErrorCode.UNSUPPORTED_VERSION, b -> Handshake.writeHello(b, 1, future));
    assertRefused(ErrorCode.TOO_LARGE, b -> b.writeInt(Limits.FRAME_BYTES_MAX + 1));
    assertRefused(ErrorCode.MALFORMED_FRAME, b -> Frames.writeHeader(b, 77, 1, 1, 0));
    try (Peer peer = peer().hello()) {
      peer.send(
          b ->
              Handshake.writeHello(
                  b, 2, new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, "again")));
      peer.assertRefused(ErrorCode.HANDSHAKE);
    }
    assertServes();
  }

  private void assertRefused(ErrorCode code, Consumer<ByteBuf> writer) throws IOException {
    try (Peer peer = peer()) {
      peer.send(writer);
      peer.assertRefused(code);
    }
  }

  @Test
  void aServerThatDrainsAnswersNoMore() throws Exception {
    try (Peer peer = peer().hello()) {
      assertTrue(peer.begin() > 0);
      server.drain().get();
      peer.send(b -> Frames.writeHeader(b, FrameType.BEGIN, 1, 9, 0));
      server.close();
      try {
        assertTrue(Frames.isError(peer.frame(), 0));
      } catch (EOFException | SocketException reset) { // of bytes that the server did not read
        assertTrue(true);
      }
    }
  }

  @Test
  void anErrorOfTheServerClosesAllConnectionsAndAnswersNobody() throws Exception {
    try (Peer first = peer().hello();
        Peer second = peer().hello()) {
      assertTrue(first.begin() > 0);
      server
          .executor()
          .execute(
              () -> {
                throw new IllegalStateException("injected");
              });
      first.assertClosed();
      second.assertClosed();
      assertEquals("injected", server.error().get().getMessage());
    }
  }

  @Test
  void connectionsBeyondTheLimitAreRefused() throws IOException {
    try (Peers first = new Peers("127.0.0.1", CONNECTIONS_PER_HOST);
        Peers second = new Peers("127.0.0.2", CONNECTIONS_MAX - CONNECTIONS_PER_HOST)) {
      try (Peer tooMany = new Peer(address, "127.0.0.1")) {
        assertTrue(tooMany.refusal().contains("connections.per.host"));
      }
      try (Peer tooMany = new Peer(address, "127.0.0.3")) {
        assertTrue(tooMany.refusal().contains("connections.max"));
      }
      first.assertServed();
      second.assertServed();
    }
  }

  /** Clients have all places; standbys have their own, which are no more than a few. */
  @Test
  void standbysAreNotTurnedAwayForClients() throws IOException {
    try (Peers first = new Peers("127.0.0.1", CONNECTIONS_PER_HOST);
        Peers second = new Peers("127.0.0.2", CONNECTIONS_MAX - CONNECTIONS_PER_HOST);
        Peers standbys = new Peers("127.0.0.1", Admission.STANDBYS_MAX, STANDBY)) {
      try (Peer tooMany = new Peer(address, "127.0.0.1")) {
        assertTrue(tooMany.refusal(STANDBY).contains("connections.per.host"));
      }
      try (Peer tooMany = new Peer(address, "127.0.0.3")) {
        assertTrue(tooMany.refusal(STANDBY).contains("connections.max"));
      }
      first.assertServed();
      second.assertServed();
      standbys.assertServed();
    }
  }

  @Test
  void clientsAreNotTurnedAwayForStandbys() throws IOException {
    try (Peers standbys = new Peers("127.0.0.1", Admission.STANDBYS_MAX, STANDBY);
        Peers first = new Peers("127.0.0.1", CONNECTIONS_PER_HOST);
        Peers second = new Peers("127.0.0.2", CONNECTIONS_MAX - CONNECTIONS_PER_HOST)) {
      try (Peer tooMany = new Peer(address, "127.0.0.1")) {
        assertTrue(tooMany.refusal("client").contains("connections.per.host"));
      }
      try (Peer tooMany = new Peer(address, "127.0.0.3")) {
        assertTrue(tooMany.refusal("client").contains("connections.max"));
      }
      standbys.assertServed();
      first.assertServed();
      second.assertServed();
    }
  }

  /** So that a connection which says nothing takes a standby's place for no longer than that. */
  @Test
  void placesOfStandbysAreFreeAgainAfterAWhile() throws Exception {
    try (Peers first = new Peers("127.0.0.1", CONNECTIONS_PER_HOST)) {
      List<Peer> silent = new ArrayList<>();
      try {
        while (silent.size() < Admission.STANDBYS_MAX) {
          silent.add(new Peer(address, "127.0.0.1"));
        }
        for (Peer each : silent) {
          assertTrue(each.refusal().contains("connections.per.host"));
        }
        try (Peers standbys = new Peers("127.0.0.1", 1, STANDBY)) {
          standbys.assertServed();
        }
      } finally {
        for (Peer each : silent) {
          each.close();
        }
      }
      first.assertServed();
    }
  }

  /** Connections from one address. */
  private final class Peers implements AutoCloseable {
    private final List<Peer> peers = new ArrayList<>();

    Peers(String from, int count) throws IOException {
      this(from, count, "test");
    }

    Peers(String from, int count, String name) throws IOException {
      while (peers.size() < count) {
        peers.add(new Peer(address, from).hello(name));
      }
    }

    void sendPart(ByteBuf frame, int bytes) throws IOException {
      for (Peer peer : peers) {
        peer.sendPart(frame, 0, bytes);
      }
    }

    void assertServed() throws IOException {
      for (Peer peer : peers) {
        assertTrue(peer.begin() > 0);
      }
    }

    @Override
    public void close() throws IOException {
      for (Peer peer : peers) {
        peer.close();
      }
    }
  }

  @Test
  void anIdleClientIsPingedAndDisconnectedIfItIsSilent() throws Exception {
    stop();
    start(IDLE_MILLIS);
    try (Peer peer = peer().hello();
        Peer dead = peer().hello()) {
      long before = System.nanoTime();
      for (int pings = 0; pings < 2; pings++) {
        ByteBuf ping = peer.frame();
        assertTrue(Frames.isPing(ping, 0));
        peer.send(b -> Frames.writeReplyHeader(b, FrameType.PING, 0, Frames.frameId(ping, 0)));
      }
      assertTrue(System.nanoTime() - before > IDLE_MILLIS * 1_000_000, "not sooner than it says");
      assertTrue(Frames.isPing(dead.frame(), 0));
      dead.assertRefused(ErrorCode.STALLED);
      assertTrue(peer.begin() > 0);
    }
  }

  @Test
  void aClientThatReadsNothingIsDisconnectedAndCostsNobodyElse() throws Exception {
    try (Peer stuck = peer();
        Peer other = peer().hello()) {
      stuck.socket.setReceiveBufferSize(4096);
      stuck.hello();
      int queries = Limits.FRAME_REQUESTS_MAX;
      ByteBuf frame = Unpooled.buffer();
      Frames.writeHeader(frame, FrameType.STATUS, queries, 1, queries * Frames.STATUS_BYTES);
      frame.writeZero(queries * Frames.STATUS_BYTES);
      CompletableFuture<Void> flood =
          CompletableFuture.runAsync(
              () -> {
                try {
                  while (true) {
                    stuck.out.write(frame.array(), 0, frame.readableBytes());
                  }
                } catch (IOException disconnected) {
                  // what this test waits for
                }
              });
      while (!flood.isDone()) {
        assertTrue(other.begin() > 0);
      }
      long[] stalled = new long[1];
      CompletableFuture.runAsync(() -> stalled[0] = server.counters().stalled, server.executor())
          .get();
      assertArrayEquals(new long[] {1}, stalled);
    }
  }

  /**
   * Half of the bound: frames are completed one after the other. All together would hold 16 MiB; as
   * buffers grow by doubling, half of the bound and a turn's reads may be more than 12.
   */
  @Test
  void aHostThatHoldsMuchMemoryWaits() throws Exception {
    setMemory(15_000_000);
    ByteBuf frame = largeFrame();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Peers greedy = new Peers("127.0.0.2", CONNECTIONS_PER_HOST)) {
      greedy.sendPart(frame, 100_000);
      List<Future<FrameType>> replies = new ArrayList<>();
      for (Peer peer : greedy.peers) {
        replies.add(threads.submit(() -> peer.complete(frame, 100_000)));
      }
      for (Future<FrameType> reply : replies) {
        assertEquals(FrameType.COMMIT, reply.get());
      }
      assertEquals(0, counters().stalled);
    } finally {
      threads.shutdown();
    }
  }

  /** Frames that are never finished; each connection keeps its own bounds. */
  @Test
  void theHostThatHoldsMostMemoryLosesConnectionsAndOthersDoNot() throws Exception {
    ByteBuf frame = largeFrame();
    try (Peers greedy = new Peers("127.0.0.2", 4);
        Peer good = peer().hello()) {
      greedy.sendPart(frame, 800_000);
      good.sendPart(frame, 0, 100_000);
      Await.until(() -> held() >= 4 * 800_000 + 100_000);
      setMemory(2_000_000);
      Await.until(() -> counters().stalled > 0);
      assertEquals(FrameType.COMMIT, good.complete(frame, 100_000));
      assertTrue(good.begin() > 0);
    }
  }

  private static ByteBuf largeFrame() {
    int rows = Limits.TRANSACTION_ROWS_MAX;
    int rowBytes = rows * Long.BYTES;
    ByteBuf frame = Unpooled.buffer();
    Frames.writeHeader(frame, FrameType.COMMIT, 1, 1, Frames.COMMIT_FIXED_BYTES + rowBytes);
    return frame.writeLong(Timestamps.GAP).writeLong(0).writeInt(rows).writeZero(rowBytes);
  }

  private void setMemory(long bytes) throws Exception {
    CompletableFuture.runAsync(() -> server.memory.bytesMax = bytes, server.executor()).get();
  }

  /** Its error frame stands behind replies that it does not read, though they are few. */
  @Test
  void aRefusedClientThatReadsNothingIsClosedInTheEnd() throws Exception {
    stop();
    start(IDLE_MILLIS / 4);
    try (Peer stuck = peer()) {
      stuck.socket.setReceiveBufferSize(4096);
      stuck.hello();
      int queries = 4_000;
      for (long frames = 2; held() < 64 * 1024; frames++) { // until the sockets are full
        stuck.send(
            b -> {
              Frames.writeHeader(b, FrameType.STATUS, queries, 1, queries * Frames.STATUS_BYTES);
              b.writeZero(queries * Frames.STATUS_BYTES);
            });
        while (counters().frames < frames) {
          Thread.onSpinWait();
        }
      }
      stuck.out.write(new byte[] {-1, -1, -1, -1});
      Await.until(() -> counters().connections == 0);
      assertEquals(0, counters().stalled);
    }
  }

  private long held() throws Exception {
    return CompletableFuture.supplyAsync(server.memory::held, server.executor()).get();
  }

  private NetCounters counters() throws Exception {
    return CompletableFuture.supplyAsync(() -> server.counters().copy(), server.executor()).get();
  }
}
