package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.front.Conversation.Progress;
import io.retso.log.LogException;
import io.retso.log.OneSegmentLog;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Authentication;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Steps;
import io.retso.protocol.Vouching;
import io.retso.security.AccessControl;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.LongStream;

/** A front desk on a log that acknowledges when the test says so; turns end when it says so. */
final class DeskFixture implements FrontDesk.Owner, FrontDesk.Loop, AutoCloseable {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "test");
  static final int RESERVATION = 100;

  static final int ROWS = 1024;
  static final int WINDOW = 1024;
  static final int UNCLEANED = 100;

  /** Nanoseconds for which open transactions are protected. */
  static final long PERIOD = 1_000;

  /** Work of one host in a turn. */
  static final int TURN_UNITS = 64;

  final ArrayDeque<Runnable> endOfTurn = new ArrayDeque<>();
  final ArrayDeque<Runnable> nextTurn = new ArrayDeque<>();
  final FrontDesk desk;
  private final Function<Changes, StatusOracle> oracle;
  Sequencer sequencer;
  private final List<Peer> peers = new ArrayList<>();
  long nanos;
  long appended;

  /** Bytes of the last entry. */
  int entryBytes;

  LogException logFailure;
  Throwable error;

  DeskFixture() {
    this(changes -> new StatusOracle(ROWS, WINDOW, UNCLEANED, changes));
  }

  DeskFixture(Function<Changes, StatusOracle> oracle) {
    this(oracle, AccessControl.open(TestTickets.make()));
  }

  /** One that wants to know its clients. */
  DeskFixture(AccessControl access) {
    this(changes -> new StatusOracle(ROWS, WINDOW, UNCLEANED, changes), access);
  }

  private DeskFixture(Function<Changes, StatusOracle> oracle, AccessControl access) {
    FrontDesk.Settings settings =
        new FrontDesk.Settings(
            () -> ORACLE,
            () -> nanos,
            FrontDesk.Latencies.IGNORED,
            new FrontDesk.Bounds(4096, 100, TURN_UNITS, PERIOD),
            access);
    desk = new FrontDesk(settings, this, this);
    this.oracle = oracle;
    lead(7);
  }

  /** Leads from now on with an oracle that knows nothing. */
  void lead(long epoch) {
    SequencerSettings.Timing timing = new SequencerSettings.Timing(() -> 0, () -> 0, 1_000_000, 0);
    SequencerSettings.EntryBytes bytes =
        new SequencerSettings.EntryBytes(200, 16, Limits.FRAME_BYTES_MAX);
    sequencer =
        new Sequencer(
            new SequencerSettings(1, RESERVATION, true, bytes, timing), oracle::apply, desk);
    desk.lead(sequencer, ServerRole.alone(epoch));
    appended = 0;
    sequencer.start(new OneSegmentLog(this::append), 0);
    acknowledge();
  }

  private void append(long position, ByteBuffer entry) {
    appended = position;
    entryBytes = entry.remaining();
  }

  /** All clients are gone: replies that are held for them are dropped. */
  @Override
  public void close() {
    List.copyOf(peers).forEach(Peer::close);
  }

  /** The log's entries become durable, all of them. */
  void acknowledge() {
    while (sequencer.durable() < appended) {
      sequencer.durable(appended);
    }
  }

  void endTurn() {
    while (!endOfTurn.isEmpty()) {
      endOfTurn.poll().run();
    }
  }

  @Override
  public void atEndOfTurn(Runnable task) {
    endOfTurn.add(task);
  }

  @Override
  public void inNextTurn(Runnable task) {
    nextTurn.add(task);
  }

  /** What was put off to the next turn happens, and it ends. */
  void nextTurn() {
    new ArrayDeque<>(nextTurn).forEach(task -> nextTurn.remove().run());
    endTurn();
  }

  @Override
  public void logFailed(LogException cause) {
    logFailure = cause;
  }

  @Override
  public void stopped(Throwable cause) {
    error = cause;
  }

  /** A serializable transaction that is to be committed. */
  record Reads(long start, long[] writes, long[] reads) {}

  /** A client, without sockets: what it sends is taken as far as it may be. */
  final class Peer implements Transport {
    final Conversation conversation;
    final List<ByteBuf> replies = new ArrayList<>();
    private final ByteBuf unread = Unpooled.buffer();
    private final ByteBuf written = Unpooled.buffer();
    Progress progress;
    private int nextId = 1;

    /** For tests: it waits for an answer; a transaction of its own that is open. */
    boolean waits;

    long open;

    /** What follows on work that takes long is put off. */
    boolean isSlow;

    private boolean local;
    private boolean encrypted;

    /** Thrown by the next buffer that is asked for. */
    Error allocationError;

    Peer(String host) {
      conversation = desk.open(this, host);
      peers.add(this);
    }

    /** Whether it is on the server's machine; judged anew. */
    void setLocal(boolean isLocal) throws FrameException {
      local = isLocal;
      conversation.look();
    }

    /** It speaks by TLS from here on. */
    Peer encrypted() {
      encrypted = true;
      return this;
    }

    /** Says who it is. */
    int authenticate(String token) throws FrameException {
      return authenticate(Authentication.TOKEN, token.getBytes(StandardCharsets.US_ASCII));
    }

    /** Goes on with saying who it is. */
    int authenticate(String mechanism, byte[] bytes) throws FrameException {
      Authentication.writeAttempt(unread, nextId, new Authentication.Attempt(mechanism, bytes));
      take();
      endTurn();
      return nextId++;
    }

    @Override
    public void beside(Runnable work, Afterwards then) throws FrameException {
      if (!isSlow) {
        work.run();
        then.run();
      }
    }

    void close() {
      peers.remove(this);
      conversation.close();
    }

    /** Vouches for a user of HBase. */
    int vouch(String user) throws FrameException {
      Frames.writeHeader(unread, FrameType.VOUCH, 1, nextId, Vouching.bodyBytes(user));
      Vouching.writeUser(unread, user);
      take();
      return nextId++;
    }

    Peer hello() throws FrameException {
      return hello(Handshake.VERSION_MAX);
    }

    /** Of a client that knows one version only. */
    Peer hello(int version) throws FrameException {
      Handshake.writeHello(
          unread, 0, new Handshake.Hello(version, version, Handshake.Mode.ORACLE, "test"));
      take();
      endTurn();
      assertEquals(FrameType.HELLO, Frames.replyType(replies.remove(0), 0));
      return this;
    }

    int begin(int count) throws FrameException {
      Frames.writeHeader(unread, FrameType.BEGIN, count, nextId, 0);
      take();
      return nextId++;
    }

    int ping() throws FrameException {
      Frames.writeHeader(unread, FrameType.PING, 0, nextId, 0);
      take();
      return nextId++;
    }

    /** Sends requests about transactions of its own. */
    int sendOwned(FrameType type, long... starts) throws FrameException {
      long[] words = new long[2 * starts.length];
      for (int i = 0; i < starts.length; i++) {
        words[2 * i] = starts[i];
        words[2 * i + 1] = TestTickets.of(starts[i]);
      }
      return send(type, starts.length, words);
    }

    /** Sends a request whose body is numbers. */
    int send(FrameType type, int count, long... words) throws FrameException {
      Frames.writeHeader(unread, type, count, nextId, words.length * Long.BYTES);
      for (long word : words) {
        unread.writeLong(word);
      }
      take();
      return nextId++;
    }

    /** Sends commits of one row each in one frame, which asks how long its steps take. */
    int commitAsking(long row, long... starts) throws FrameException {
      int header = unread.writerIndex();
      writeCommits(false, row, starts);
      Steps.ask(unread, header);
      take();
      return nextId++;
    }

    /** Sends commits of one row each in one frame. */
    int commit(boolean repeat, long row, long... starts) throws FrameException {
      writeCommits(repeat, row, starts);
      take();
      return nextId++;
    }

    private void writeCommits(boolean repeat, long row, long... starts) {
      Frames.writeHeader(unread, FrameType.COMMIT, starts.length, nextId, 28 * starts.length);
      for (long start : starts) {
        unread.writeLong(start).writeLong(TestTickets.of(start));
        unread.writeInt(1 | (repeat ? FrameType.REPEAT_FLAG : 0)).writeLong(row);
      }
    }

    /** Sends serializable transactions that write and read rows, in one frame. */
    int commitReads(boolean repeat, Reads... commits) throws FrameException {
      int header = unread.writerIndex();
      Frames.writeHeader(unread, FrameType.COMMIT_READS, 0, nextId, 0);
      int flags = FrameType.SERIALIZABLE_FLAG | (repeat ? FrameType.REPEAT_FLAG : 0);
      for (Reads commit : commits) {
        unread.writeLong(commit.start).writeLong(TestTickets.of(commit.start));
        unread.writeInt(commit.writes.length | flags);
        unread.writeInt(0).writeInt(commit.reads.length).writeInt(0).writeInt(0);
        LongStream.concat(LongStream.of(commit.writes), LongStream.of(commit.reads))
            .forEach(unread::writeLong);
      }
      Frames.finishFrame(unread, header, commits.length);
      take();
      return nextId++;
    }

    /** Sends the commit of a transaction that wrote nothing, with some ticket. */
    int commitWith(long start, long ticket) throws FrameException {
      Frames.writeHeader(unread, FrameType.COMMIT, 1, nextId, Frames.COMMIT_FIXED_BYTES);
      unread.writeLong(start).writeLong(ticket).writeInt(0);
      take();
      return nextId++;
    }

    /** Sends the commit of a serializable one, with some ticket. */
    int commitReadsWith(long start, long ticket) throws FrameException {
      Frames.writeHeader(
          unread, FrameType.COMMIT_READS, 1, nextId, Frames.COMMIT_READS_FIXED_BYTES);
      unread.writeLong(start).writeLong(ticket).writeInt(FrameType.SERIALIZABLE_FLAG).writeZero(16);
      take();
      return nextId++;
    }

    /** Sends the commit of a transaction that wrote so many rows. */
    int commitMany(long start, int rows) throws FrameException {
      Frames.writeHeader(unread, FrameType.COMMIT, 1, nextId, 20 + rows * Long.BYTES);
      unread.writeLong(start).writeLong(TestTickets.of(start)).writeInt(rows);
      for (int row = 1; row <= rows; row++) {
        unread.writeLong(row);
      }
      take();
      return nextId++;
    }

    /** Takes what a client sent, as far as it may be taken. */
    void receive(ByteBuf bytes) {
      unread.writeBytes(bytes);
      resume();
    }

    void take() throws FrameException {
      do {
        progress = conversation.take(unread);
      } while (progress == Progress.TAKEN);
    }

    /** The ids of the replies that came. */
    List<Integer> ids() {
      return replies.stream().map(reply -> Frames.frameId(reply, 0)).toList();
    }

    /** The i-th answer of the first reply, which is taken away. */
    long answer() {
      return replies.remove(0).getLong(Frames.HEADER_BYTES);
    }

    /** Begins one transaction. */
    long start() throws FrameException {
      begin(1);
      endTurn();
      return answer();
    }

    @Override
    public io.retso.security.Peer peer() {
      io.retso.security.Peer peer = io.retso.security.Peer.inClear(null, local);
      return encrypted ? peer.encrypted(Optional.empty()) : peer;
    }

    @Override
    public ByteBufAllocator allocator() {
      if (allocationError != null) {
        throw allocationError;
      }
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void write(ByteBuf bytes) {
      written.writeBytes(bytes);
      bytes.release();
    }

    @Override
    public void flush() {
      try {
        while (written.isReadable()) {
          int bytes = Frames.frameBytes(written, written.readerIndex());
          Frames.checkReply(written, written.readerIndex(), bytes);
          ByteBuf reply = Unpooled.buffer(bytes);
          written.readBytes(reply, bytes);
          replies.add(reply);
        }
      } catch (FrameException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void resume() {
      try {
        take();
      } catch (FrameException e) {
        throw new AssertionError(e);
      }
    }
  }
}
