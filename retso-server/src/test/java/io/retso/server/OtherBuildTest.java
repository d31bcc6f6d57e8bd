package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.edited.SourceEdit;
import io.retso.log.LogEntry;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.LedgerPasswords;
import io.retso.member.Roster;
import io.retso.protocol.Timestamps;
import io.retso.security.ClusterSecret;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members of different builds share a log on real bookies; the others are processes. */
@Timeout(180)
class OtherBuildTest {
  /** A build that does not know entries that continue a segment. */
  private static final SourceEdit EARLIER =
      new SourceEdit(
          Path.of("src/main/java/io/retso/log/LogEntry.java"),
          "return CONTINUING;",
          "return VERSION;");

  private static final long AHEAD_MILLIS = TimeUnit.HOURS.toMillis(5);

  /** A member on a machine whose clock is hours ahead. */
  private static final SourceEdit AHEAD =
      new SourceEdit(
          Path.of("src/main/java/io/retso/server/ServerOracle.java"),
          "leading.followClock(System.currentTimeMillis())",
          "leading.followClock(System.currentTimeMillis() + " + AHEAD_MILLIS + ")");

  @TempDir private Path dir;
  private EmbeddedBookKeeper cluster;
  private ServerProcess other;
  private final List<RetsoServer> servers = new ArrayList<>();

  @BeforeEach
  void startBookies() throws Exception {
    cluster = EmbeddedBookKeeper.start(Files.createDirectory(dir.resolve("bookies")), 3, false);
  }

  @AfterEach
  void close() throws Exception {
    if (other != null) {
      other.close();
    }
    servers.forEach(RetsoServer::close);
    cluster.close();
  }

  private RetsoServer server() throws Exception {
    RetsoServer server = RetsoServer.start(TestServers.member(cluster.zookeeper()).build());
    servers.add(server);
    return server;
  }

  private void startOther(SourceEdit edit) throws Exception {
    Path classes = dir.resolve("classes");
    edit.compile(classes);
    other =
        ServerProcess.ofEdited(
            classes,
            Files.createDirectory(dir.resolve("other")),
            "--zookeeper=" + cluster.zookeeper(),
            "--secret-file=" + TestServers.secret(),
            "--rows=100k",
            "--window-timestamps=2^16",
            "--uncleaned-max=1000");
  }

  private OracleClient client() {
    var builder = OracleClient.builder().requestTimeout(Duration.ofSeconds(60));
    servers.forEach(server -> builder.address("127.0.0.1:" + server.port()));
    return builder.address("127.0.0.1:" + other.port()).build();
  }

  private static void await(BooleanSupplier condition) throws Exception {
    Await.until(condition::getAsBoolean);
  }

  /** What the other one says of itself, as soon as it is this. */
  private String awaitHealth(int status) throws Exception {
    return TestServers.await(other.httpPort(), "/health", status, "");
  }

  private static Map<Integer, Boolean> readyByVersion(RetsoServer server) {
    Map<Integer, Boolean> ready = new TreeMap<>();
    for (Roster.Entry member : server.view().members()) {
      ready.put(member.logVersion(), member.isReady());
    }
    return ready;
  }

  /** As bookies' own recovery does: the ledger's writer is to go on in another one. */
  private void fenceTheLog() throws Exception {
    try (BookKeeperStore store =
        BookKeeperStore.connect(
            BookKeeperSettings.of(cluster.zookeeper(), 3, 3, 2),
            Optional.empty(),
            LedgerPasswords.of(ClusterSecret.read(TestServers.secret())::keys, true))) {
      for (long ledger : store.readCatalog().get().ledgers()) {
        store.openFenced(ledger).get().close();
      }
    }
  }

  private static long commit(OracleClient client, long row) {
    TransactionHandle start = client.begin();
    assertTrue(client.commit(start, row).isCommitted());
    return start.startTimestamp();
  }

  @Test
  void aLeaderWritesNothingThatAnEarlierStandbyCannotRead() throws Exception {
    RetsoServer first = server();
    startOther(EARLIER);
    Map<Integer, Boolean> both = Map.of(LogEntry.VERSION, true, LogEntry.newestVersion(), true);
    await(() -> readyByVersion(first).equals(both));
    try (OracleClient client = client()) {
      long committed = commit(client, 1);
      TransactionHandle open = client.begin();
      long epoch = first.epoch();
      fenceTheLog();
      assertTrue(client.commit(open, 2).isCommitted());
      await(() -> first.epoch() > epoch); // somebody took it over
      awaitHealth(200);
      first.kill();
      long now = commit(client, 3);
      assertTrue(client.status(committed, now).commitTimestamp() > committed);
      assertTrue(client.status(open.startTimestamp(), now).commitTimestamp() > committed);
      assertEquals(200, TestServers.get(other.httpPort(), "/leader").statusCode());
    }
  }

  /** The window is 17 minutes of the clock, half of which is passed over at once, and no more. */
  @Test
  void aMemberWhoseClockIsHoursAheadTakesOverAndAbortsNobody() throws Exception {
    RetsoServer first = server();
    startOther(AHEAD);
    await(() -> first.view().members().stream().filter(Roster.Entry::isReady).count() == 2);
    try (OracleClient client = client()) {
      TransactionHandle open = client.begin();
      first.kill();
      long next = commit(client, 1);
      TransactionHandle last = client.begin();
      long window = 1L << 16;
      while ((next - open.startTimestamp()) / Timestamps.GAP < window / 2
          || !awaitHealth(200).contains("behind the clock")) { // it follows the clock, a part
        last = client.begin();
        next = last.startTimestamp();
      }
      long passed = (client.timestamp() - open.startTimestamp()) / Timestamps.GAP;
      assertTrue(passed < window * 3 / 4, "half of the window, and what was reserved: " + passed);
      assertTrue(client.commit(open, 2).isCommitted());
      assertTrue(client.commit(last, 3).isCommitted());
    }
  }

  @Test
  void aMemberThatCannotReadTheLogSaysSoAndTakesNothingOver() throws Exception {
    RetsoServer first = server();
    long epoch = first.epoch();
    fenceTheLog();
    try (OracleClient client =
        OracleClient.builder().address("127.0.0.1:" + first.port()).build()) {
      commit(client, 1);
    }
    assertEquals(epoch, first.epoch(), "it goes on in another ledger");
    startOther(EARLIER);
    String health = awaitHealth(503);
    assertTrue(health.contains("version 16, this build reads 8 and earlier"), health);
    assertTrue(health.contains("start the version that wrote it"), health);
    RetsoServer second = server();
    Map<Integer, Boolean> ready = Map.of(LogEntry.VERSION, false, LogEntry.newestVersion(), true);
    await(() -> readyByVersion(second).equals(ready));
    try (OracleClient client = client()) {
      first.kill();
      commit(client, 2);
      assertEquals(epoch + 1, second.epoch());
      second.kill();
      RetsoServer third = server();
      assertEquals(epoch + 2, third.epoch(), "nobody took it over in between");
      assertTrue(other.isAlive());
      assertFalse(awaitHealth(503).isEmpty());
    }
  }
}
