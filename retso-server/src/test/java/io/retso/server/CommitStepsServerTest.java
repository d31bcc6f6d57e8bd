package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.CommitSteps;
import io.retso.client.OracleClient;
import io.retso.server.config.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a real log says how long the steps of a commit took. */
@Timeout(120)
class CommitStepsServerTest {
  private static final int COMMITS = 50;

  @TempDir private Path dir;

  @Test
  void theStepsTakeNoLongerThanTheCommitDoesForTheClient() throws Exception {
    try (RetsoServer server =
            RetsoServer.start(TestServers.small().set(Settings.DATA_DIR, dir.toString()).build());
        OracleClient client =
            OracleClient.builder()
                .address("127.0.0.1:" + server.port())
                .requestTimeout(Duration.ofSeconds(60))
                .build()) {
      for (int i = 0; i < COMMITS; i++) {
        CommitRequest request = CommitRequest.of(client.begin()).withWrites(i % 10);
        List<CompletableFuture<CommitResult>> others = new ArrayList<>();
        for (int j = 0; j < 10; j++) {
          others.add(client.commitAsync(client.begin(), 1_000 + 10 * i + j));
        }
        long begun = System.nanoTime();
        CommitResult result = client.commit(request.withSteps());
        long nanos = System.nanoTime() - begun;
        assertTrue(result.isCommitted(), result::toString);
        CommitSteps steps = result.steps().orElseThrow();
        Duration sum = steps.decided().plus(steps.logged()).plus(steps.answered());
        assertTrue(sum.toNanos() <= nanos, steps + " in " + nanos + " ns");
        assertFalse(steps.decided().isNegative() || steps.answered().isNegative(), steps::toString);
        assertTrue(steps.logged().toNanos() > 0, steps::toString); // a disk was asked
        for (CompletableFuture<CommitResult> other : others) {
          assertEquals(Optional.empty(), other.get().steps());
        }
      }
    }
  }
}
