package io.retso.client;

import static io.retso.client.ClientFixture.clientOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Holding;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client asks about held snapshots, and makes of the answers. */
@Timeout(60)
class HoldsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /** A client of a server that answers one request. */
  private static OracleException failure(long outcome) throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  wire.reply(wire.read(), outcome);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      return assertThrows(OracleException.class, () -> client.hold("nightly", HOUR));
    }
  }

  private static void assertFails(long outcome, Category category, String remedy) throws Exception {
    OracleException e = failure(outcome);
    assertEquals(category, e.category());
    assertTrue(e.getMessage().contains(remedy), e.getMessage());
  }

  @Test
  void refusalsNameTheRemedy() throws Exception {
    assertFails(Outcome.HOLD_NAME_TAKEN, Category.INVALID_REQUEST, "take another name");
    assertFails(Outcome.HOLDS_FULL, Category.OVERLOADED, "release one");
    assertFails(Outcome.HOLDS_NOT_UNDERSTOOD, Category.INCOMPATIBLE, "upgrade them");
    assertFails(Outcome.OPEN, Category.INCOMPATIBLE, "open in answer to HOLD");
  }

  /** What was lost with its connection is asked again as the same call. */
  @Test
  void aRepetitionHasTheNumberOfItsCall() throws Exception {
    long[] calls = new long[2];
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  calls[0] = Holding.call(wire.read().frame(), Frames.HEADER_BYTES);
                },
                wire -> {
                  wire.handshake();
                  Request again = wire.read();
                  calls[1] = Holding.call(again.frame(), Frames.HEADER_BYTES);
                  assertEquals("nightly", Holding.name(again.frame(), Frames.HEADER_BYTES));
                  wire.reply(again, 10 * Timestamps.GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      assertEquals(10 * Timestamps.GAP, client.hold("nightly", HOUR));
      assertEquals(calls[0], calls[1]);
    }
  }

  @Test
  void renewingAndReleasingSayWhetherItWasHeld() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  for (long outcome : new long[] {Outcome.DONE, Outcome.NOT_HELD}) {
                    for (FrameType type : List.of(FrameType.RENEW, FrameType.RELEASE)) {
                      Request request = wire.read();
                      assertEquals(type, request.type());
                      wire.reply(request, outcome);
                    }
                  }
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      assertTrue(client.renew(32));
      assertTrue(client.release(32));
      assertFalse(client.renew(32));
      assertFalse(client.release(32));
    }
  }

  @Test
  void theListHasAllThatIsKnown() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request request = wire.read();
                  ByteBuf out = Unpooled.buffer();
                  List<Holding.Report> reports =
                      List.of(
                          new Holding.Report("a", 16, 1_000, 5, 999),
                          new Holding.Report("b".repeat(64), 32, 2_000, 6, 0));
                  Holding.writeReports(out, request.count(), request.id(), reports);
                  wire.send(out);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      assertEquals(
          List.of(
              new Hold("a", 16, Duration.ofSeconds(1), Instant.ofEpochMilli(5), millis(999)),
              new Hold("b".repeat(64), 32, millis(2_000), Instant.ofEpochMilli(6), millis(0))),
          client.holds());
    }
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  /** To an older server the request would be no frame, and the connection would end. */
  @Test
  void anOlderServerIsNotAsked() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshakeOf(Handshake.HOLDS - 1);
                  Request begin = wire.read();
                  assertEquals(FrameType.BEGIN, begin.type());
                  wire.reply(begin, 160);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      OracleException e = assertThrows(OracleException.class, () -> client.hold("nightly", HOUR));
      assertEquals(Category.INCOMPATIBLE, e.category());
      assertTrue(e.getMessage().contains("version 2 of the protocol"), e.getMessage());
      assertEquals(
          Category.INCOMPATIBLE, assertThrows(OracleException.class, client::holds).category());
      assertEquals(160, client.begin().startTimestamp());
      assertEquals(1, peer.accepted());
    }
  }

  @Test
  void wrongNamesAndTimesAreRefusedAtOnce() throws Exception {
    try (OracleClient client = OracleClient.builder().address("127.0.0.1:1").build()) {
      for (String name : List.of("", "two words", "n".repeat(65), "n\u00e4chtlich")) {
        assertThrows(IllegalArgumentException.class, () -> client.holdAsync(name, HOUR), name);
      }
      for (Duration ttl :
          List.of(Duration.ZERO, millis(999), Duration.ofDays(30).plusMillis(1), forever())) {
        assertThrows(IllegalArgumentException.class, () -> client.holdAsync("a", ttl));
      }
      assertThrows(IllegalArgumentException.class, () -> client.renewAsync(17));
    }
  }

  private static Duration forever() {
    return Duration.ofSeconds(Long.MAX_VALUE);
  }
}
