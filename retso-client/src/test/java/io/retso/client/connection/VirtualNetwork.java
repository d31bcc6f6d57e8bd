package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.client.OracleClient;
import io.retso.client.TestTickets;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Clients and servers in a time of their own, on one thread: what a client does when can be told
 * exactly, and an hour takes a moment.
 */
final class VirtualNetwork {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "test");
  private static final long ONE_WAY_NANOS = 50_000;

  /** Without a leak detector: a test ends with bytes still on their way, which are not released. */
  private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true, true);

  /** What becomes of an attempt to connect, and of what is sent then. */
  enum Reach {
    /** All goes well. */
    GOOD,
    /** The machine lives, the process does not. */
    REFUSED,
    /** Nothing arrives, and nothing comes back; connections hang, those that are open, too. */
    NOTHING,
    /** The system accepts, and the process says nothing: it is stopped. */
    SILENT
  }

  private record Task(long at, long number, Runnable work) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
  private final Map<Integer, Server> servers = new TreeMap<>();
  private long now = TimeUnit.DAYS.toNanos(1);
  private long numbers;
  private long decisions = 100;

  /** A server at a port that is its name. */
  final class Server {
    final int port;
    Reach reach = Reach.GOOD;
    ServerRole role = ServerRole.UNKNOWN;

    /** Whether it answers requests; it answers pings and greets in any case. */
    boolean answers = true;

    int pings;
    int requests;

    /** What it answers to commits; 0 if it commits them. */
    long commitAnswer;

    int commits;

    /** Commits with the flag of a repetition. */
    int repeats;

    /** When somebody tried to connect. */
    final List<Long> attempts = new ArrayList<>();

    private final List<Socket> sockets = new ArrayList<>();

    private Server(int port) {
      this.port = port;
    }

    String address() {
      return "server:" + port;
    }

    /** Says from now on that it leads. */
    void lead(long epoch, Server... members) {
      say(new ServerRole(true, epoch, "", address(), addresses(members)));
    }

    /** Says from now on that it is a standby; of nobody if there is no leader. */
    void follow(long epoch, Server leader, Server... members) {
      String where = leader == null ? "" : leader.address();
      say(new ServerRole(false, epoch, "", where, addresses(members)));
    }

    private void say(ServerRole changed) {
      role = changed;
      if (reach == Reach.GOOD) {
        open().forEach(socket -> socket.send(out -> Handshake.writeRoleFrame(out, changed)));
      }
    }

    /** Connections that a client has with it. */
    List<Socket> open() {
      return sockets.stream().filter(socket -> !socket.closed).toList();
    }

    /** The process dies: its connections are closed, and it can be reached no more. */
    void die() {
      reach = Reach.REFUSED;
      open().forEach(Socket::hangUp);
    }
  }

  private static List<String> addresses(Server... members) {
    return Stream.of(members).map(Server::address).toList();
  }

  /** A connection from the server's side. */
  final class Socket implements Transport {
    private final Server server;
    private final Connection connection;
    private boolean closed;

    private Socket(Server server, Connection connection) {
      this.server = server;
      this.connection = connection;
    }

    @Override
    public ByteBufAllocator allocator() {
      return ALLOCATOR;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void write(ByteBuf bytes) {
      later(
          ONE_WAY_NANOS,
          () -> {
            if (!closed && server.reach == Reach.GOOD) {
              read(bytes);
            }
            bytes.release();
          });
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      closed = true;
      later(0, connection::onClosed);
    }

    private void hangUp() {
      closed = true;
      later(ONE_WAY_NANOS, connection::onClosed);
    }

    private interface Frame {
      void write(ByteBuf out);
    }

    private void send(Frame frame) {
      ByteBuf out = Unpooled.buffer();
      frame.write(out);
      later(
          ONE_WAY_NANOS,
          () -> {
            if (!closed && server.reach == Reach.GOOD) {
              connection.onRead(out);
            }
          });
    }

    private void read(ByteBuf frame) {
      try {
        FrameType type = Frames.requestType(frame, 0);
        int id = Frames.frameId(frame, 0);
        switch (type) {
          case HELLO -> {
            frame.readerIndex(Frames.HEADER_BYTES);
            Handshake.Hello hello = Handshake.readHello(frame, frame.readableBytes());
            send(out -> Handshake.writeWelcome(out, id, welcome(hello)));
          }
          case PING -> {
            server.pings++;
            send(out -> Frames.writeReplyHeader(out, type, 0, id));
          }
          default -> request(type, frame, id);
        }
      } catch (FrameException e) {
        throw new AssertionError(e);
      }
    }

    private Welcome welcome(Handshake.Hello hello) {
      return new Welcome(
          Handshake.VERSION_MAX,
          hello.mode(),
          Limits.FRAME_BYTES_MAX,
          Limits.TRANSACTION_ROWS_MAX,
          Timestamps.GAP,
          ORACLE,
          server.role,
          Authentication.Offer.NONE);
    }

    private void request(FrameType type, ByteBuf frame, int id) {
      int count = Frames.count(frame, 0);
      server.requests += count;
      TestTickets.check(frame);
      int flags = type.isCommit() ? frame.getInt(Frames.HEADER_BYTES + Frames.TICKET_BYTES) : 0;
      server.commits += type.isCommit() ? count : 0;
      server.repeats += (flags & FrameType.REPEAT_FLAG) != 0 ? 1 : 0;
      if (!server.role.leads()) {
        send(out -> Frames.writeError(out, id, ErrorCode.NOT_LEADER, "a standby"));
      } else if (server.answers) {
        send(
            out -> {
              Frames.writeReplyHeader(out, type, count, id);
              if (type == FrameType.BEGIN) {
                writeBegins(out, count);
              } else {
                for (int i = type.answersTo(count); i > 0; i--) {
                  out.writeLong(answer(type));
                }
              }
            });
      }
    }

    private void writeBegins(ByteBuf out, int count) {
      long first = (decisions + 1) * Timestamps.GAP;
      out.writeLong(first);
      for (int i = 0; i < count; i++) {
        out.writeLong(TestTickets.of(first + (long) i * Timestamps.GAP));
      }
      decisions += count;
    }

    private long answer(FrameType type) {
      if (type.isCommit() && server.commitAnswer != 0) {
        return server.commitAnswer;
      }
      return type == FrameType.SWEPT ? Outcome.DONE : ++decisions * Timestamps.GAP;
    }
  }

  /** The loop of one client. */
  private final class Loop implements ClientLoop {
    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public boolean inLoop() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      later(0, task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      later(delayNanos, task);
    }

    @Override
    public void connect(Connection connection) {
      Server server = server(connection.address.getPort());
      server.attempts.add(now);
      switch (server.reach) {
        case GOOD, SILENT -> {
          Socket socket = new Socket(server, connection);
          server.sockets.add(socket);
          later(2 * ONE_WAY_NANOS, () -> connection.onOpen(socket));
        }
        case REFUSED ->
            later(
                2 * ONE_WAY_NANOS,
                () -> connection.onUnreachable(new IllegalStateException("refused")));
        case NOTHING ->
            later(
                TimeUnit.SECONDS.toNanos(3),
                () -> connection.onUnreachable(new IllegalStateException("timed out")));
        default -> throw new AssertionError();
      }
    }

    @Override
    public void shutDown() {}

    @Override
    public void awaitEnd() {}
  }

  private void later(long delayNanos, Runnable work) {
    tasks.add(new Task(now + delayNanos, numbers++, work));
  }

  /** The server at a port; there is one at each. */
  Server server(int port) {
    return servers.computeIfAbsent(port, Server::new);
  }

  /** A client with the usual settings that was given some addresses. */
  OracleClient client(long seed, Server... given) {
    ClientSettings settings =
        new ClientSettings(
            Stream.of(given)
                .map(server -> InetSocketAddress.createUnresolved("server", server.port))
                .toList(),
            "virtual",
            Handshake.Mode.ORACLE,
            1,
            1024,
            TimeUnit.SECONDS.toNanos(10),
            TimeUnit.SECONDS.toNanos(3),
            TimeUnit.MILLISECONDS.toNanos(10),
            TimeUnit.SECONDS.toNanos(2),
            TimeUnit.MILLISECONDS.toNanos(100),
            seed,
            null,
            null);
    return new RemoteOracleClient(settings, new Loop());
  }

  long now() {
    return now;
  }

  /** Lets so much time pass. */
  void pass(long millis) {
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!tasks.isEmpty() && tasks.peek().at <= end) {
      Task task = tasks.poll();
      now = task.at;
      task.work.run();
    }
    now = end;
  }
}
