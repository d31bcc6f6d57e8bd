package io.retso.client;

import static io.retso.client.ClientFixture.SHORT;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ClientFixture.servingOnce;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException.Category;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Methods that wait for their answer: where they must not, and how they end. */
@Timeout(60)
class BlockingTest {
  private static final int GAP = Timestamps.GAP;

  @Test
  void blockingOnTheEventLoopFailsInsteadOfHanging() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch attached = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(attached, oracle);
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> nested =
          client.beginAsync().thenApply(start -> client.begin());
      attached.countDown();
      ExecutionException e = assertThrows(ExecutionException.class, () -> get(nested));
      assertInstanceOf(IllegalStateException.class, e.getCause());
      assertTrue(client.begin().startTimestamp() > 0);
    }
  }

  /** Two clients could wait for each other's loops. */
  @Test
  void blockingOnTheEventLoopOfAnotherClientFails() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch attached = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(attached, oracle);
        ScriptedPeer otherPeer = new ScriptedPeer(oracle::serve);
        OracleClient other = clientOf(otherPeer).build();
        OracleClient client = clientOf(peer).build()) {
      CompletableFuture<TransactionHandle> nested =
          client.beginAsync().thenApply(start -> other.begin());
      attached.countDown();
      ExecutionException e = assertThrows(ExecutionException.class, () -> get(nested));
      assertInstanceOf(IllegalStateException.class, e.getCause());
      assertTrue(other.begin().startTimestamp() > 0);
    }
  }

  /** The deadline is the loop's, which cannot see to it. */
  @Test
  void blockingTwinsEndThoughACallbackBlocksTheEventLoop() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch attached = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(attached, oracle);
        OracleClient client = clientOf(peer).requestTimeout(SHORT).build()) {
      client
          .beginAsync()
          .thenRun(
              () -> {
                blocked.countDown();
                try {
                  over.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      attached.countDown();
      blocked.await();
      OracleException begin = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.TIMEOUT, begin.category());
      assertTrue(begin.getMessage().contains("a callback blocks it"), begin.getMessage());
      assertThrows(UnknownOutcomeException.class, () -> client.commit(handle(Timestamps.GAP), 1));
      over.countDown();
      assertTrue(client.begin().startTimestamp() > 0, "it goes on");
    } finally {
      over.countDown();
    }
  }

  @Test
  void blockingTwinsThrowWithTheCallersStack() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  wire.reply(wire.read(), Outcome.INVALID_TIMESTAMP);
                });
        OracleClient client = clientOf(peer).build()) {
      OracleException e = assertThrows(OracleException.class, () -> client.commit(handle(GAP)));
      List<String> methods = new ArrayList<>();
      for (StackTraceElement element : e.getStackTrace()) {
        methods.add(element.getMethodName());
      }
      assertTrue(methods.contains("commit"), methods::toString);
    }
  }

  @Test
  void interruptedCommitIsOfUnknownOutcome() throws Exception {
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  wire.drain();
                });
        OracleClient client = clientOf(peer).build()) {
      Thread.currentThread().interrupt();
      assertThrows(UnknownOutcomeException.class, () -> client.commit(handle(GAP)));
      assertTrue(Thread.interrupted(), "the flag is set again");
      Thread.currentThread().interrupt();
      OracleException e = assertThrows(OracleException.class, client::begin);
      assertTrue(Thread.interrupted());
      assertEquals(Category.INTERRUPTED, e.category());
    }
  }
}
