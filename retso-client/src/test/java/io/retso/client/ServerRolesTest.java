package io.retso.client;

import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Wire;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client makes of servers that say whether they lead. */
@Timeout(60)
class ServerRolesTest {
  private static final int GAP = Timestamps.GAP;

  private static void greet(Wire wire, ServerRole role) throws IOException, FrameException {
    wire.handshake(
        new Welcome(
            Handshake.VERSION_MAX,
            Handshake.Mode.ORACLE,
            Limits.FRAME_BYTES_MAX,
            Limits.TRANSACTION_ROWS_MAX,
            GAP,
            ScriptedPeer.ORACLE,
            role,
            Authentication.Offer.NONE));
  }

  private static void tell(Wire wire, ServerRole role) throws IOException {
    ByteBuf out = Unpooled.buffer();
    Handshake.writeRoleFrame(out, role);
    wire.send(out);
  }

  private static ServerRole standby(long epoch) {
    return new ServerRole(false, epoch, "", "", List.of());
  }

  /** Whether the commit that a server sent back with an error comes to the next one as a repeat. */
  private static boolean isRepeatedAfter(ErrorCode code) throws Exception {
    CountDownLatch sentBack = new CountDownLatch(1);
    boolean[] repeated = new boolean[1];
    try (ScriptedPeer first =
            new ScriptedPeer(
                wire -> {
                  greet(wire, ServerRole.alone(5));
                  Request commit = wire.read();
                  assertFalse(commit.isRepeated());
                  ByteBuf out = Unpooled.buffer();
                  Handshake.writeRoleFrame(out, standby(6));
                  Frames.writeError(out, commit.id(), code, "ask another one");
                  out.writeBytes(pingFrame());
                  wire.send(out);
                  wire.readRaw(); // the client has read all of it
                  sentBack.countDown();
                  wire.drain();
                });
        ScriptedPeer second =
            new ScriptedPeer(
                wire -> {
                  greet(wire, standby(5));
                  sentBack.await();
                  tell(wire, ServerRole.alone(6));
                  Request commit = wire.read();
                  repeated[0] = commit.isRepeated();
                  wire.reply(commit, 2 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(first, second).build()) {
      assertEquals(2 * GAP, get(client.commitAsync(handle(GAP), 1)).commitTimestamp());
      assertEquals(1, first.accepted(), "the connection goes on");
    }
    return repeated[0];
  }

  @Test
  void whatWasNotDecidedIsAskedAsIfForTheFirstTime() throws Exception {
    assertFalse(isRepeatedAfter(ErrorCode.NOT_LEADER));
  }

  @Test
  void whatMayHaveBeenDecidedIsAskedAsARepetition() throws Exception {
    assertTrue(isRepeatedAfter(ErrorCode.DEPOSED));
  }

  /** It owes an answer, and says nothing: the server that has taken over from it is asked. */
  @Test
  void aHungLeaderIsLeftForItsSuccessorAtOnce() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedPeer hung =
            new ScriptedPeer(
                wire -> {
                  greet(wire, ServerRole.alone(5));
                  wire.read();
                  asked.countDown();
                  wire.drain();
                });
        ScriptedPeer next =
            new ScriptedPeer(
                wire -> {
                  greet(wire, standby(5));
                  asked.await();
                  tell(wire, ServerRole.alone(6));
                  wire.reply(wire.read(), GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(hung, next).build()) {
      assertEquals(handle(GAP), client.begin());
    }
  }

  /** It led and stepped down before the client met the older one, which does not know it yet. */
  @Test
  void aLowerEpochThanThatOfALeaderIsNeverBelieved() throws Exception {
    CountDownLatch stepsDown = new CountDownLatch(1);
    CountDownLatch refused = new CountDownLatch(3);
    try (ScriptedPeer successor =
            new ScriptedPeer(
                wire -> {
                  greet(wire, ServerRole.alone(6));
                  wire.reply(wire.read(), GAP);
                  tell(wire, standby(6));
                  wire.send(pingFrame());
                  wire.readRaw(); // the client has read it
                  stepsDown.countDown();
                  refused.await();
                  tell(wire, ServerRole.alone(7));
                  wire.reply(wire.read(), 2 * GAP);
                  wire.drain();
                });
        ScriptedPeer deposed =
            new ScriptedPeer(
                wire -> {
                  stepsDown.await();
                  greet(wire, ServerRole.alone(5));
                  refused.countDown();
                  wire.reply(wire.read(), 99 * GAP);
                });
        OracleClient client = clientOf(deposed, successor).build()) {
      assertEquals(handle(GAP), client.begin());
      stepsDown.await(); // no request may come between the role and the answer to the ping
      assertEquals(handle(2 * GAP), client.begin());
    }
  }

  private static ByteBuf pingFrame() {
    ByteBuf ping = Unpooled.buffer();
    Frames.writeHeader(ping, FrameType.PING, 0, 77, 0);
    return ping;
  }

  @Test
  void aQuietLeaderIsPingedAgainAndAgain() throws Exception {
    CountDownLatch pings = new CountDownLatch(5);
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  greet(wire, ServerRole.alone(5));
                  wire.reply(wire.read(), GAP);
                  while (true) {
                    Request ping = wire.read();
                    assertEquals(FrameType.PING, ping.type());
                    pings.countDown();
                    wire.reply(ping);
                  }
                });
        OracleClient client = clientOf(peer).pingPeriod(Duration.ofMillis(1)).build()) {
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      assertEquals(handle(GAP), get(begin));
      pings.await();
      assertEquals(0, client.outstanding());
    }
  }
}
