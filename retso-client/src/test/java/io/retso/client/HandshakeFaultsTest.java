package io.retso.client;

import static io.retso.client.ClientFixture.SHORT;
import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Script;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Mode;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that are no oracle, another oracle, or one that does not want us. */
@Timeout(60)
class HandshakeFaultsTest {
  private final WireOracle oracle = new WireOracle();

  private static Script error(ErrorCode code, String text) {
    return wire -> {
      wire.readHello();
      ByteBuf out = Unpooled.buffer();
      Frames.writeError(out, 0, code, text);
      wire.send(out);
      wire.drain();
    };
  }

  private static Script offer(Welcome welcome) {
    return wire -> {
      wire.handshake(welcome);
      wire.drain();
    };
  }

  /** Fails long before the request's time-out, after one attempt, with a message. */
  private static void assertIncompatible(Script script, String message) throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(script);
        OracleClient client =
            clientOf(peer).backoff(Duration.ofMinutes(1), Duration.ofMinutes(1)).build()) {
      OracleException failure = failureOf(client.commitAsync(handle(16), 1));
      assertEquals(Category.INCOMPATIBLE, failure.category(), "surely not sent, so not unknown");
      assertTrue(failure.getMessage().contains(message), failure::getMessage);
      assertTrue(failure.getMessage().contains(peer.address()), failure::getMessage);
      assertFails(Category.INCOMPATIBLE, client.beginAsync());
      assertEquals(1, peer.accepted(), "no endless attempts");
    }
  }

  @Test
  void whatIsNoOracleIsNamed() throws Exception {
    byte[] http = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    assertIncompatible(
        wire -> {
          wire.send(http);
          wire.drain();
        },
        "check that the address is that of an oracle");
    assertIncompatible(
        wire -> {
          wire.send(new byte[100]);
          wire.drain();
        },
        "check that the address is that of an oracle");
    assertIncompatible(
        wire -> {
          wire.readHello();
          wire.reply(0x82, 1, 0, 16, ScriptedPeer.ticket(16));
          wire.drain();
        },
        "a reply to BEGIN during the handshake");
  }

  @Test
  void versionsMustAgree() throws Exception {
    assertIncompatible(
        error(ErrorCode.UNSUPPORTED_VERSION, "this server speaks 7 to 9"), "speaks 7 to 9");
    for (int other : new int[] {Handshake.VERSION_MIN - 1, Handshake.VERSION_MAX + 1}) {
      assertIncompatible(
          offer(welcome(other, Mode.ORACLE, 1 << 20, 16)),
          "this client speaks "
              + Handshake.VERSION_MIN
              + " to "
              + Handshake.VERSION_MAX
              + "; upgrade the older side");
    }
    assertIncompatible(error(ErrorCode.MALFORMED_FRAME, "no hello of mine"), "no hello of mine");
  }

  @Test
  void welcomeMustMakeSense() throws Exception {
    assertIncompatible(offer(welcome(Handshake.VERSION_MAX, Mode.ECHO, 1 << 20, 16)), "mode");
    assertIncompatible(offer(welcome(Handshake.VERSION_MAX, Mode.ORACLE, 1 << 20, 0)), "no sense");
    assertIncompatible(offer(welcome(Handshake.VERSION_MAX, Mode.ORACLE, 0, 16)), "no sense");
  }

  @Test
  void incompatibleServerMayBeUpgradedWithoutAnewClient() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(error(ErrorCode.UNSUPPORTED_VERSION, "too old"), oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      assertFails(Category.INCOMPATIBLE, client.beginAsync());
      while (true) {
        CompletableFuture<TransactionHandle> begin = client.beginAsync();
        try {
          assertTrue(ClientFixture.get(begin).startTimestamp() > 0);
          break;
        } catch (ExecutionException e) {
          assertFails(Category.INCOMPATIBLE, begin); // still within the pause
        }
      }
    }
  }

  @Test
  void incompatibleAddressDoesNotSpoilAGoodOne() throws Exception {
    try (ScriptedPeer other = new ScriptedPeer(error(ErrorCode.UNSUPPORTED_VERSION, "too old"));
        ScriptedPeer peer = new ScriptedPeer(oracle::serve);
        OracleClient client = clientOf(other, peer).build()) {
      assertTrue(client.begin().startTimestamp() > 0);
    }
  }

  @Test
  void temporaryRefusalsAreTriedAgain() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {},
                error(ErrorCode.TOO_MANY_CONNECTIONS, "full"),
                error(ErrorCode.SHUTTING_DOWN, "bye"),
                oracle::serve);
        OracleClient client = clientOf(peer).build()) {
      assertTrue(client.begin().startTimestamp() > 0);
      assertEquals(4, peer.accepted());
    }
  }

  @Test
  void silenceInTheHandshakeIsGivenUp() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(wire -> wire.drain(), oracle::serve);
        OracleClient client = clientOf(peer).connectTimeout(SHORT).build()) {
      assertTrue(client.begin().startTimestamp() > 0);
    }
    try (ScriptedPeer peer = new ScriptedPeer(wire -> wire.drain());
        OracleClient client =
            clientOf(peer).connectTimeout(Duration.ofMillis(50)).requestTimeout(SHORT).build()) {
      OracleException failure = failureOf(client.beginAsync());
      assertEquals(Category.UNAVAILABLE, failure.category());
      assertTrue(failure.getMessage().contains("did not answer the handshake"), failure::toString);
    }
  }

  @Test
  void deposedOracleIsAvoided() throws Exception {
    CountDownLatch answered = new CountDownLatch(1); // the leader cannot be known before
    try (ScriptedPeer leader =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(5);
                  wire.reply(wire.read(), 16);
                  answered.countDown();
                },
                wire -> {
                  wire.handshake(5);
                  wire.reply(wire.read(), 32);
                  wire.drain();
                });
        ScriptedPeer deposed =
            new ScriptedPeer(
                wire -> {
                  answered.await();
                  wire.handshake(4);
                  beginAlwaysAt(160, wire); // it does not know that it is deposed
                });
        OracleClient client = clientOf(leader, deposed).build()) {
      assertEquals(handle(16), client.begin());
      assertEquals(handle(32), client.begin());
    }
  }

  /** The addresses are those of two oracles, and the first fails. */
  @Test
  void anotherOracleIsNeverTalkedTo() throws Exception {
    OracleIdentity renamed = new OracleIdentity(ScriptedPeer.ORACLE.id(), "renamed");
    OracleIdentity other = new OracleIdentity(new UUID(3, 4), "scripted");
    CountDownLatch met = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedPeer first =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(5);
                  wire.reply(wire.read(), 16);
                  asked.await();
                }, // and hangs up
                wire -> {},
                wire -> {
                  wire.handshake(welcome(renamed));
                  wire.reply(wire.read(), 32);
                  wire.drain();
                });
        ScriptedPeer second =
            new ScriptedPeer(
                wire -> {
                  met.await();
                  wire.handshake(welcome(other));
                });
        OracleClient client = clientOf(first, second).build()) {
      assertEquals(handle(16), client.begin());
      met.countDown();
      assertEquals(ScriptedPeer.ORACLE, client.identity());
      asked.countDown();
      assertEquals(handle(32), client.begin(), "by the one that it began with");
      assertTrue(second.accepted() > 0);
      assertEquals(renamed, client.identity());
    }
  }

  @Test
  void anOracleThatWasInstalledAnewIsNamedWithTheRemedy() throws Exception {
    OracleIdentity anew = new OracleIdentity(new UUID(3, 4), "scripted");
    CountDownLatch committing = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(5);
                  wire.read();
                  committing.await();
                }, // and hangs up
                wire -> wire.handshake(welcome(anew)));
        OracleClient client = clientOf(peer).oracle(ScriptedPeer.ORACLE).build()) {
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(16), 1);
      committing.countDown();
      Throwable lost = assertThrows(ExecutionException.class, commit::get).getCause();
      assertInstanceOf(UnknownOutcomeException.class, lost);
      OracleException e = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.INCOMPATIBLE, e.category());
      String text = e.getMessage();
      assertTrue(text.contains("is oracle " + anew + ", not " + ScriptedPeer.ORACLE), text);
      assertTrue(text.contains("restore its log, or prepare its tables again"), text);
      assertEquals(ScriptedPeer.ORACLE, client.identity(), "nothing else was ever accepted");
    }
  }

  private static Welcome welcome(OracleIdentity oracle) {
    return new Welcome(
        Handshake.VERSION_MAX,
        Mode.ORACLE,
        1 << 20,
        1000,
        16,
        oracle,
        ServerRole.alone(5),
        Authentication.Offer.NONE);
  }

  private static Welcome welcome(int version, Mode mode, int frameBytesMax, int gap) {
    return new Welcome(
        version,
        mode,
        frameBytesMax,
        1000,
        gap,
        ScriptedPeer.ORACLE,
        ServerRole.alone(1),
        Authentication.Offer.NONE);
  }

  /** Its begins would be older than what the successor has committed. */
  @Test
  void connectionToADeposedOracleEndsWhenItsSuccessorIsMet() throws Exception {
    CountDownLatch takenOver = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(4);
                  beginAlwaysAt(16, wire);
                },
                wire -> {
                  takenOver.await();
                  wire.handshake(5);
                  beginAlwaysAt(160, wire);
                },
                wire -> {
                  wire.handshake(4);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).connections(2).build()) {
      assertEquals(handle(16), client.begin());
      takenOver.countDown();
      while (!client.begin().equals(handle(160))) {
        // The successor has not been met yet.
      }
      for (int i = 0; i < 100; i++) {
        assertEquals(handle(160), client.begin());
      }
    }
  }

  private static void beginAlwaysAt(long start, ScriptedPeer.Wire wire)
      throws IOException, FrameException {
    while (true) {
      wire.reply(wire.read(), start);
    }
  }

  @Test
  void aClientAnswersThePingsOfTheServer() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(5);
                  Request begin = wire.read();
                  ByteBuf ping = Unpooled.buffer();
                  Frames.writeHeader(ping, FrameType.PING, 0, 77, 0);
                  wire.send(ping);
                  ByteBuf pong = wire.readRaw();
                  Frames.checkReply(pong, 0, pong.readableBytes());
                  assertEquals(FrameType.PING, Frames.replyType(pong, 0));
                  assertEquals(77, Frames.frameId(pong, 0));
                  wire.reply(begin, 16);
                  answered.countDown();
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      assertEquals(handle(16), client.begin());
      answered.await();
    }
  }

  @Test
  void echoingServersAnswersAreNotJudged() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake(welcome(Handshake.VERSION_MAX, Mode.ECHO, 1 << 20, 16));
                  while (true) {
                    wire.reply(wire.read(), 16);
                  }
                });
        OracleClient client = clientOf(peer).mode(Mode.ECHO).build()) {
      TransactionHandle begun = client.begin();
      assertEquals(handle(16), begun);
      client.commit(begun, 1, 2, 3);
      client.commit(CommitRequest.of(begun).withWrites(1).withReads(2).serializable());
      assertEquals(16, client.safeSnapshot());
      client.status(0, 0);
      client.abort(begun);
      client.cleanedUp(begun);
      client.swept(begun);
    }
  }
}
