package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.edited.SourceEdit;
import io.retso.log.LogEntry;
import io.retso.member.Roster;
import io.retso.protocol.Timestamps;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members of this build and of others share a log on real bookies; the others are processes. */
@Timeout(180)
class OtherBuildTest {
  private static final int VERSION = LogEntry.newestVersion();
  private static final int NEXT_VERSION = 2 * VERSION;

  /**
   * The next version, made up: it reads and writes a later log, and speaks a later protocol, with
   * other members as a client, too.
   */
  private static final List<SourceEdit> NEXT =
      List.of(
          new SourceEdit(
              Path.of("src/main/java/io/retso/log/LogEntry.java"),
              "return HOLDS_VERSION;",
              "return 2 * HOLDS_VERSION;"),
          new SourceEdit(
              Path.of("../retso-client/src/main/java/io/retso/protocol/Handshake.java"),
              "VERSION_MAX = 4;",
              "VERSION_MAX = 5;"),
          new SourceEdit(
              Path.of("src/main/java/io/retso/server/members/NettyLeaderWatch.java"),
              "Handshake.VERSION_MIN, Handshake.VERSION_MAX,",
              "1, 5,"));

  private static final long AHEAD_MILLIS = TimeUnit.HOURS.toMillis(5);

  /** A member on a machine whose clock is hours ahead. */
  private static final List<SourceEdit> AHEAD =
      List.of(
          new SourceEdit(
              Path.of("src/main/java/io/retso/server/ServerOracle.java"),
              "leading.followClock(System.currentTimeMillis())",
              "leading.followClock(System.currentTimeMillis() + " + AHEAD_MILLIS + ")"));

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

  private void startOther(List<SourceEdit> edits) throws Exception {
    Path classes = dir.resolve("classes");
    edits.forEach(edit -> edit.compile(classes));
    other =
        ServerProcess.ofEdited(
            classes,
            Files.createDirectories(dir.resolve("other")),
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

  private static long commit(OracleClient client, long row) {
    TransactionHandle start = client.begin();
    assertTrue(client.commit(start, row).isCommitted());
    return start.startTimestamp();
  }

  /** An upgrade that is given up: the next version has led meanwhile, and was never alone. */
  @Test
  void theNextVersionLeadsBesideThisOneAndThisOneTakesOverFromIt() throws Exception {
    RetsoServer first = server();
    startOther(NEXT);
    Map<Integer, Boolean> both = Map.of(VERSION, true, NEXT_VERSION, true);
    await(() -> readyByVersion(first).equals(both));
    long committed;
    TransactionHandle open;
    try (OracleClient client = client()) {
      committed = commit(client, 1);
      open = client.begin();
      first.kill();
      assertTrue(client.commit(open, 2).isCommitted());
      assertEquals(200, TestServers.get(other.httpPort(), "/leader").statusCode());
    }
    RetsoServer back = server();
    await(() -> readyByVersion(back).equals(both));
    other.kill();
    try (OracleClient client = client()) {
      long now = commit(client, 3);
      assertTrue(back.leads());
      assertTrue(client.status(committed, now).commitTimestamp() > committed);
      assertTrue(client.status(open.startTimestamp(), now).commitTimestamp() > committed);
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

  /** The next version was alone, and wrote what only it reads. */
  @Test
  void aMemberThatCannotReadTheLogSaysSoAndTakesNothingOver() throws Exception {
    startOther(NEXT);
    RetsoServer first = server();
    String health =
        TestServers.await(
            first.httpPort(), "/health", 503, "start the version that wrote it"); // said soon after
    assertTrue(health.contains("version 4, this build reads 2 and earlier"), health);
    long epoch;
    try (OracleClient client = client()) {
      commit(client, 1);
      epoch = client.members().epoch();
    }
    other.kill();
    startOther(NEXT);
    try (OracleClient client = client()) {
      commit(client, 2);
      assertEquals(epoch + 1, client.members().epoch(), "nobody took it over in between");
    }
    assertFalse(first.leads());
    assertFalse(TestServers.await(first, "/health", 503).isEmpty());
  }
}
