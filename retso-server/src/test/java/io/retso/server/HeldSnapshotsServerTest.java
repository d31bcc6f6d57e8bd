package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.Hold;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that real servers hold for real clients. */
@Timeout(180)
class HeldSnapshotsServerTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final int WINDOW = 1 << 16;

  private static OracleClient client(RetsoServer... servers) {
    var builder = OracleClient.builder().requestTimeout(Duration.ofSeconds(60));
    for (RetsoServer server : servers) {
      builder.address("127.0.0.1:" + server.port());
    }
    return builder.build();
  }

  /** Lets the window go on by more than its length. */
  private static void passWindow(OracleClient client) {
    int pieces = 64;
    for (int i = 0; i <= pieces; i++) {
      CompletableFuture<?>[] begins = new CompletableFuture<?>[WINDOW / pieces];
      for (int j = 0; j < begins.length; j++) {
        begins[j] = client.beginAsync().thenAccept(client::endLater);
      }
      CompletableFuture.allOf(begins).join();
    }
  }

  @Test
  void eachClientSeesAndEndsThoseOfAll() throws Exception {
    Instant before = Instant.now().minusSeconds(1);
    try (RetsoServer server =
            RetsoServer.start(TestServers.small().set(Settings.LOG, "memory").build());
        OracleClient one = client(server);
        OracleClient other = client(server)) {
      long held = one.hold("nightly", DAY);
      OracleException taken = assertThrows(OracleException.class, () -> other.hold("nightly", DAY));
      assertEquals(OracleException.Category.INVALID_REQUEST, taken.category());
      List<Hold> holds = other.holds();
      assertEquals(1, holds.size());
      assertEquals("nightly", holds.get(0).name());
      assertEquals(held, holds.get(0).timestamp());
      assertEquals(DAY, holds.get(0).ttl());
      assertTrue(holds.get(0).since().isAfter(before), holds::toString);
      assertTrue(holds.get(0).left().compareTo(DAY.minusMinutes(3)) > 0, holds::toString);
      passWindow(other);
      assertEquals(held, other.lowWatermark());
      String status = TestServers.get(server.httpPort(), "/status").body();
      assertTrue(status.contains("\"holds\": 1"), status);
      assertTrue(other.release(held));
      assertFalse(one.renew(held));
      assertEquals(List.of(), one.holds());
      assertTrue(one.lowWatermark() > held);
    }
  }

  /** The hold stands in each segment that the log begins with. */
  @Test
  void itOutlivesItsServerAndTheSegmentInWhichItWasTaken(@TempDir Path dir) throws Exception {
    try (EmbeddedBookKeeper log = EmbeddedBookKeeper.start(dir, 1, false);
        RetsoServer first = member(log);
        RetsoServer second = member(log);
        OracleClient client = client(first, second)) {
      long held = client.hold("nightly", DAY);
      passWindow(client);
      passWindow(client);
      assertEquals(held, client.lowWatermark());
      first.kill();
      assertEquals(held, client.lowWatermark());
      Await.until(second::leads);
      assertEquals(List.of("nightly"), client.holds().stream().map(Hold::name).toList());
      passWindow(client);
      assertEquals(held, client.lowWatermark());
      assertTrue(client.renew(held));
      assertTrue(client.release(held));
      long risen = client.lowWatermark();
      assertTrue(risen > held);
    }
  }

  private static RetsoServer member(EmbeddedBookKeeper log) throws Exception {
    return RetsoServer.start(
        TestServers.member(log.zookeeper()).set(Settings.LOG_ENSEMBLE, 1).build());
  }
}
