package io.retso.client;

import static io.retso.client.ClientFixture.assertFails;
import static io.retso.client.ClientFixture.clientOf;
import static io.retso.client.ClientFixture.get;
import static io.retso.client.ClientFixture.servingOnce;
import static io.retso.client.ScriptedPeer.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException.Category;
import io.retso.protocol.FrameType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosingTest {
  @Test
  void everyFutureCompletes() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    try (ScriptedPeer peer =
        new ScriptedPeer(
            wire -> {
              wire.handshake();
              wire.read();
              wire.read();
              sent.countDown();
              wire.drain();
            })) {
      OracleClient client = clientOf(peer).build();
      CompletableFuture<TransactionHandle> begin = client.beginAsync();
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(16), 1);
      sent.await();
      client.close();
      assertTrue(begin.isDone() && commit.isDone());
      assertFails(Category.CLOSED, begin);
      assertFails(Category.UNKNOWN_OUTCOME, commit);
      client.close();
    }
  }

  @Test
  void commitThatNeverLeftIsClosedNotUnknown() throws Exception {
    try (ScriptedPeer peer = new ScriptedPeer(wire -> wire.drain())) {
      OracleClient client = clientOf(peer).build();
      CompletableFuture<CommitResult> commit = client.commitAsync(handle(16), 1);
      client.close();
      assertTrue(commit.isDone());
      assertFails(Category.CLOSED, commit);
    }
  }

  @Test
  void whatWasInNoHurryIsSentBeforeTheClose() throws Exception {
    CountDownLatch answered = new CountDownLatch(2);
    try (ScriptedPeer peer =
        new ScriptedPeer(
            wire -> {
              wire.handshake();
              wire.reply(wire.read(), 160);
              for (int i = 0; i < 2; i++) {
                ScriptedPeer.Request report = wire.read();
                boolean isEnd = report.type() == FrameType.COMMIT;
                assertEquals(160, isEnd ? report.commits()[0][0] : report.start(0));
                answered.countDown();
              }
              wire.drain();
            })) {
      OracleClient client = clientOf(peer).build();
      TransactionHandle start = client.begin();
      client.endLater(start);
      client.cleanedUpLater(start);
      client.close();
      answered.await();
    }
  }

  @Test
  void callsAfterCloseFailAtOnce() throws Exception {
    OracleClient client = OracleClient.builder().address("127.0.0.1:1").build();
    client.close();
    assertTrue(client.beginAsync().isDone());
    assertFails(Category.CLOSED, client.beginAsync());
    assertFails(Category.CLOSED, client.commitAsync(handle(16), 1));
    assertEquals(0, client.outstanding());
  }

  @Test
  void closingOnTheEventLoopDoesNotWaitForItself() throws Exception {
    WireOracle oracle = new WireOracle();
    CountDownLatch attached = new CountDownLatch(1);
    try (ScriptedPeer peer = servingOnce(attached, oracle)) {
      OracleClient client = clientOf(peer).build();
      CompletableFuture<Void> closed = client.beginAsync().thenAccept(start -> client.close());
      attached.countDown();
      get(closed);
      assertFails(Category.CLOSED, client.beginAsync());
    }
  }

  @Test
  void callersThatRaceWithCloseAreAllAnswered() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve)) {
      for (int round = 0; round < 30; round++) {
        OracleClient client = clientOf(peer).build();
        ConcurrentLinkedQueue<CompletableFuture<TransactionHandle>> calls =
            new ConcurrentLinkedQueue<>();
        CountDownLatch running = new CountDownLatch(3);
        List<Thread> callers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
          callers.add(
              new Thread(
                  () -> {
                    CompletableFuture<TransactionHandle> call;
                    do {
                      call = client.beginAsync();
                      calls.add(call);
                      running.countDown();
                    } while (!call.isCompletedExceptionally());
                  }));
        }
        callers.forEach(Thread::start);
        running.await();
        client.close();
        for (Thread caller : callers) {
          caller.join();
        }
        for (CompletableFuture<TransactionHandle> call : calls) {
          assertTrue(call.isDone());
        }
        assertEquals(0, client.outstanding());
      }
    }
  }

  @Test
  void theEventLoopEndsWithTheClient() throws Exception {
    WireOracle oracle = new WireOracle();
    try (ScriptedPeer peer = new ScriptedPeer(oracle::serve)) {
      OracleClient client = clientOf(peer).name("to-be-closed").build();
      client.begin();
      List<Thread> threads = threadsOf("to-be-closed");
      assertFalse(threads.isEmpty());
      client.close();
      for (Thread thread : threads) {
        thread.join(); // close() waits for what the loop does; its thread ends just after that
      }
    }
  }

  private static List<Thread> threadsOf(String client) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(client))
        .toList();
  }
}
