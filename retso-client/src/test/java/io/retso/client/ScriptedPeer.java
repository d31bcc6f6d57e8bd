package io.retso.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The other end of the wire, on plain sockets: each connection runs a script, which may misbehave.
 * The i-th connection gets the i-th script, those beyond the last script the last one.
 */
final class ScriptedPeer implements AutoCloseable {
  /** What to do on a connection; it is closed when the script ends. */
  interface Script {
    void serve(Wire wire) throws IOException, FrameException, InterruptedException;
  }

  /** Which oracle all peers are. */
  static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "scripted");

  /** The ticket of a transaction at every peer. */
  static long ticket(long start) {
    return TestTickets.of(start);
  }

  /** What the client holds that began the transaction. */
  static TransactionHandle handle(long start) {
    return TestTickets.handle(start);
  }

  private final ServerSocket server;
  private final Script[] scripts;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  ScriptedPeer(Script... scripts) throws IOException {
    this.scripts = scripts;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("acceptor", this::accept);
  }

  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Connections accepted so far. */
  int accepted() {
    return accepted.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        Script script = scripts[Math.min(accepted.getAndIncrement(), scripts.length - 1)];
        start("peer-" + accepted, () -> run(script, socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void run(Script script, Socket socket) {
    try (socket) {
      script.serve(new Wire(socket));
    } catch (IOException | InterruptedException e) {
      // The client hung up, or the test is over.
    } catch (FrameException | RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  private static void start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Hangs up; throws if the client ever sent something malformed. */
  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    if (failure.get() != null) {
      throw new AssertionError("a script failed", failure.get());
    }
  }

  /** What it sends as the receipt of an outcome. */
  static long receipt(long outcome) {
    return ~outcome;
  }

  private static ByteBuf reply(int type, int count, int id, long... words) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, type, count, id, words.length * Long.BYTES);
    for (long word : words) {
      out.writeLong(word);
    }
    return out;
  }

  /** A complete request frame, header included, at index 0. */
  record Request(FrameType type, int count, int id, ByteBuf frame) {
    /** Start timestamp of the i-th request: abort, cleaned, swept, or status of a writer. */
    long start(int i) {
      return frame.getLong(Frames.HEADER_BYTES + i * Frames.TICKET_BYTES);
    }

    /**
     * The reply with outcomes, which receipts follow, or with the first start timestamp, which the
     * tickets follow.
     */
    ByteBuf reply(long... words) {
      if ((type.isCommit() || type == FrameType.ABORT) && words.length == count) {
        long[] outcomes = Arrays.copyOf(words, 2 * count);
        for (int i = 0; i < count; i++) {
          outcomes[count + i] = receipt(words[i]);
        }
        return ScriptedPeer.reply(type.reply(), count, id, outcomes);
      }
      if (type != FrameType.BEGIN || words.length != 1) {
        return ScriptedPeer.reply(type.reply(), count, id, words);
      }
      long[] begins = new long[1 + count];
      begins[0] = words[0];
      for (int i = 0; i < count; i++) {
        begins[1 + i] = ticket(words[0] + (long) i * Timestamps.GAP);
      }
      return ScriptedPeer.reply(type.reply(), count, id, begins);
    }

    /** Start timestamp, then the word of flags and rows, then the rows, of each commit. */
    long[][] commits() {
      long[][] commits = new long[count][];
      int at = Frames.HEADER_BYTES;
      for (int i = 0; i < count; i++) {
        int word = frame.getInt(at + Frames.TICKET_BYTES);
        int rows = word & FrameType.ROWS_MASK;
        commits[i] = new long[2 + rows];
        commits[i][0] = frame.getLong(at);
        commits[i][1] = word;
        at += Frames.COMMIT_FIXED_BYTES;
        for (int row = 0; row < rows; row++, at += Long.BYTES) {
          commits[i][2 + row] = frame.getLong(at);
        }
      }
      return commits;
    }

    /** What each COMMIT_READS says. */
    List<CommitRequest> commitReads() {
      List<CommitRequest> commits = new ArrayList<>();
      int at = Frames.HEADER_BYTES;
      for (int i = 0; i < count; i++) {
        long[][] lists = new long[5][];
        int to = at + Frames.COMMIT_READS_FIXED_BYTES;
        for (int list = 0; list < lists.length; list++) {
          int word = frame.getInt(at + Frames.TICKET_BYTES + list * Integer.BYTES);
          lists[list] = new long[list == 0 ? word & FrameType.ROWS_MASK : word];
          for (int id = 0; id < lists[list].length; id++, to += Long.BYTES) {
            lists[list][id] = frame.getLong(to);
          }
        }
        CommitRequest commit =
            CommitRequest.of(
                    TransactionHandle.of(frame.getLong(at), frame.getLong(at + Long.BYTES)))
                .withWrites(lists[0])
                .withValidated(lists[1])
                .withReads(lists[2])
                .withRangeReads(lists[3])
                .withRangeWrites(lists[4]);
        int flags = frame.getInt(at + Frames.TICKET_BYTES);
        commits.add((flags & FrameType.SERIALIZABLE_FLAG) != 0 ? commit.serializable() : commit);
        at = to;
      }
      return commits;
    }

    /** Whether the first commit says that it is repeated. */
    boolean isRepeated() {
      int flags = frame.getInt(Frames.HEADER_BYTES + Frames.TICKET_BYTES);
      return type.isCommit() && (flags & FrameType.REPEAT_FLAG) != 0;
    }
  }

  /** A connection from the peer's side. */
  static final class Wire {
    private final Socket socket;
    private final DataInputStream in;

    Wire(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new DataInputStream(socket.getInputStream());
    }

    /** The next frame, whatever it is. */
    ByteBuf readRaw() throws IOException {
      int length = in.readInt();
      byte[] bytes = new byte[Frames.LENGTH_BYTES + length];
      ByteBuf frame = Unpooled.wrappedBuffer(bytes);
      frame.setInt(0, length);
      in.readFully(bytes, Frames.LENGTH_BYTES, length);
      return frame;
    }

    /** The next request, checked: what only an owner may ask has the right ticket. */
    Request read() throws IOException, FrameException {
      ByteBuf frame = readRaw();
      Frames.checkRequest(frame, 0, Frames.frameBytes(frame, 0));
      TestTickets.check(frame);
      return new Request(
          Frames.requestType(frame, 0), Frames.count(frame, 0), Frames.frameId(frame, 0), frame);
    }

    /** Reads the hello. */
    Handshake.Hello readHello() throws IOException, FrameException {
      Request hello = read();
      hello.frame().readerIndex(Frames.HEADER_BYTES);
      return Handshake.readHello(hello.frame(), hello.frame().readableBytes());
    }

    void handshake() throws IOException, FrameException {
      handshake(1);
    }

    void handshake(long epoch) throws IOException, FrameException {
      handshake(epoch, Timestamps.GAP);
    }

    /** With a distance of timestamps that may be wrong. */
    void handshake(long epoch, int timestampGap) throws IOException, FrameException {
      handshake(welcome(Handshake.VERSION_MAX, epoch, timestampGap));
    }

    /** As a server that speaks this version of the protocol. */
    void handshakeOf(int version) throws IOException, FrameException {
      handshake(welcome(version, 1, Timestamps.GAP));
    }

    private static Welcome welcome(int version, long epoch, int timestampGap) {
      return new Welcome(
          version,
          Handshake.Mode.ORACLE,
          Limits.FRAME_BYTES_MAX,
          Limits.TRANSACTION_ROWS_MAX,
          timestampGap,
          ORACLE,
          ServerRole.alone(epoch),
          Authentication.Offer.NONE);
    }

    void handshake(Welcome welcome) throws IOException, FrameException {
      readHello();
      ByteBuf out = Unpooled.buffer();
      Handshake.writeWelcome(out, 0, welcome);
      send(out);
    }

    /** Answers with outcomes, or with the first start timestamp, which the tickets follow. */
    void reply(Request request, long... words) throws IOException {
      send(request.reply(words));
    }

    /** A reply that may have any type, count, id and size. */
    void reply(int type, int count, int id, long... words) throws IOException {
      send(ScriptedPeer.reply(type, count, id, words));
    }

    /** Sends the request back with an error. */
    void refuse(Request request, ErrorCode code, String text) throws IOException {
      ByteBuf out = Unpooled.buffer();
      Frames.writeError(out, request.id(), code, text);
      send(out);
    }

    void send(ByteBuf out) throws IOException {
      byte[] bytes = new byte[out.readableBytes()];
      out.readBytes(bytes);
      send(bytes);
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    /** Reads until the client hangs up. */
    void drain() throws IOException {
      while (in.read() >= 0) {
        // Not of interest.
      }
    }
  }
}
