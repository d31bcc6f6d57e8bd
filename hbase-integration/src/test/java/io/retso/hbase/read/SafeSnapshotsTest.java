package io.retso.hbase.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the oracle is asked, by a clock and with answers that the tests give. */
class SafeSnapshotsTest {
  private final List<CompletableFuture<Long>> asked = new ArrayList<>();
  private long millis;

  private final SafeSnapshots snapshots =
      new SafeSnapshots(answering(), () -> TimeUnit.MILLISECONDS.toNanos(millis));

  /** It is asked for safe snapshots only. */
  private OracleClient answering() {
    return (OracleClient)
        Proxy.newProxyInstance(
            OracleClient.class.getClassLoader(),
            new Class<?>[] {OracleClient.class},
            (proxy, method, arguments) -> {
              assertEquals("safeSnapshotAsync", method.getName());
              asked.add(new CompletableFuture<>());
              return asked.get(asked.size() - 1);
            });
  }

  private long recentNow() {
    CompletableFuture<Long> recent = snapshots.recent();
    assertTrue(recent.isDone(), "a reader waits");
    return recent.join();
  }

  private void know(long snapshot) {
    assertFalse(snapshots.recent().isDone());
    asked.get(asked.size() - 1).complete(snapshot);
  }

  @Test
  void whileOneIsInUseItIsRenewedAndNobodyWaits() {
    know(1);
    millis = 4;
    assertEquals(1, recentNow());
    assertEquals(1, asked.size());
    millis = 5;
    assertEquals(1, recentNow());
    millis = 9;
    assertEquals(1, recentNow());
    assertEquals(2, asked.size(), "asked once");
    asked.get(1).complete(2L);
    assertEquals(2, recentNow());
    millis = 14;
    assertEquals(2, recentNow());
    assertEquals(3, asked.size());
  }

  @Test
  void nobodyReadsOneThatWasAskedForLongerAgo() {
    know(1);
    millis = 6;
    recentNow(); // asks again
    millis = 10;
    assertSame(asked.get(1), snapshots.recent());
    asked.get(1).complete(2L);
    millis = 15;
    assertEquals(2, recentNow());
    millis = 16; // asked for at 6
    assertFalse(snapshots.recent().isDone());
    assertEquals(3, asked.size());
    millis = 26; // its answer is late
    assertFalse(snapshots.recent().isDone());
    assertEquals(4, asked.size());
  }

  @Test
  void afterAFailureItIsAskedForAgain() {
    snapshots.recent();
    asked.get(0).completeExceptionally(new IllegalStateException());
    know(2);
    millis = 5;
    recentNow();
    asked.get(2).completeExceptionally(new IllegalStateException());
    assertEquals(2, recentNow());
    assertEquals(4, asked.size());
  }
}
