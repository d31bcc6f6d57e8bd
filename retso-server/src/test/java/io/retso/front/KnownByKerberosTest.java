package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.front.DeskFixture.Peer;
import io.retso.kdc.TestKdc;
import io.retso.protocol.Authentication;
import io.retso.protocol.Authentication.Reply;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.security.AccessControl;
import io.retso.security.AccessFile;
import io.retso.security.AccessTokens;
import io.retso.security.AccessTokens.Token;
import io.retso.security.Audit;
import io.retso.security.ClusterSecret;
import io.retso.security.Kerberos;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tickets of Kerberos prove at the front, and for how long; the tickets are real ones. */
class KnownByKerberosTest {
  private static final String SERVICE = "retso/oracle";
  private static final Duration LASTS = Duration.ofHours(1);
  private static final String OPTIONAL = "tls optional\nauth optional\n";
  private static final String RULES =
      "name CN (.*) = root\nname KRB ([^/@]+)@RETSO\\.TEST = $1\nmay application app etl\n";

  private final ClusterSecret secret = ClusterSecret.random();
  private long millis = System.currentTimeMillis();
  private final AccessControl access = new AccessControl(false, () -> millis, Audit.NONE);
  private TestKdc kdc;
  private Subject etl;
  private DeskFixture fixture;

  @BeforeEach
  void start() throws Exception {
    kdc = new TestKdc(Files.createTempDirectory("kdc"));
    Path keytab = kdc.add(SERVICE);
    etl = TestKdc.subject("etl", kdc.add("etl"));
    access.use(secret, "log");
    access.use(Kerberos.read(SERVICE, keytab, LASTS));
    access.use(AccessFile.parse("access", OPTIONAL + RULES));
    fixture = new DeskFixture(access);
  }

  @AfterEach
  void stop() throws Exception {
    fixture.close();
    kdc.close();
  }

  private SaslClient client(String speaksFor) throws Exception {
    String[] mechanisms = {Authentication.KERBEROS};
    Map<String, String> properties = Map.of(Sasl.SERVER_AUTH, "true");
    return as(
        () -> Sasl.createSaslClient(mechanisms, speaksFor, "retso", "oracle", properties, null));
  }

  private <T> T as(PrivilegedExceptionAction<T> action) throws Exception {
    return Subject.doAs(etl, action);
  }

  /** Goes on until the server says who it is. */
  private Reply prove(Peer peer, SaslClient client) throws Exception {
    byte[] challenge = {};
    while (true) {
      byte[] asked = challenge;
      byte[] response = as(() -> client.evaluateChallenge(asked));
      peer.authenticate(Authentication.KERBEROS, response == null ? new byte[0] : response);
      ByteBuf frame = peer.replies.remove(0);
      assertEquals(FrameType.AUTH, Frames.replyType(frame, 0));
      Reply reply = Authentication.readReply(frame.skipBytes(Frames.HEADER_BYTES));
      if (reply.done()) {
        return reply;
      }
      assertFalse(client.isComplete(), "the server knows less than the client");
      challenge = reply.bytes();
    }
  }

  private Peer encrypted() throws FrameException {
    return fixture.new Peer("h").encrypted().hello();
  }

  private static void assertEnded(String text, FrameException e) {
    assertEquals(ErrorCode.NOT_AUTHENTICATED, e.code(), e.getMessage());
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }

  private void assertRefused(String text, Peer peer, SaslClient client) {
    assertEnded(text, assertThrows(FrameException.class, () -> prove(peer, client)));
  }

  @Test
  void aTicketSaysWhoItsBearerIs() throws Exception {
    Reply reply = prove(encrypted(), client(null));
    assertEquals("etl", reply.principal());
    assertEquals(LASTS.toMillis(), reply.lastsMillis());
  }

  @Test
  void aClientSpeaksForItselfAlone() throws Exception {
    assertRefused("does not take the client's ticket", encrypted(), client("app@RETSO.TEST"));
  }

  @Test
  void aTicketInClearProvesNothing() throws Exception {
    assertRefused("was sent in clear", fixture.new Peer("h").hello(), client(null));
  }

  @Test
  void linesForCertificatesAreNotForNamesOfKerberos() throws Exception {
    access.use(AccessFile.parse("access", OPTIONAL + "name CN (.*) = root\n"));
    assertRefused("has no line \"name KRB", encrypted(), client(null));
  }

  @Test
  void itCountsForAWhileAndCanBeShownAgain() throws Exception {
    Peer peer = encrypted();
    prove(peer, client(null));
    millis += LASTS.toMillis() - 1;
    peer.conversation.look();
    prove(peer, client(null));
    millis += LASTS.toMillis();
    peer.conversation.look();
    millis++;
    assertEnded(
        "etl has not shown a new ticket of Kerberos",
        assertThrows(FrameException.class, peer.conversation::look));
  }

  /** A ticket that was stolen is not good again because it is shown later. */
  @Test
  void revocationsGoByWhenItsBearerLoggedIn() throws Exception {
    Instant later = Instant.ofEpochMilli(millis).plusSeconds(600);
    String revoked = "revoked principal etl before " + later + "\n";
    access.use(AccessFile.parse("access", OPTIONAL + RULES + revoked));
    millis += 2 * 600_000;
    assertRefused("was revoked", encrypted(), client(null));
  }

  @Test
  void aConnectionIsOfOneForEver() throws Exception {
    Peer peer = encrypted();
    peer.authenticate(new AccessTokens(secret).make(Token.of("app", millis, LASTS.toMillis())));
    peer.replies.clear();
    assertRefused("this connection is that of app", peer, client(null));
  }

  @Test
  void stepsThatAreLookedAtAreOneAtATime() throws Exception {
    Peer peer = encrypted();
    peer.isSlow = true;
    peer.authenticate(Authentication.KERBEROS, new byte[1]);
    FrameException e =
        assertThrows(
            FrameException.class, () -> peer.authenticate(Authentication.KERBEROS, new byte[1]));
    assertEquals(ErrorCode.HANDSHAKE, e.code());
  }

  @Test
  void noiseProvesNothing() throws Exception {
    for (byte[] noise : new byte[][] {{1}, new byte[200]}) {
      Peer peer = encrypted();
      FrameException e =
          assertThrows(
              FrameException.class,
              () -> peer.authenticate(Authentication.KERBEROS, noise),
              noise.length + " bytes");
      assertEquals(ErrorCode.NOT_AUTHENTICATED, e.code());
      assertFalse(e.getMessage().contains("Exception"), e.getMessage());
    }
  }
}
