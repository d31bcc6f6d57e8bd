package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.retso.client.OracleException;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import java.util.concurrent.TimeUnit;

/**
 * How a connection begins: HELLO, the server's welcome, and, if the client has a token, AUTH. That
 * is sent again before what it proves ends, also by a token that has been replaced since. Event
 * loop only.
 */
final class Introduction {
  /** Both frames are answered before anything else is asked, or need no order. */
  private static final int FRAME_ID = 0;

  /** What proves who this client is may end soon: it is read again no sooner than this. */
  private static final long RENEWAL_MILLIS_MIN = 1_000;

  private final Connection connection;
  private final ClientSettings settings;
  private final ClientLoop loop;
  private final PeerErrors errors;

  private Transport transport;

  /** Null before the server's welcome. */
  private Welcome welcome;

  private boolean complete;

  /** AUTH was sent, and its reply has not come. */
  private boolean asking;

  Introduction(Connection connection, ClientSettings settings, ClientLoop loop, PeerErrors errors) {
    this.connection = connection;
    this.settings = settings;
    this.loop = loop;
    this.errors = errors;
  }

  /** What the server said; null before. */
  Welcome welcome() {
    return welcome;
  }

  /** Whether requests may follow. */
  boolean isComplete() {
    return complete;
  }

  void begin(Transport opened) {
    transport = opened;
    ByteBuf out = transport.allocator().directBuffer();
    Handshake.writeHello(
        out,
        FRAME_ID,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, settings.mode(), settings.name()));
    transport.write(out);
    transport.flush();
  }

  /** Whether a reply is the introduction's. */
  boolean isAwaiting(FrameType type) {
    return !complete || type == FrameType.AUTH;
  }

  /** Takes a reply that {@link #isAwaiting}. */
  void onReply(FrameType type, ByteBuf body) throws FrameException {
    if (welcome == null && type == FrameType.HELLO) {
      onWelcome(Handshake.readWelcome(body));
    } else if (asking && type == FrameType.AUTH) {
      onKnown(Authentication.readReply(body));
    } else {
      throw new FrameException(
          ErrorCode.HANDSHAKE,
          "a reply to " + type + (complete ? " that is not due" : " during the handshake"));
    }
  }

  private void onWelcome(Welcome offer) throws FrameException {
    String objection = objection(offer);
    if (objection != null) {
      throw new FrameException(ErrorCode.HANDSHAKE, objection);
    }
    OracleException refusal = connection.objection(offer);
    if (refusal != null) {
      connection.end(refusal);
      return;
    }
    welcome = offer;
    Authentication.Offer security = offer.offer();
    if (security.mechanisms().contains(Authentication.TOKEN) && security.principal().isEmpty()) {
      transport.token(this::sayWho);
    } else {
      sayWho(null);
    }
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

  /** Goes on with what proves who this client is; with null if there is nothing. */
  private void sayWho(byte[] token) {
    if (token != null) {
      ask(token);
    } else if (welcome.offer().isDue()) {
      connection.end(
          errors.notAuthenticated(
              "wants to know who this client is: give it a certificate"
                  + (welcome.offer().mechanisms().contains(Authentication.TOKEN)
                      ? " or a token"
                      : ", and TLS,")
                  + " that the oracle knows",
              null));
    } else {
      complete();
    }
  }

  private void ask(byte[] token) {
    asking = true;
    ByteBuf out = transport.allocator().directBuffer();
    Authentication.writeAttempt(
        out, FRAME_ID, new Authentication.Attempt(Authentication.TOKEN, token));
    transport.write(out);
    transport.flush();
  }

  private void onKnown(Authentication.Reply reply) throws FrameException {
    if (!reply.done()) {
      throw new FrameException(ErrorCode.HANDSHAKE, "a token is not enough for it");
    }
    asking = false;
    if (reply.lastsMillis() > 0) {
      long againMillis = Math.max(RENEWAL_MILLIS_MIN, reply.lastsMillis() / 5 * 4);
      loop.schedule(this::renew, TimeUnit.MILLISECONDS.toNanos(againMillis));
    }
    if (!complete) {
      complete();
    }
  }

  private void renew() {
    if (!connection.isOver() && !asking) {
      transport.token(
          token -> {
            if (token != null && !connection.isOver() && !asking) {
              ask(token);
            }
          });
    }
  }

  private void complete() {
    complete = true;
    connection.isReady();
  }
}
