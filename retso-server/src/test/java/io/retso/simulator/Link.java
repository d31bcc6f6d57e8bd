package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.Transport;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A connection between a client and a server: bytes in order within each direction, independent of
 * all other connections; cut at any moment, with what is on its way lost or not. The server's end
 * is the production {@link Conversation}.
 */
final class Link implements Transport {
  private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(false, true);
  private static final Handshake.Hello HELLO =
      new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, "simulated");

  final SimulatedClient client;
  final SimulatedServer server;
  private final Simulation simulation;
  private long lastAtServer;
  private long lastAtClient;

  // The client's end.
  private boolean clientEnd = true;
  private int nextFrameId = 1;
  private final ArrayDeque<RequestFrame> fastLane = new ArrayDeque<>();
  private final ArrayDeque<RequestFrame> logLane = new ArrayDeque<>();

  private record Packet(ByteBuf bytes, RequestFrame complete) {}

  /** Bytes on their way, with the frame that they complete, if they do. */
  private final ArrayDeque<Packet> arriving = new ArrayDeque<>();

  /** Replies on their way. */
  private final ArrayDeque<ByteBuf> departed = new ArrayDeque<>();

  // The server's end.
  private boolean serverEnd = true;
  private boolean waiting;
  private final Conversation conversation;
  private final ByteBuf unread = Unpooled.buffer();
  private final ByteBuf written = Unpooled.buffer();

  /** What was sent and not yet taken. */
  private final ArrayDeque<RequestFrame> untaken = new ArrayDeque<>();

  /** What was taken and not yet answered, by frame id. */
  private final Map<Integer, RequestFrame> taken = new HashMap<>();

  Link(Simulation simulation, SimulatedClient client, SimulatedServer server) {
    this.simulation = simulation;
    this.client = client;
    this.server = server;
    conversation = server.accept(this);
    ByteBuf hello = Unpooled.buffer();
    Handshake.writeHello(hello, 0, HELLO);
    send(hello, null);
  }

  /** The client sends requests of one type. */
  void send(List<Request> requests) {
    RequestFrame frame = new RequestFrame(nextFrameId++, requests);
    (frame.type.isLogged() ? logLane : fastLane).add(frame);
    send(frame.encode(), frame);
  }

  private void send(ByteBuf bytes, RequestFrame frame) {
    if (simulation.oneIn(8)) { // in two packets
      arrive(bytes.readSlice(simulation.below(bytes.readableBytes())), null);
    }
    arrive(bytes, frame);
  }

  private void arrive(ByteBuf bytes, RequestFrame complete) {
    lastAtServer = Math.max(lastAtServer, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    arriving.add(new Packet(bytes, complete));
    simulation.at(lastAtServer, () -> whenReachable(() -> server.whenAwake(this::arrived)));
  }

  /** Packets of a server that is cut off are sent again until they arrive. */
  private void whenReachable(Runnable arrival) {
    long until = server.cutOffUntil(SimulatedLedgers.Party.CLIENTS);
    if (until > simulation.now()) {
      simulation.at(until, () -> whenReachable(arrival));
    } else {
      arrival.run();
    }
  }

  /** The next packet arrives; not that of the event, for those of a paused process lose order. */
  private void arrived() {
    Packet packet = arriving.poll();
    if (serverEnd) {
      unread.writeBytes(packet.bytes);
      if (packet.complete != null) {
        untaken.add(packet.complete);
      }
      takeFrames();
    }
  }

  private void takeFrames() {
    try {
      while (serverEnd && !waiting) {
        boolean isHello = conversation.hello() == null;
        RequestFrame next = isHello ? null : untaken.peek();
        Progress progress =
            next == null ? conversation.take(unread) : server.take(conversation, unread, next);
        if (progress == Progress.INCOMPLETE) {
          break;
        } else if (progress == Progress.WAITING) {
          waiting = true;
          server.counted("waits");
        } else if (next != null) {
          taken.put(next.id, untaken.poll());
        }
      }
    } catch (FrameException e) {
      throw new Violation("a frame is refused: " + e.getMessage());
    }
    unread.discardReadBytes();
  }

  @Override
  public void resume() {
    waiting = false;
    takeFrames();
  }

  @Override
  public ByteBufAllocator allocator() {
    return ALLOCATOR;
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
        replies, index -> server.left(taken.get(Frames.frameId(replies, index)), replies, index));
    lastAtClient = Math.max(lastAtClient, simulation.now() + simulation.delay(World.NETWORK_DELAY));
    departed.add(replies);
    simulation.at(lastAtClient, () -> whenReachable(this::replied));
  }

  private void replied() {
    ByteBuf replies = departed.poll();
    forEachReply(replies, index -> reply(replies, index));
  }

  private interface ReplyVisitor {
    void reply(int index);
  }

  private void forEachReply(ByteBuf replies, ReplyVisitor visitor) {
    try {
      int bytes;
      for (int at = replies.readerIndex(); at < replies.writerIndex(); at += bytes) {
        bytes = Frames.frameBytes(replies, at);
        Frames.checkReply(replies, at, bytes);
        if (Frames.replyType(replies, at) != FrameType.HELLO) {
          visitor.reply(at);
        }
      }
    } catch (FrameException e) {
      throw new Violation("a reply is malformed: " + e.getMessage());
    }
  }

  /** A reply arrives: it must be the next one of its lane. */
  private void reply(ByteBuf replies, int index) {
    FrameType type = Frames.replyType(replies, index);
    RequestFrame frame = (type.isLogged() ? logLane : fastLane).poll();
    Violation.unless(
        frame != null && frame.type == type && frame.id == Frames.frameId(replies, index),
        "a reply to " + type + " overtook another");
    Violation.unless(
        frame.requests.size() == Frames.count(replies, index), "a reply has another count");
    for (int i = 0; i < frame.requests.size() && clientEnd; i++) {
      client.replied(frame.requests.get(i), frame.answer(i, replies, index));
    }
  }

  /** The connection breaks; each end notices in its own time, or at once. */
  void cut() {
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(World.NETWORK_DELAY),
        () -> {
          if (clientEnd) {
            clientEnd = false;
            client.disconnected(this);
          }
        });
    simulation.after(
        simulation.oneIn(2) ? 0 : simulation.delay(4 * World.NETWORK_DELAY),
        () -> {
          if (serverEnd) {
            serverEnd = false;
            conversation.close();
            server.forget(this);
          }
        });
  }

  /** The client is gone. */
  void abandon() {
    clientEnd = false;
    cut();
  }
}
