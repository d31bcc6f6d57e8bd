package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.text.Addresses;
import io.retso.text.Durations;
import io.retso.text.ErrorText;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;

/**
 * One TCP connection from its first byte to its last: handshake, then request frames out and reply
 * frames in. Event loop only. Lives for one connection; its {@link Member} makes the next one.
 */
public final class Connection {
  private static final int HELLO_FRAME_ID = 0;

  public final InetSocketAddress address;

  private final Member member;
  private final ClientSettings settings;
  private final Dispatcher dispatcher;
  private final ClientLoop loop;
  private final Lanes lanes = new Lanes();

  private Transport transport;

  /** Null until the handshake is complete. */
  private Welcome welcome;

  /** What the server said last of itself; null until the handshake is complete. */
  private ServerRole role;

  /** Bytes of a frame that is not complete; null if there are none. */
  private ByteBuf partial;

  private int nextFrameId = HELLO_FRAME_ID + 1;
  private long lastReadNanos;
  private boolean answered;
  private boolean ended;

  Connection(
      Member member,
      Dispatcher dispatcher,
      ClientSettings settings,
      ClientLoop loop,
      InetSocketAddress address) {
    this.member = member;
    this.dispatcher = dispatcher;
    this.settings = settings;
    this.loop = loop;
    this.address = address;
  }

  /** Whether the handshake was ever completed. */
  public boolean wasReady() {
    return welcome != null;
  }

  boolean isWritable() {
    return transport.isWritable();
  }

  Welcome welcome() {
    return welcome;
  }

  ServerRole role() {
    return role;
  }

  /** Whether the server ever answered a request on this connection. */
  boolean answered() {
    return answered;
  }

  /** Sends calls of one type until none is left or the channel's buffer is full. */
  void send(CallList calls, long nowNanos) {
    while (!ended && !calls.isEmpty() && transport.isWritable()) {
      SentFrame frame = FrameWriter.take(calls, nextFrameId++, nowNanos);
      lanes.of(frame.type).add(frame);
      transport.write(FrameWriter.encode(frame, transport.allocator()));
    }
  }

  void flush() {
    transport.flush();
  }

  /** The frames that wait for replies. */
  Lanes lanes() {
    return lanes;
  }

  /** Whether the server owes replies, to pings too. */
  boolean owes() {
    return !lanes.areEmpty();
  }

  /** Asks whether the server lives, if it has sent nothing for about a period; one at a time. */
  void ping(long nowNanos, long periodNanos) {
    boolean quiet = nowNanos - lastReadNanos >= periodNanos - settings.pingNanos() / 2;
    if (!ended && quiet && lanes.of(FrameType.PING).isEmpty() && transport.isWritable()) {
      long never = nowNanos + Long.MAX_VALUE / 2;
      SentFrame frame = new SentFrame(FrameType.PING, nextFrameId++, 0, nowNanos, never, null);
      lanes.of(FrameType.PING).add(frame);
      transport.write(FrameWriter.encode(frame, transport.allocator()));
      transport.flush();
    }
  }

  /** How long the server has owed a reply without sending anything; 0 if it owes none. */
  long silenceNanos(long nowNanos) {
    return lanes.silenceNanos(nowNanos, lastReadNanos);
  }

  /** Ends the connection for {@code cause}; the first cause counts. */
  void end(OracleException cause) {
    if (ended) {
      return;
    }
    ended = true;
    if (transport != null) {
      transport.close();
    }
    member.ended(this, cause);
  }

  /** It is connected. */
  public void onOpen(Transport opened) {
    transport = opened;
    if (ended) {
      transport.close();
      return;
    }
    ByteBuf out = transport.allocator().directBuffer();
    Handshake.writeHello(
        out,
        HELLO_FRAME_ID,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, settings.mode(), settings.name()));
    transport.write(out);
    transport.flush();
    loop.schedule(this::checkHandshake, settings.connectTimeoutNanos());
  }

  /** It cannot be connected. */
  public void onUnreachable(Throwable cause) {
    end(unavailable("cannot be reached: " + ErrorText.of(cause), cause));
  }

  private void checkHandshake() {
    if (welcome == null) {
      end(
          unavailable(
              "accepted the connection but did not answer the handshake in "
                  + Durations.text(settings.connectTimeoutNanos())
                  + "; is it an oracle, and is it healthy?",
              null));
    }
  }

  /** Bytes came, which this method takes over. */
  public void onRead(ByteBuf in) {
    if (ended) {
      in.release();
      return;
    }
    lastReadNanos = loop.nanoTime();
    partial = partial == null ? in : append(transport.allocator(), partial, in);
    try {
      readFrames();
    } catch (FrameException e) {
      end(incompatible(e.getMessage()));
    } finally {
      if (ended || !partial.isReadable()) {
        releasePartial();
      }
    }
  }

  private void readFrames() throws FrameException {
    while (!ended) {
      int index = partial.readerIndex();
      int frameBytes = Frames.frameBytes(partial, index);
      if (frameBytes == 0 || partial.readableBytes() < frameBytes) {
        return;
      }
      if (Frames.isPing(partial, index)) {
        answerPing(index, frameBytes);
      } else {
        Frames.checkReply(partial, index, frameBytes);
        onFrame(index, frameBytes);
      }
      partial.readerIndex(index + frameBytes);
    }
  }

  /** The server heard nothing for a while, and wants to know whether this client lives. */
  private void answerPing(int index, int frameBytes) throws FrameException {
    Frames.checkRequest(partial, index, frameBytes);
    ByteBuf out = transport.allocator().directBuffer(Frames.HEADER_BYTES);
    Frames.writeReplyHeader(out, FrameType.PING, 0, Frames.frameId(partial, index));
    transport.write(out);
    transport.flush();
  }

  private static ByteBuf append(ByteBufAllocator allocator, ByteBuf partial, ByteBuf in) {
    ByteBuf whole = partial;
    if (partial.writableBytes() < in.readableBytes()) {
      // Twice the size: a large frame that comes in small pieces is not copied for each of them.
      whole = allocator.directBuffer(2 * (partial.readableBytes() + in.readableBytes()));
      whole.writeBytes(partial);
      partial.release();
    }
    whole.writeBytes(in);
    in.release();
    return whole;
  }

  private void onFrame(int index, int frameBytes) throws FrameException {
    if (Frames.isError(partial, index)) {
      onError(index);
    } else if (Frames.isRole(partial, index)) {
      onRole(index, frameBytes);
    } else if (welcome == null) {
      onWelcome(Frames.replyType(partial, index), index, frameBytes);
    } else {
      onReply(Frames.replyType(partial, index), index);
    }
  }

  private void onReply(FrameType type, int index) throws FrameException {
    ArrayDeque<SentFrame> lane = lanes.of(type);
    SentFrame frame = lane.peek();
    int id = Frames.frameId(partial, index);
    if (frame == null
        || frame.type != type
        || frame.id != id
        || (frame.count != Frames.count(partial, index) && type != FrameType.PING)) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME,
          "a reply to "
              + type
              + " frame "
              + id
              + " where "
              + (frame == null
                  ? "none is due"
                  : "that to " + frame.type + " frame " + frame.id + " is due"));
    }
    answered = true;
    // Released first: a caller that gets an answer may at once make the next request.
    int refused = Replies.takeRefused(frame, partial, index, dispatcher::refused);
    dispatcher.intake().release(frame.count - refused);
    try {
      Replies.complete(frame, partial, index, welcome.timestampGap(), settings.isOracle());
    } catch (FrameException e) {
      OracleException cause = incompatible(e.getMessage());
      for (Call<?> call = frame.head; call != null; call = call.next) {
        call.fail(cause.category(), cause.getMessage(), cause);
      }
      throw e;
    } finally {
      lane.poll();
    }
  }

  private void onWelcome(FrameType type, int index, int frameBytes) throws FrameException {
    if (type != FrameType.HELLO) {
      throw new FrameException(ErrorCode.HANDSHAKE, "a reply to " + type + " before the handshake");
    }
    Welcome offer = Handshake.readWelcome(body(index, frameBytes));
    String objection = objection(offer);
    if (objection != null) {
      throw new FrameException(ErrorCode.HANDSHAKE, objection);
    }
    OracleException refusal = member.objection(this, offer);
    if (refusal != null) {
      end(refusal);
      return;
    }
    welcome = offer;
    role = offer.role();
    member.ready(this);
  }

  private ByteBuf body(int index, int frameBytes) {
    return partial.slice(index + Frames.HEADER_BYTES, frameBytes - Frames.HEADER_BYTES);
  }

  private void onRole(int index, int frameBytes) throws FrameException {
    ServerRole changed = Handshake.readRole(body(index, frameBytes));
    if (welcome == null) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "a role before the handshake");
    }
    role = changed;
    member.roleChanged(this);
  }

  private String objection(Welcome offer) {
    if (offer.version() < Handshake.VERSION_MIN || offer.version() > Handshake.VERSION_MAX) {
      return "it chose protocol version "
          + offer.version()
          + ", this client speaks "
          + Handshake.VERSION_MIN
          + " to "
          + Handshake.VERSION_MAX
          + "; upgrade the older side";
    }
    if (offer.mode() != settings.mode()) {
      return "it chose mode " + offer.mode() + " instead of " + settings.mode();
    }
    if (offer.timestampGap() < 1 || offer.rowsMax() < 0 || offer.frameBytesMax() < 1024) {
      return "its limits make no sense: " + offer;
    }
    return null;
  }

  private void onError(int index) throws FrameException {
    ErrorCode code = Frames.errorCode(partial, index);
    if (code != null && code.keepsConnection()) {
      onRefusal(code, index);
      return;
    }
    String message = "answered with error " + code + ": " + Frames.errorText(partial, index);
    boolean ourFault =
        code == ErrorCode.MALFORMED_FRAME
            || code == ErrorCode.TOO_LARGE
            || code == ErrorCode.UNSUPPORTED_VERSION
            || code == ErrorCode.HANDSHAKE;
    end(
        ourFault
            ? new OracleException(Category.INCOMPATIBLE, peer() + message, null)
            : unavailable(message, null));
  }

  /**
   * The next frame of its lane is not answered here: this client may not ask for that, or the
   * server said before that it leads no more.
   */
  private void onRefusal(ErrorCode code, int index) throws FrameException {
    if (welcome == null || role.leads() && code != ErrorCode.NOT_PERMITTED) {
      throw new FrameException(code, "it refuses requests as a standby, and never was one");
    }
    int id = Frames.frameId(partial, index);
    SentFrame frame = lanes.takeNext(id);
    if (frame == null) {
      throw new FrameException(
          ErrorCode.MALFORMED_FRAME, "it refuses frame " + id + " out of turn");
    }
    if (code != ErrorCode.DEPOSED) {
      frame.wasNotSent();
    }
    if (code == ErrorCode.NOT_PERMITTED) {
      answered = true;
      dispatcher.intake().release(frame.count);
      frame.fail(Category.NOT_PERMITTED, peer() + "refuses: " + Frames.errorText(partial, index));
    } else {
      dispatcher.repeat(frame);
    }
  }

  /** It is over, whichever side ended it. */
  public void onClosed() {
    end(
        unavailable(
            welcome == null
                ? "closed the connection during the handshake; is it an oracle?"
                : "closed the connection",
            null));
    releasePartial();
  }

  /** It failed. */
  public void onFailure(Throwable cause) {
    end(unavailable("the connection failed: " + ErrorText.of(cause), cause));
  }

  /** More may be written, or no more for now. */
  public void onWritable() {
    if (wasReady() && !ended && transport.isWritable()) {
      dispatcher.onWake();
    }
  }

  private void releasePartial() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }

  private String peer() {
    return "the server at " + Addresses.text(address) + " ";
  }

  /** It is another oracle than the one that this client is for. */
  OracleException another(OracleIdentity found, OracleIdentity expected) {
    return new OracleException(
        Category.INCOMPATIBLE,
        peer()
            + "is oracle "
            + found
            + ", not "
            + expected
            + ", which this client is for: what it says is about other transactions of the same"
            + " numbers. Correct the address; or, if the oracle was installed anew, restore its"
            + " log, or prepare its tables again (./retso hbase prepare) and restart this client",
        null);
  }

  OracleException unavailable(String what, Throwable cause) {
    return new OracleException(Category.UNAVAILABLE, peer() + what, cause);
  }

  private OracleException incompatible(String what) {
    return new OracleException(
        Category.INCOMPATIBLE,
        peer()
            + "does not speak the protocol of this client ("
            + what
            + "); check that the address is that of an oracle and that both sides have the same"
            + " version",
        null);
  }
}
