package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.protocol.Vouching;
import io.retso.security.AccessControl;
import io.retso.security.AccessException;
import io.retso.security.Audit;
import io.retso.security.Identity;
import io.retso.security.Kerberos;
import io.retso.text.ErrorText;

/**
 * The client of a conversation: what it says of itself with HELLO, and its name by its certificate,
 * or by what it proves with AUTH. For the sequencer's thread.
 */
final class Introduction {
  /**
   * Bytes of a frame beside what proves the client's identity, its length field included, at most.
   */
  static final int FRAME_BYTES_MAX = 1024;

  private static final String SAY =
      "this oracle wants a client to identify itself before it asks for anything: give it a"
          + " certificate that the oracle knows, a token, or tickets of Kerberos where the oracle"
          + " takes them";

  /** Where replies to AUTH are written, when the client may be identified. */
  interface Replies {
    ByteBuf get() throws FrameException;
  }

  private final FrontDesk.Settings settings;
  private final Transport transport;
  private final Replies replies;

  /** Null until the handshake. */
  private Handshake.Hello hello;

  private int version;

  /** Null until the handshake. */
  private Identity identity;

  /** The client proves its identity by Kerberos; null if it does not at present. */
  private Kerberos.Exchange exchange;

  /** The server looks at a step of it. */
  private boolean looking;

  private long heardNanos;

  Introduction(FrontDesk.Settings settings, Transport transport, Replies replies) {
    this.settings = settings;
    this.transport = transport;
    this.replies = replies;
  }

  /** What the client said of itself; null until the handshake. */
  Handshake.Hello hello() {
    return hello;
  }

  /** The version that is spoken with the client; 0 until the handshake. */
  int version() {
    return version;
  }

  /** The client, as far as it is known; null until the handshake. */
  Identity identity() {
    return identity;
  }

  /** When the client said HELLO, or sent a ping last. */
  long heardNanos() {
    return heardNanos;
  }

  /** It sent a ping. */
  void heard() {
    heardNanos = settings.nanoClock().getAsLong();
  }

  /** Whether a frame may be so large. */
  void checkSize(int frameBytes) throws FrameException {
    boolean isEarly = identity == null || identity.isToSay();
    if (isEarly && frameBytes > FRAME_BYTES_MAX + settings.access().credentialBytesMax()) {
      throw new FrameException(
          ErrorCode.TOO_LARGE, "so large a frame precedes HELLO, or what identifies the client");
    }
  }

  /** Whether the next frame may be of a type. */
  void checkOrder(FrameType type) throws FrameException {
    if (type == FrameType.HELLO) {
      if (hello != null) {
        throw new FrameException(ErrorCode.HANDSHAKE, "a second HELLO");
      }
    } else if (hello == null) {
      throw new FrameException(ErrorCode.HANDSHAKE, "a frame " + type + " precedes HELLO");
    } else if (identity.isToSay() && !identity.may(type)) {
      throw new FrameException(ErrorCode.NOT_AUTHENTICATED, SAY);
    }
  }

  /** Takes HELLO, and the identity that the client has by then. */
  void greet(ByteBuf body) throws FrameException {
    Handshake.Hello theirs = Handshake.readHello(body, body.readableBytes());
    version = Handshake.chooseVersion(theirs.versionMin(), theirs.versionMax());
    try {
      identity = settings.access().greet(transport.peer());
    } catch (AccessException e) {
      throw refused(theirs.clientName(), e);
    }
    hello = theirs;
    heard();
    if (identity.isKnown()) {
      authenticated();
    }
  }

  private FrameException refused(String clientName, AccessException e) {
    record(Audit.Kind.REFUSED, clientName, "text", e.getMessage());
    return new FrameException(ErrorCode.NOT_AUTHENTICATED, e.getMessage());
  }

  private void authenticated() {
    record(Audit.Kind.AUTHENTICATED, hello.clientName(), "roles", identity.roles());
  }

  /** It asked for what it may not. */
  void denied(FrameType type) {
    record(Audit.Kind.DENIED, hello.clientName(), "frame", type);
  }

  /** It brought tickets of transactions that others began. */
  void strange(int requests) {
    record(Audit.Kind.NOT_OWNER, hello.clientName(), "requests", requests);
  }

  /** It reported sweeps, which were believed. */
  void swept(int requests) {
    record(Audit.Kind.SWEPT, hello.clientName(), "requests", requests);
  }

  private void record(Audit.Kind kind, String clientName, String what, Object value) {
    settings
        .access()
        .audit()
        .record(
            Audit.Event.of(kind)
                .of(transport.peer())
                .of(identity)
                .with("client", clientName)
                .with(what, value));
  }

  /** Welcomes the client that was greeted. */
  void welcome(ByteBuf out, int frameId, ServerRole role) throws FrameException {
    Handshake.writeWelcome(
        out,
        frameId,
        new Handshake.Welcome(
            version,
            hello.mode(),
            Limits.FRAME_BYTES_MAX,
            Limits.TRANSACTION_ROWS_MAX,
            Timestamps.GAP,
            settings.oracle().get(),
            role,
            settings.access().offer(transport.peer(), identity)));
  }

  /** Takes AUTH, and answers it now, or when a step that takes long was looked at. */
  void authenticate(ByteBuf body, int frameId) throws FrameException {
    Authentication.Attempt attempt = Authentication.readAttempt(body);
    if (looking) {
      throw new FrameException(ErrorCode.HANDSHAKE, "an AUTH before the answer to the one before");
    }
    try {
      if (attempt.mechanism().equals(Authentication.KERBEROS)) {
        if (exchange == null) {
          exchange = settings.access().beginKerberos(transport.peer());
        }
        looking = true;
        transport.beside(() -> exchange.take(attempt.bytes()), () -> lookAtStep(frameId));
      } else {
        exchange = null;
        prove(settings.access().authenticate(transport.peer(), attempt), frameId);
      }
    } catch (AccessException e) {
      throw refused(hello.clientName(), e);
    }
  }

  private void lookAtStep(int frameId) throws FrameException {
    looking = false;
    Kerberos.Exchange step = exchange;
    try {
      if (step.isComplete()) {
        exchange = null;
        prove(settings.access().ofKerberos(transport.peer(), step), frameId);
      } else {
        Authentication.Reply more = Authentication.Reply.more(step.challenge());
        Authentication.writeReply(replies.get(), frameId, more);
      }
    } catch (AccessException e) {
      throw refused(hello.clientName(), e);
    }
  }

  /** One that is known is known by the same name ever after. */
  private void prove(Identity proved, int frameId) throws FrameException {
    if (identity.isKnown() && !identity.principal().equals(proved.principal())) {
      throw new FrameException(
          ErrorCode.NOT_AUTHENTICATED,
          "this connection is that of "
              + identity.principal()
              + ": open another one for "
              + proved.principal());
    }
    identity = proved;
    authenticated();
    long lastsMillis = settings.access().lastsMillis(identity);
    Authentication.Reply known = Authentication.Reply.known(identity.principal(), lastsMillis);
    Authentication.writeReply(replies.get(), frameId, known);
  }

  /**
   * It vouches for a user of HBase, and gets the user's token, or is told why not.
   *
   * @param body where that of its frame begins
   */
  void vouch(ByteBuf in, int body, ByteBuf out, int frameId) {
    try {
      int bodyBytes = Frames.frameBytes(in, body - Frames.HEADER_BYTES) - Frames.HEADER_BYTES;
      String user = Vouching.readUser(in.slice(body, bodyBytes));
      String token = settings.access().vouch(user);
      record(Audit.Kind.VOUCHED, hello.clientName(), "user", user);
      int bytes = Vouching.bodyBytesOfReply(token);
      Frames.writeHeader(out, FrameType.VOUCH.reply(), 1, frameId, bytes);
      Vouching.writeToken(out, token, AccessControl.VOUCHED_MILLIS);
    } catch (AccessException | FrameException e) {
      String why = ErrorText.of(e);
      record(Audit.Kind.REFUSED, hello.clientName(), "text", why);
      Frames.writeError(out, frameId, ErrorCode.NOT_PERMITTED, why);
    }
  }

  /** What is asked of clients, or what they may do, is something else by now. */
  void look() throws FrameException {
    if (identity == null) {
      return;
    }
    boolean wasToSay = identity.isToSay();
    try {
      identity = settings.access().again(transport.peer(), identity);
    } catch (AccessException e) {
      throw refused(hello.clientName(), e);
    }
    if (identity.isToSay() && !wasToSay) {
      throw new FrameException(ErrorCode.NOT_AUTHENTICATED, SAY);
    }
  }
}
