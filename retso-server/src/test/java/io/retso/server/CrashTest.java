package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The server is killed with -9 in the middle of the load and started again: no acknowledged commit
 * is lost, no timestamp comes twice, no commit whose reply was lost is misreported.
 */
class CrashTest {
  private static final int ROUNDS = 3;
  private static final int WORKERS = 4;
  private static final int COMMITS_BEFORE_KILL = 2_000;
  private static final int ROWS = 500;
  private static final String[] SMALL = {
    "--rows=1M", "--window-timestamps=1048576", "--reservation-timestamps=16384"
  };

  @TempDir Path directory;

  private record Commit(TransactionHandle handle, long[] rows) {
    long start() {
      return handle.startTimestamp();
    }
  }

  private final Map<Commit, Long> acknowledged = new ConcurrentHashMap<>();
  private final Set<Long> timestamps = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Throwable> trouble = new AtomicReference<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final Semaphore commits = new Semaphore(0);

  @Test
  @Timeout(300)
  void acknowledgedCommitsSurviveKillNine() throws Exception {
    ServerProcess server = ServerProcess.start(directory, 0, SMALL);
    int port = server.port();
    List<Thread> workers = new ArrayList<>();
    try (OracleClient client =
        OracleClient.builder()
            .address("127.0.0.1:" + port)
            .requestTimeout(Duration.ofSeconds(120))
            .build()) {
      for (int i = 0; i < WORKERS; i++) {
        long seed = 17 * i;
        Thread worker = new Thread(() -> work(client, new SplittableRandom(seed)), "worker-" + i);
        worker.start();
        workers.add(worker);
      }
      for (int round = 0; round < ROUNDS; round++) {
        commits.acquire(COMMITS_BEFORE_KILL);
        server.kill();
        server = ServerProcess.start(directory, port, SMALL);
      }
      commits.acquire(COMMITS_BEFORE_KILL);
      stop.set(true);
      for (Thread worker : workers) {
        worker.join();
      }
      assertEquals(null, trouble.get(), () -> "a worker failed: " + trouble.get());
      verify(client);
    } finally {
      stop.set(true);
      server.close();
    }
  }

  private void work(OracleClient client, SplittableRandom random) {
    try {
      while (!stop.get()) {
        TransactionHandle start = client.begin();
        assertTrue(
            timestamps.add(start.startTimestamp()),
            () -> "start timestamp " + start + " came twice");
        long[] rows = random.longs(random.nextInt(1, 6), 1, ROWS).toArray();
        CommitResult result = client.commit(start, rows);
        if (result.isCommitted()) {
          long commit = result.commitTimestamp();
          assertTrue(timestamps.add(commit), () -> "commit timestamp " + commit + " came twice");
          acknowledged.put(new Commit(start, rows), commit);
          if (random.nextBoolean()) {
            client.cleanedUp(start);
          }
        }
        commits.release();
      }
    } catch (OracleException | AssertionError e) {
      trouble.compareAndSet(null, e);
      commits.release(ROUNDS * COMMITS_BEFORE_KILL * 2);
    }
  }

  private void verify(OracleClient client) {
    long reader = client.timestamp();
    Map<Commit, CompletableFuture<TransactionStatus>> status = new HashMap<>();
    Map<Commit, CompletableFuture<CommitResult>> tooLate = new HashMap<>();
    for (Commit commit : acknowledged.keySet()) { // all at once: an answer each would take minutes
      status.put(commit, client.statusAsync(commit.start(), reader));
      tooLate.put(commit, client.abortAsync(commit.handle));
    }
    acknowledged.forEach(
        (commit, timestamp) -> {
          assertEquals(timestamp.longValue(), status.get(commit).join().commitTimestamp());
          assertEquals(
              timestamp.longValue(),
              tooLate.get(commit).join().commitTimestamp(),
              "it is too late to abort");
        });
    // First-committer-wins, by the acknowledgements alone: no lives with a common row overlap.
    Map<Long, List<long[]>> lives = new ConcurrentHashMap<>();
    acknowledged.forEach(
        (commit, timestamp) -> {
          for (long row : new HashSet<>(Arrays.stream(commit.rows).boxed().toList())) {
            lives
                .computeIfAbsent(row, r -> new ArrayList<>())
                .add(new long[] {commit.start(), timestamp});
          }
        });
    lives.forEach(
        (row, list) -> {
          list.sort((a, b) -> Long.compare(a[1], b[1]));
          for (int i = 1; i < list.size(); i++) {
            assertTrue(
                list.get(i - 1)[1] < list.get(i)[0], "two commits of row " + row + " overlap");
          }
        });
  }
}
