package io.retso.client;

import static io.retso.client.ClientFixture.clientOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.ScriptedPeer.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads, and connections that are dropped at random before or after a decision. */
@Timeout(120)
class ManyThreadsTest {
  private static final int THREADS = 8;
  private static final int TRANSACTIONS_PER_THREAD = 1_500;

  @Test
  void everyOutcomeIsTheOracles() throws Exception {
    long seed = Long.getLong("retso.seed", System.nanoTime());
    System.out.println("ManyThreadsTest: -Dretso.seed=" + seed);
    WireOracle oracle = new WireOracle();
    AtomicInteger connections = new AtomicInteger();
    try (ScriptedPeer peer =
            new ScriptedPeer(
                wire -> {
                  wire.handshake();
                  Random random = new Random(seed + connections.getAndIncrement());
                  while (true) {
                    Request request = wire.read();
                    int fate = random.nextInt(60);
                    if (fate == 0) {
                      return; // dropped before the decision
                    }
                    long[] answer = oracle.answer(request);
                    if (fate == 1) {
                      return; // and after
                    }
                    wire.reply(request, answer);
                  }
                });
        OracleClient client = clientOf(peer).connections(2).seed(seed).build()) {
      Map<Long, CommitResult> results = new ConcurrentHashMap<>();
      Set<Long> starts = ConcurrentHashMap.newKeySet();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        Random random = new Random(seed ^ t);
        threads.add(
            new Thread(
                () -> {
                  try {
                    for (int i = 0; i < TRANSACTIONS_PER_THREAD; i++) {
                      TransactionHandle start = client.begin();
                      assertTrue(
                          starts.add(start.startTimestamp()), () -> start + " was issued twice");
                      CommitResult result = client.commit(start, random.nextInt(50));
                      results.put(start.startTimestamp(), result);
                      client.cleanedUp(start);
                      assertTrue(oracle.isCleaned(start));
                    }
                  } catch (RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get(), () -> "seed " + seed + ": " + failure.get());
      Map<Long, Long> decided = oracle.decided();
      assertEquals(THREADS * TRANSACTIONS_PER_THREAD, results.size());
      results.forEach(
          (start, result) ->
              assertEquals(CommitResult.of(decided.get(start), 0), result, () -> "seed " + seed));
      assertTrue(oracle.repeats() > 0, "no commit was ever repeated, seed " + seed);
      assertEquals(0, client.outstanding());
    }
  }
}
