package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection begins: HELLO, the server's welcome, and, if the client has a token or tickets
 * of Kerberos, AUTH. That is sent again before what it proves ends, also by a token that has been
 * replaced since. Event loop only.
 */
final class Introduction {
  /** Both frames are answered before anything else is asked, or need no order. */
  private static final int FRAME_ID = 0;

  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);

  /** What proves this client's identity may end soon: it is read again no sooner than this. */
  private static final long RENEWAL_MILLIS_MIN = 1_000;

  private static final byte[] NOTHING = new byte[0];

  private final Connection connection;
  private final ClientSettings settings;
  private final ClientLoop loop;
  private final PeerErrors errors;

  private Transport transport;

  /** Null before the server's welcome. */
  private Welcome welcome;

  private boolean complete;

  /** It proves its identity; null if it does not at present. */
  private Proof proof;

  /** AUTH frames that were sent for that. */
  private int rounds;

  /** For how long the last one counts; 0 for ever. */
  private long lastsMillis;

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
    } else if (proof != null && type == FrameType.AUTH) {
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
    if (!security.mechanisms().isEmpty() && security.principal().isEmpty()) {
      transport.proof(security.mechanisms(), this::sayWho);
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

  /** Goes on with what proves this client's identity; with null if there is nothing. */
  private void sayWho(Proof begun) {
    if (begun != null) {
      prove(begun);
    } else if (welcome.offer().isDue()) {
      connection.end(
          errors.notAuthenticated(
              "wants this client to identify itself: give it a certificate"
                  + others(welcome.offer())
                  + " that the oracle knows",
              null));
    } else {
      complete();
    }
  }

  private static String others(Authentication.Offer offer) {
    if (offer.mechanisms().isEmpty()) {
      return ", and TLS,";
    }
    return offer.mechanisms().contains(Authentication.KERBEROS)
        ? ", a token or tickets of Kerberos"
        : " or a token";
  }

  private void prove(Proof begun) {
    proof = begun;
    rounds = 0;
    step(NOTHING);
  }

  private void step(byte[] challenge) {
    rounds++;
    proof.next(
        challenge,
        (bytes, failure) -> {
          if (connection.isOver()) {
            return;
          }
          if (failure != null) {
            failed(failure);
          } else {
            ask(bytes);
          }
        });
  }

  private void ask(byte[] bytes) {
    ByteBuf out = transport.allocator().directBuffer();
    Authentication.writeAttempt(
        out, FRAME_ID, new Authentication.Attempt(proof.mechanism(), bytes));
    transport.write(out);
    transport.flush();
  }

  /** What was proved before counts for a while yet. */
  private void failed(ProofException failure) {
    proof = null;
    if (!complete) {
      connection.end(
          failure.passes()
              ? errors.unavailable("cannot identify this client: " + failure.getMessage(), failure)
              : errors.notAuthenticated(
                  "cannot identify this client: " + failure.getMessage(), failure));
    } else {
      LOG.warn("{}; this is tried again", failure.getMessage());
      renewIn(lastsMillis / 20);
    }
  }

  private void onKnown(Authentication.Reply reply) throws FrameException {
    if (!reply.done()) {
      if (proof.mechanism().equals(Authentication.TOKEN)) {
        throw new FrameException(ErrorCode.HANDSHAKE, "a token is not enough for it");
      }
      if (rounds == Limits.AUTHENTICATION_ROUNDS_MAX) {
        throw new FrameException(ErrorCode.HANDSHAKE, "so many rounds are not enough for it");
      }
      step(reply.bytes());
      return;
    }
    proof = null;
    lastsMillis = reply.lastsMillis();
    if (lastsMillis > 0) {
      renewIn(lastsMillis / 5 * 4);
    }
    if (!complete) {
      complete();
    }
  }

  private void renewIn(long millis) {
    long againMillis = Math.max(RENEWAL_MILLIS_MIN, millis);
    loop.schedule(this::renew, TimeUnit.MILLISECONDS.toNanos(againMillis));
  }

  private void renew() {
    if (!connection.isOver() && proof == null) {
      transport.proof(
          welcome.offer().mechanisms(),
          begun -> {
            if (begun != null && !connection.isOver() && proof == null) {
              prove(begun);
            }
          });
    }
  }

  private void complete() {
    complete = true;
    connection.isReady();
  }
}
