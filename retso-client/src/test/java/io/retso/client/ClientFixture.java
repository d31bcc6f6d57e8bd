package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What the tests of the client share. */
final class ClientFixture {
  /** Long enough for a loaded machine; no passing test waits for it. */
  static final Duration PATIENT = Duration.ofSeconds(30);

  /** For tests that wait for a time-out. */
  static final Duration SHORT = Duration.ofMillis(300);

  private ClientFixture() {}

  static OracleClientBuilder clientOf(ScriptedPeer... peers) {
    OracleClientBuilder builder =
        OracleClient.builder().requestTimeout(PATIENT).seed(1).pingPeriod(Duration.ofHours(1));
    for (ScriptedPeer peer : peers) {
      builder.address(peer.address());
    }
    return builder.backoff(Duration.ofMillis(1), Duration.ofMillis(20));
  }

  /** What clients ask before {@code gathered} is all on its way when the oracle begins to serve. */
  static ScriptedPeer servingOnce(CountDownLatch gathered, WireOracle oracle) throws Exception {
    return new ScriptedPeer(
        wire -> {
          gathered.await();
          oracle.serve(wire);
        });
  }

  static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENT.toSeconds(), TimeUnit.SECONDS);
  }

  static OracleException failureOf(CompletableFuture<?> future) {
    ExecutionException e = assertThrows(ExecutionException.class, () -> get(future));
    return assertInstanceOf(OracleException.class, e.getCause());
  }

  static void assertFails(OracleException.Category category, CompletableFuture<?> future) {
    OracleException failure = failureOf(future);
    assertEquals(category, failure.category(), failure::getMessage);
  }
}
