package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.call.CallList;
import io.retso.client.call.FrameWriter;
import io.retso.client.call.Lanes;
import io.retso.client.call.Replies;
import io.retso.client.call.SentFrame;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.ServerRole;
import io.retso.text.Durations;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;

/**
 * One TCP connection from its first byte to its last: handshake, then request frames out and reply
 * frames in. Event loop only. Lives for one connection; its {@link Member} makes the next one.
 */
public final class Connection {
  public final InetSocketAddress address;

  private final Member member;
  private final ClientSettings settings;
  private final Dispatcher dispatcher;
  private final ClientLoop loop;
  private final PeerErrors errors;
  private final Introduction introduction;
  private final Lanes lanes = new Lanes();

  private Transport transport;

  /** What the server said last of itself; null until the handshake is complete. */
  private ServerRole role;

  /** Bytes of a frame that is not complete; null if there are none. */
  private ByteBuf partial;

  private int nextFrameId = 1;
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
    this.errors = new PeerErrors(address);
    this.introduction = new Introduction(this, settings, loop, errors);
  }

  /** Whether the handshake was ever completed. */
  public boolean wasReady() {
    return introduction.isComplete();
  }

  boolean isWritable() {
    return transport.isWritable();
  }

  Welcome welcome() {
    return introduction.welcome();
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
      int version = welcome().version();
      SentFrame frame = FrameWriter.take(calls, nextFrameId++, nowNanos, version);
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
      SentFrame frame = SentFrame.ping(nextFrameId++, nowNanos);
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
    introduction.begin(transport);
    loop.schedule(this::checkHandshake, settings.connectTimeoutNanos());
  }

  /** It cannot be connected. */
  public void onUnreachable(Throwable cause) {
    end(errors.unavailable("cannot be reached: " + ErrorText.of(cause), cause));
  }

  /** What this client needs to prove its identity, or to know the server, cannot be used. */
  public void onUntrusted(Exception cause) {
    end(errors.notAuthenticated("is not connected to: " + ErrorText.of(cause), cause));
  }

  private void checkHandshake() {
    if (!wasReady()) {
      end(
          errors.unavailable(
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
      end(errors.incompatible(e.getMessage()));
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
    } else if (introduction.isAwaiting(Frames.replyType(partial, index))) {
      introduction.onReply(Frames.replyType(partial, index), body(index, frameBytes));
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
      Replies.complete(frame, partial, index, welcome().timestampGap(), settings.isOracle());
    } catch (FrameException e) {
      OracleException cause = errors.incompatible(e.getMessage());
      frame.fail(cause.category(), cause.getMessage(), cause);
      throw e;
    } finally {
      lane.poll();
    }
  }

  /** Why this client must not talk to a server that offers that; null if it may. */
  OracleException objection(Welcome offer) {
    OracleException refusal = member.objection(this, offer);
    role = refusal == null ? offer.role() : null;
    return refusal;
  }

  /** The introduction is complete. */
  void isReady() {
    member.ready(this);
  }

  boolean isOver() {
    return ended;
  }

  private ByteBuf body(int index, int frameBytes) {
    return partial.slice(index + Frames.HEADER_BYTES, frameBytes - Frames.HEADER_BYTES);
  }

  private void onRole(int index, int frameBytes) throws FrameException {
    ServerRole changed = Handshake.readRole(body(index, frameBytes));
    if (welcome() == null) {
      throw new FrameException(ErrorCode.MALFORMED_FRAME, "a role before the handshake");
    }
    role = changed;
    if (wasReady()) {
      member.roleChanged(this);
    }
  }

  private void onError(int index) throws FrameException {
    ErrorCode code = Frames.errorCode(partial, index);
    if (code != null && code.keepsConnection()) {
      onRefusal(code, index);
      return;
    }
    if (code == ErrorCode.NOT_AUTHENTICATED) {
      end(
          errors.notAuthenticated(
              "refuses: " + Visible.of(Frames.errorText(partial, index)), null));
      return;
    }
    String message =
        "answered with error " + code + ": " + Visible.of(Frames.errorText(partial, index));
    boolean ourFault =
        code == ErrorCode.MALFORMED_FRAME
            || code == ErrorCode.TOO_LARGE
            || code == ErrorCode.UNSUPPORTED_VERSION
            || code == ErrorCode.HANDSHAKE;
    end(ourFault ? errors.faulty(message) : errors.unavailable(message, null));
  }

  /**
   * The next frame of its lane is not answered here: this client may not ask for that, or the
   * server said before that it leads no more.
   */
  private void onRefusal(ErrorCode code, int index) throws FrameException {
    if (!wasReady() || role.leads() && code != ErrorCode.NOT_PERMITTED) {
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
      frame.fail(
          Category.NOT_PERMITTED,
          errors.notPermitted(Visible.of(Frames.errorText(partial, index))),
          null);
    } else {
      dispatcher.repeat(frame);
    }
  }

  /** It is over, whichever side ended it. */
  public void onClosed() {
    end(
        errors.unavailable(
            !wasReady()
                ? "closed the connection during the handshake; is it an oracle?"
                : "closed the connection",
            null));
    releasePartial();
  }

  /** It failed. */
  public void onFailure(Throwable cause) {
    end(errors.failed(cause));
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

  PeerErrors errors() {
    return errors;
  }
}
