package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.security.AccessException;
import io.retso.security.Audit;
import io.retso.security.Identity;
import io.retso.security.Kerberos;

/**
 * The client of a conversation: what the client says of itself with HELLO, and who it is by its
 * certificate, or by what it proves with AUTH. Of the sequencer's thread.
 */
final class Introduction {
  /** Bytes of a frame beside what proves who the client is, its length field included, at most. */
  static final int FRAME_BYTES_MAX = 1024;

  private static final String SAY =
      "this oracle wants to know who a client is before it asks for anything: give it a certificate"
          + " that the oracle knows, a token, or tickets of Kerberos where the oracle takes them";

  private final FrontDesk.Settings settings;
  private final Transport transport;

  /** Null until the handshake. */
  private Handshake.Hello hello;

  /** Null until the handshake. */
  private Identity identity;

  /** The client proves by Kerberos who it is; null if it does not at present. */
  private Kerberos.Exchange exchange;

  /** The server looks at a step of it. */
  private boolean looking;

  private long heardNanos;

  Introduction(FrontDesk.Settings settings, Transport transport) {
    this.settings = settings;
    this.transport = transport;
  }

  /** What the client said of itself; null until the handshake. */
  Handshake.Hello hello() {
    return hello;
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
          ErrorCode.TOO_LARGE, "so large a frame precedes HELLO, or what says who the client is");
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

  /** Takes HELLO: who the client is by then. */
  void greet(ByteBuf body) throws FrameException {
    Handshake.Hello theirs = Handshake.readHello(body, body.readableBytes());
    Handshake.chooseVersion(theirs.versionMin(), theirs.versionMax());
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
            Handshake.chooseVersion(hello.versionMin(), hello.versionMax()),
            hello.mode(),
            Limits.FRAME_BYTES_MAX,
            Limits.TRANSACTION_ROWS_MAX,
            Timestamps.GAP,
            settings.oracle().get(),
            role,
            settings.access().offer(transport.peer(), identity)));
  }

  /** Hears what comes of AUTH. */
  interface Listener {
    /** It is known who the client is. */
    void known() throws FrameException;

    /** The client is to go on. */
    void more(byte[] challenge);
  }

  /** Takes AUTH, and says then or later what comes of it. */
  void authenticate(ByteBuf body, Listener listener) throws FrameException {
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
        transport.beside(() -> exchange.take(attempt.bytes()), () -> lookAtStep(listener));
      } else {
        exchange = null;
        prove(settings.access().authenticate(transport.peer(), attempt), listener);
      }
    } catch (AccessException e) {
      throw refused(hello.clientName(), e);
    }
  }

  private void lookAtStep(Listener listener) throws FrameException {
    looking = false;
    Kerberos.Exchange step = exchange;
    try {
      if (step.isComplete()) {
        exchange = null;
        prove(settings.access().ofKerberos(transport.peer(), step), listener);
      } else {
        listener.more(step.challenge());
      }
    } catch (AccessException e) {
      throw refused(hello.clientName(), e);
    }
  }

  /** One that is known is known by the same name ever after. */
  private void prove(Identity proved, Listener listener) throws FrameException {
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
    listener.known();
  }

  /** For how long it counts what the client has proved. */
  long lastsMillis() {
    return settings.access().lastsMillis(identity);
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
