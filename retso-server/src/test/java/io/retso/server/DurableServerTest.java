package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.Await;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole server on an embedded BookKeeper, spoken to byte by byte. */
@Timeout(180)
class DurableServerTest {
  private static final Map<Long, Long> TICKETS = new ConcurrentHashMap<>();

  @TempDir Path dir;

  private RetsoServer start() throws Exception {
    return RetsoServer.start(
        TestServers.small()
            .set(Settings.DATA_DIR, dir.resolve("data"))
            .set(Settings.LOG_TIMEOUT, "2s")
            .build());
  }

  /** A connection that sends a frame and reads a frame. */
  static final class Peer implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private int nextId = 1;

    Peer(int port) throws IOException {
      socket = new Socket("127.0.0.1", port);
      in = new DataInputStream(socket.getInputStream());
      ByteBuf hello = Unpooled.buffer();
      Handshake.writeHello(hello, 0, new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, "test"));
      send(hello);
      assertEquals(FrameType.HELLO.reply(), read().getUnsignedByte(4));
    }

    private void send(ByteBuf frame) throws IOException {
      socket.getOutputStream().write(frame.array(), 0, frame.readableBytes());
    }

    ByteBuf read() throws IOException {
      int length = in.readInt();
      ByteBuf frame = Unpooled.buffer();
      frame.writeInt(length);
      frame.writeBytes(in.readNBytes(length));
      return frame;
    }

    long begin() throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.writeHeader(frame, FrameType.BEGIN, 1, nextId++, 0);
      send(frame);
      ByteBuf reply = read();
      long start = reply.getLong(Frames.HEADER_BYTES);
      TICKETS.put(start, reply.getLong(Frames.HEADER_BYTES + Long.BYTES));
      return start;
    }

    long watermark() throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.writeHeader(frame, FrameType.WATERMARK, 1, nextId++, 0);
      send(frame);
      return read().getLong(Frames.HEADER_BYTES);
    }

    void cleaned(long start) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.writeHeader(frame, FrameType.CLEANED, 1, nextId++, Frames.TICKET_BYTES);
      frame.writeLong(start).writeLong(TICKETS.get(start));
      send(frame);
      read();
    }

    ByteBuf commit(long start, long row) throws IOException {
      return commit(start, 1, row);
    }

    ByteBuf repeatCommit(long start, long row) throws IOException {
      return commit(start, 1 | FrameType.REPEAT_FLAG, row);
    }

    private ByteBuf commit(long start, int flagsAndRows, long row) throws IOException {
      sendCommit(start, flagsAndRows, row);
      return read();
    }

    void ping() throws IOException {
      ByteBuf frame = Unpooled.buffer();
      Frames.writeHeader(frame, FrameType.PING, 0, nextId++, 0);
      send(frame);
      assertEquals(FrameType.PING.reply(), read().getUnsignedByte(4));
    }

    private void sendCommit(long start, int flagsAndRows, long row) throws IOException {
      ByteBuf frame = Unpooled.buffer();
      int bodyBytes = Frames.COMMIT_FIXED_BYTES + Long.BYTES;
      Frames.writeHeader(frame, FrameType.COMMIT, 1, nextId++, bodyBytes);
      frame.writeLong(start).writeLong(TICKETS.get(start));
      frame.writeInt(flagsAndRows).writeLong(row);
      send(frame);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void whatWasCommittedIsReplayedAndTimeGoesOn() throws Exception {
    long commit = 0;
    long epoch;
    try (RetsoServer server = start();
        Peer peer = new Peer(server.port())) {
      epoch = server.epoch();
      assertEquals(0, server.recoveredTransactions());
      for (int i = 0; i < 100; i++) {
        commit = peer.commit(peer.begin(), i).getLong(Frames.HEADER_BYTES);
        assertTrue(commit > 0);
      }
      String counted = "\nretso_commits_total 100.0\n"; // a copy may be 0.1 s old
      String metrics = TestServers.await(server.httpPort(), "/metrics", 200, counted);
      assertTrue(metrics.contains("\nretso_connections 1.0\n"));
      // The segment's first entry and the commits, and empty ones if there was a pause.
      assertTrue(metrics.matches("(?s).*\nretso_log_append_seconds_count 1[0-9]{2}\n.*"), metrics);
      // A start timestamp waits, too, if the first reservation or the last entry takes long.
      assertTrue(metrics.matches("(?s).*\nretso_decision_seconds_count [12][0-9]{2}\n.*"), metrics);
      HttpResponse<String> text =
          TestServers.send(server.httpPort(), "/status", "GET", "text/plain");
      assertTrue(text.body().contains("embedded in " + dir.resolve("data")), text.body());
      assertTrue(text.body().contains("log ledgers  1, "), text.body());
      assertTrue(text.body().contains(" stalls; lease "), text.body());
    }
    try (RetsoServer server = start();
        Peer peer = new Peer(server.port())) {
      assertTrue(server.epoch() > epoch);
      assertEquals(100, server.recoveredTransactions());
      assertTrue(peer.begin() > commit);
    }
  }

  @Test
  void timestampsBeginAtTheClockOnceAndTransactionsExpire() throws Exception {
    long clock = System.currentTimeMillis();
    long first;
    try (RetsoServer server = start();
        Peer peer = new Peer(server.port())) {
      first = peer.begin();
      assertTrue(first >= clock && first < clock + 180_000, "begins at " + first);
      assertTrue(peer.commit(first, 1).getLong(Frames.HEADER_BYTES) > first);
    }
    ServerConfig config =
        TestServers.small()
            .set(Settings.DATA_DIR, dir.resolve("data"))
            .set(Settings.TIMESTAMPS_FIRST, "2^58")
            .set(Settings.TRANSACTION_TIMEOUT, "1s")
            .build();
    try (RetsoServer server = RetsoServer.start(config);
        Peer peer = new Peer(server.port())) {
      long second = peer.begin();
      assertTrue(second > first && second < 1L << 57, "the setting has no effect any more");
      assertTrue(peer.watermark() <= first, "committed and not cleaned up");
      peer.cleaned(first);
      Await.until(() -> peer.watermark() > second); // the time limit has passed: a second
    }
  }

  private static void awaitHealth(RetsoServer server, int status, String text) throws Exception {
    TestServers.await(server.httpPort(), "/health", status, text);
  }

  @Test
  void withoutItsBookieTheServerSaysSoAndGoesOnWhenItIsBack() throws Exception {
    try (RetsoServer server = start();
        Peer peer = new Peer(server.port());
        Peer other = new Peer(server.port())) {
      long commit = peer.commit(peer.begin(), 1).getLong(Frames.HEADER_BYTES);
      long start = peer.begin();
      server.embedded().orElseThrow().stopBookie(0);
      awaitHealth(server, 503, "stalled"); // it notices by itself
      awaitHealth(server, 503, "every acknowledged commit is in the log");
      TestServers.await(server, "/leader", 503);
      other.ping();
      peer.sendCommit(start, 1, 2);
      server.embedded().orElseThrow().startBookie(0);
      assertTrue(peer.read().getLong(Frames.HEADER_BYTES) > commit);
      TestServers.await(server, "/leader", 200);
      assertTrue(other.begin() > commit);
      assertFalse(server.end().isDone());
    }
    try (RetsoServer server = start()) {
      assertEquals(2, server.recoveredTransactions());
    }
  }

  /** A threshold below what the disk has in use makes a bookie what a full disk makes it. */
  @Test
  void withAFullDiskTheServerSaysSoAndGoesOnWhenThereIsRoom() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    try (EmbeddedBookKeeper cluster =
        EmbeddedBookKeeper.start(
            dir.resolve("bookie"),
            1,
            true,
            bookie -> {
              if (full.get()) {
                bookie.setDiskUsageThreshold(Float.MIN_NORMAL);
                bookie.setDiskUsageWarnThreshold(Float.MIN_NORMAL);
              }
            })) {
      ServerConfig config =
          TestServers.member(cluster.zookeeper())
              .set(Settings.LOG_ENSEMBLE, 1)
              .set(Settings.LOG_TIMEOUT, "2s")
              .build();
      long start;
      long commit;
      try (RetsoServer server = RetsoServer.start(config);
          Peer peer = new Peer(server.port())) {
        start = peer.begin();
        commit = peer.commit(start, 1).getLong(Frames.HEADER_BYTES);
        full.set(true);
        cluster.stopBookie(0);
        cluster.startBookie(0);
        awaitHealth(server, 503, "free space on the disks");
        full.set(false);
        cluster.stopBookie(0);
        cluster.startBookie(0);
        ByteBuf again = peer.repeatCommit(start, 1);
        assertEquals(commit, again.getLong(Frames.HEADER_BYTES));
        assertTrue(peer.begin() > commit);
      }
      try (RetsoServer server = RetsoServer.start(config)) {
        assertEquals(1, server.recoveredTransactions());
      }
    }
  }

  @Test
  void aDataDirectoryInUseIsRefused() throws Exception {
    try (RetsoServer server = start()) {
      IOException e = assertThrows(IOException.class, this::start);
      assertTrue(e.getMessage().contains("in use by another server"), e.getMessage());
      assertEquals(200, TestServers.get(server.httpPort(), "/health").statusCode());
    }
  }

  /** The log is not taken from a server that works by one that cannot serve. */
  @Test
  void aPortThatIsTakenIsNoticedBeforeTheLogIsTakenOver() throws Exception {
    try (RetsoServer first = start();
        Peer peer = new Peer(first.port())) {
      ServerConfig config =
          TestServers.member(first.embedded().orElseThrow().zookeeper())
              .set(Settings.LOG_ENSEMBLE, 1)
              .set(Settings.LISTEN_PORT, first.port())
              .build();
      IOException e = assertThrows(IOException.class, () -> RetsoServer.start(config));
      assertTrue(e.getMessage().contains("choose another listen"), e.getMessage());
      assertTrue(peer.commit(peer.begin(), 1).getLong(Frames.HEADER_BYTES) > 0);
    }
  }

  @Test
  void aZooKeeperThatIsNotThereIsAFailureOfTheLog() throws Exception {
    int port;
    try (java.net.ServerSocket closed = new java.net.ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    ServerConfig config = TestServers.member("127.0.0.1:" + port).build();
    io.retso.log.LogException e =
        assertThrows(io.retso.log.LogException.class, () -> RetsoServer.start(config));
    assertEquals(io.retso.log.LogException.Reason.UNAVAILABLE, e.reason());
  }
}
