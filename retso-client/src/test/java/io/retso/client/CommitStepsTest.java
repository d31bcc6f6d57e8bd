package io.retso.client;

import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.failureOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.client.OracleException.Category;
import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Script;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.Outcome;
import io.retso.protocol.Steps;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits that ask how long their steps took. */
@Timeout(60)
class CommitStepsTest {
  private static final long GAP = Timestamps.GAP;
  private static final CommitRequest PLAIN = CommitRequest.of(handle(GAP)).withWrites(7);

  /** A reply to a frame of commits with outcomes, and steps. */
  private static ByteBuf reply(Request request, long[] outcomes, long... steps) {
    ByteBuf out = request.reply(outcomes);
    Steps.add(out, 0);
    for (int i = 0; i < steps.length; i++) {
      Steps.set(out, 0, i, steps[i]);
    }
    return out;
  }

  private static Script once(long[] outcomes, long... steps) {
    return wire -> {
      wire.handshake();
      wire.send(reply(wire.read(), outcomes, steps));
      wire.drain();
    };
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Test
  void whatTheServerSaysIsTold() throws Exception {
    for (CommitRequest request : new CommitRequest[] {PLAIN, PLAIN.withReads(8).serializable()}) {
      for (long outcome : new long[] {2 * GAP, Outcome.ABORTED_CONFLICT}) {
        try (ScriptedPeer peer = new ScriptedPeer(once(new long[] {outcome}, 0, 1_234_567, 8));
            OracleClient client = clientOf(peer).build()) {
          CommitResult result = client.commit(request.withSteps());
          assertEquals(outcome > 0, result.isCommitted());
          CommitSteps steps = new CommitSteps(Duration.ZERO, micros(1_234_567), micros(8));
          assertEquals(Optional.of(steps), result.steps());
        }
      }
    }
  }

  /** Those that do not ask travel with one that does, and learn nothing. */
  @Test
  void onlyWhatAsksIsTold() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Request commits = wire.read(); // they have waited for the handshake
                  assertEquals(2, commits.count());
                  assertTrue(Steps.areIn(commits.frame(), 0));
                  wire.send(reply(commits, new long[] {6 * GAP, 7 * GAP}, 1, 2, 3));
                  Request alone = wire.read();
                  assertFalse(Steps.areIn(alone.frame(), 0));
                  wire.reply(alone, 8 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<CommitResult> asks = client.commitAsync(PLAIN.withSteps());
      CompletableFuture<CommitResult> other =
          client.commitAsync(CommitRequest.of(handle(2 * GAP)).withWrites(8));
      assertTrue(get(asks).steps().isPresent());
      assertEquals(Optional.empty(), get(other).steps());
      assertEquals(Optional.empty(), client.commit(PLAIN).steps());
    }
  }

  /** To an older server the flag would be a fault, and the connection would end. */
  @Test
  void anOlderServerIsNotAsked() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshakeOf(Handshake.STEPS - 1);
                  Request commit = wire.read();
                  assertEquals(FrameType.COMMIT, commit.type());
                  assertFalse(Steps.areIn(commit.frame(), 0));
                  wire.reply(commit, 2 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      CommitResult result = client.commit(PLAIN.withSteps());
      assertEquals(2 * GAP, result.commitTimestamp());
      assertEquals(Optional.empty(), result.steps());
    }
  }

  @Test
  void aServerThatDoesNotSayItIsHeard() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  wire.reply(wire.read(), 2 * GAP);
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      assertEquals(Optional.empty(), client.commit(PLAIN.withSteps()).steps());
    }
  }

  @Test
  void whatMakesNoSenseEndsTheConnection() throws Exception {
    long[][] wrong = {{-1, 0, 0}, {0, Limits.STEP_MICROS_MAX + 1, 0}, {0, 0, Long.MIN_VALUE}};
    for (long[] steps : wrong) {
      assertRefused(PLAIN.withSteps(), steps);
    }
    assertRefused(PLAIN, 1, 2, 3); // it did not ask
  }

  /** The outcome is open: the request was sent, and what came is no answer. */
  private static void assertRefused(CommitRequest request, long... steps) throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(once(new long[] {2 * GAP}, steps));
        OracleClient client = clientOf(peer).requestTimeout(Duration.ofSeconds(2)).build()) {
      OracleException failure = failureOf(client.commitAsync(request));
      assertEquals(Category.UNKNOWN_OUTCOME, failure.category(), failure::toString);
      assertTrue(failure.getMessage().contains("step"), failure::getMessage);
    }
  }
}
