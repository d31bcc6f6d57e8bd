package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.retso.client.connection.SimulatedLoop;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.Transport;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.security.Peer;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * A connection between a client and a server: bytes in order within each direction, independent of
 * all other connections; cut at any moment, with what is on its way lost or not. Both ends are
 * production code; the judge looks at what arrives at each.
 */
final class Link implements Transport, SimulatedLoop.Wire {
  final SimulatedClient client;
  final SimulatedServer server;
  private final World world;
  private final Simulation simulation;
  private long lastAtServer;
  private long lastAtClient;

  // The client's end.
  private final SimulatedLoop.End clientEnd;
  private boolean clientIsOpen = true;

  /** Bytes on their way to the server. */
  private final ArrayDeque<ByteBuf> arriving = new ArrayDeque<>();

  /** Replies on their way. */
  private final ArrayDeque<ByteBuf> departed = new ArrayDeque<>();

  // The server's end.
  private boolean serverIsOpen = true;
  private boolean waiting;

  /** The connection is over, and the server, which does not read from it, has not heard. */
  private boolean overUnheard;

  private final Conversation conversation;
  private final ByteBuf unread = Unpooled.buffer();
  private final ByteBuf written = Unpooled.buffer();

  /** What was taken and has not left with its reply, by frame id. */
  private final Map<Integer, RequestFrame> taken = new HashMap<>();

  // What was taken and whose reply has not arrived.
  private final ArrayDeque<RequestFrame> fastLane = new ArrayDeque<>();
  private final ArrayDeque<RequestFrame> logLane = new ArrayDeque<>();

  Link(World world, SimulatedClient client, SimulatedLoop.End clientEnd, SimulatedServer server) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = client;
    this.clientEnd = clientEnd;
    this.server = server;
    conversation = server.accept(this);
  }

  @Override
  public Peer peer() {
    return Peer.inClear(null, true);
  }

  @Override
  public ByteBufAllocator allocator() {
    return HeapAllocator.INSTANCE;
  }

  /** The client sends a frame. */
  @Override
  public void send(ByteBuf frame) {
    try {
      int repeats = RequestFrame.repeats(frame);
      for (int i = 0; i < repeats; i++) {
        world.counted("repeats");
      }
    } catch (FrameException e) {
      throw new Violation("a client sent nonsense: " + e.getMessage());
    }
    if (simulation.oneIn(8)) { // in two packets
      depart(frame.readSlice(simulation.below(frame.readableBytes())));
    }
    depart(frame);
  }

  private void depart(ByteBuf bytes) {
    lastAtServer = Math.max(lastAtServer, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    arriving.add(bytes);
    simulation.at(lastAtServer, () -> whenReachable(Way.IN, () -> server.whenAwake(this::arrived)));
  }

  /** Packets of a server that is cut off are sent again until they arrive. */
  private void whenReachable(Way way, Runnable arrival) {
    long until = server.cutOffUntil(SimulatedLedgers.Party.CLIENTS, way);
    if (until > simulation.now()) {
      simulation.at(until, () -> whenReachable(way, arrival));
    } else {
      arrival.run();
    }
  }

  /** The next packet arrives; not that of the event, for those of a paused process lose order. */
  private void arrived() {
    ByteBuf packet = arriving.poll();
    if (serverIsOpen) {
      unread.writeBytes(packet);
      takeFrames();
    }
  }

  private void takeFrames() {
    try {
      while (serverIsOpen && !waiting) {
        RequestFrame next = RequestFrame.peekOrNull(unread);
        Progress progress =
            next == null ? conversation.take(unread) : server.take(conversation, unread, next);
        if (progress == Progress.INCOMPLETE) {
          break;
        } else if (progress == Progress.WAITING) {
          waiting = true;
          world.counted("waits");
        } else if (next != null) {
          taken.put(next.id, next);
          laneOf(next.type).add(next);
        }
      }
    } catch (FrameException e) {
      throw new Violation("a frame is refused: " + e.getMessage());
    }
    unread.discardReadBytes();
  }

  private ArrayDeque<RequestFrame> laneOf(FrameType type) {
    return type.isLogged() ? logLane : fastLane;
  }

  @Override
  public void resume() {
    waiting = false;
    takeFrames();
    if (overUnheard && !waiting) {
      serverNotices();
    }
  }

  @Override
  public void write(ByteBuf replies) {
    written.writeBytes(replies);
    replies.release();
  }

  /** The server's replies leave. */
  @Override
  public void flush() {
    if (!written.isReadable()) {
      return;
    }
    ByteBuf replies = written.copy();
    written.clear();
    forEachReply(
        replies,
        index -> {
          RequestFrame frame = taken.remove(Frames.frameId(replies, index));
          if (!Frames.isError(replies, index)) {
            server.left(frame, replies, index);
          }
        });
    departed.add(replies);
    lastAtClient = Math.max(lastAtClient, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    simulation.at(lastAtClient, () -> whenReachable(Way.OUT, this::replied));
  }

  private interface ReplyVisitor {
    void reply(int index);
  }

  /** Shows the replies to requests of callers, but no greeting, pong or role. */
  private void forEachReply(ByteBuf replies, ReplyVisitor visitor) {
    try {
      int bytes;
      for (int at = replies.readerIndex(); at < replies.writerIndex(); at += bytes) {
        bytes = Frames.frameBytes(replies, at);
        Frames.checkReply(replies, at, bytes);
        FrameType type = Frames.replyType(replies, at);
        if (type != FrameType.HELLO && type != FrameType.PING && !Frames.isRole(replies, at)) {
          visitor.reply(at);
        }
      }
    } catch (FrameException e) {
      throw new Violation("a reply is malformed: " + e.getMessage());
    }
  }

  /** Replies arrive: they are judged, and the client gets them. */
  private void replied() {
    ByteBuf replies = departed.poll();
    if (clientIsOpen && client.isAlive()) {
      forEachReply(replies, index -> judge(replies, index));
      client.met(server.number());
      clientEnd.read(replies);
    } else {
      simulation.after(simulation.delay(World.NETWORK_DELAY), this::endOfServer); // it is reset
    }
  }

  /** A reply must be the next one of its lane, and true, or send the request back. */
  private void judge(ByteBuf replies, int index) {
    if (Frames.isError(replies, index)) {
      int id = Frames.frameId(replies, index);
      boolean isAsked = fastLane.removeIf(f -> f.id == id) || logLane.removeIf(f -> f.id == id);
      Violation.unless(isAsked, "what nobody asked is sent back");
      world.counted("sent back: " + Frames.errorCode(replies, index));
      return;
    }
    FrameType type = Frames.replyType(replies, index);
    RequestFrame frame = laneOf(type).poll();
    Violation.unless(
        frame != null && frame.type == type && frame.id == Frames.frameId(replies, index),
        "a reply to " + type + " overtook another");
    Violation.unless(frame.count == Frames.count(replies, index), "a reply has another count");
    for (int i = 0; i < frame.count && type != FrameType.HOLDS; i++) {
      Answer answer = frame.answer(i, replies, index);
      if (answer.outcome() == Outcome.REFUSED_SHARE) {
        world.counted("refused shares");
      }
      switch (type) {
        case STATUS, COMMIT, COMMIT_READS, ABORT ->
            world.history().answered(frame.starts[i], frame.readers[i], answer);
        case CLEANED, SWEPT ->
            Violation.unless(answer.outcome() == Outcome.DONE, "a cleanup was refused");
        case HELLO,
            PING,
            BEGIN,
            TIMESTAMP,
            SAFE,
            WATERMARK,
            KEYS,
            VOUCH,
            HOLD,
            RENEW,
            RELEASE,
            HOLDS -> {} // judged as the caller gets them
      }
    }
  }

  boolean isOpen() {
    return clientIsOpen;
  }

  /** The client gives it up. */
  @Override
  public void hangUp() {
    if (clientIsOpen) {
      world.counted("given up by clients");
      simulation.after(0, this::clientNotices);
      cut();
    }
  }

  private void clientNotices() {
    if (clientIsOpen) {
      clientIsOpen = false;
      client.forget(this);
      clientEnd.closed();
    }
  }

  /** From a connection that waits for the log, or for its host's turn, nothing is read. */
  private void serverNotices() {
    overUnheard = waiting && server.isAlive();
    if (overUnheard) {
      world.counted("ends not heard of");
    } else {
      endOfServer();
    }
  }

  private void endOfServer() {
    if (serverIsOpen) {
      serverIsOpen = false;
      conversation.close();
      server.forget(this);
    }
  }

  /** The connection breaks; each end notices in its own time, or at once. */
  void cut() {
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(World.NETWORK_DELAY),
        () -> {
          if (client.isAlive()) {
            clientNotices();
          }
        });
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(4 * World.NETWORK_DELAY), this::serverNotices);
  }
}
