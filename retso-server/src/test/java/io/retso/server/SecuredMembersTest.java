package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.log.LogEntry;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.member.Roster;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.members.ZooKeeperRoster;
import io.retso.tls.TestAuthority;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that share a log, and want to know each other and their clients. */
@Timeout(180)
class SecuredMembersTest {
  @TempDir private Path directory;
  private SecuredFixture fixture;
  private EmbeddedBookKeeper cluster;
  private final List<RetsoServer> servers = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    fixture = new SecuredFixture(directory.resolve("security"));
    cluster = EmbeddedBookKeeper.start(directory.resolve("log"), 1, false);
  }

  @AfterEach
  void stop() throws Exception {
    servers.forEach(RetsoServer::close);
    cluster.close();
  }

  private RetsoServer server() throws Exception {
    return server(fixture.access);
  }

  private RetsoServer server(Path access) throws Exception {
    RetsoServer server =
        RetsoServer.start(
            fixture
                .settings(TestServers.member(cluster.zookeeper()))
                .set(Settings.ACCESS_FILE, access)
                .set(Settings.LOG_ENSEMBLE, 1)
                .set(Settings.AUDIT_FILE, directory.resolve("audit-" + servers.size()))
                .build());
    servers.add(server);
    return server;
  }

  private OracleClient client() throws Exception {
    var builder =
        OracleClient.builder()
            .requestTimeout(Duration.ofSeconds(60))
            .security(fixture.as("app").build());
    servers.forEach(server -> builder.address("127.0.0.1:" + server.port()));
    return builder.build();
  }

  @Test
  void aTransactionOutlivesItsLeader() throws Exception {
    RetsoServer first = server();
    RetsoServer second = server();
    try (OracleClient client = client()) {
      TransactionHandle open = client.begin();
      first.kill();
      assertTrue(client.commit(open, 1).isCommitted(), "its ticket is good at the successor");
      assertTrue(second.leads());
    }
  }

  @Test
  void aLeaderHandsOverToAStandbyThatItHears() throws Exception {
    RetsoServer first = server();
    RetsoServer second = server();
    Await.until(() -> first.view().members().stream().filter(Roster.Entry::isReady).count() == 2);
    String[] action = {"X-Retso-Action", "1"};
    try (OracleClient client = client()) {
      TransactionHandle open = client.begin();
      HttpResponse<String> refused = fixture.ask(first, "app", "POST", "/handover", action);
      assertEquals(403, refused.statusCode(), refused.body());
      Await.until(
          () -> fixture.ask(first, "operator", "POST", "/handover", action).statusCode() == 200);
      assertTrue(client.commit(open, 1).isCommitted());
      Await.until(() -> second.leads() && !first.leads()); // its view is a tick behind
    }
  }

  /**
   * Somebody writes to ZooKeeper, and listens at the address that is registered so. It is there
   * before the member that clients are told of next.
   */
  @Test
  void whatIsOnlyRegisteredIsNotNamedToClients() throws Exception {
    RetsoServer first = server();
    try (ServerSocket forged = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        OracleClient client = client()) {
      String address = "127.0.0.1:" + forged.getLocalPort();
      try (ZooKeeperRoster other =
          ZooKeeperRoster.connect(
              cluster.zookeeper(), ZooKeeperAccess.OPEN, "/retso/log", System::nanoTime)) {
        other.publish(new Roster.Entry(address, address, true, LogEntry.newestVersion(), 0));
        Await.until(() -> addresses(first).contains(address));
        RetsoServer second = server(); // the client was given the first one only
        TransactionHandle open = client.begin();
        first.kill();
        assertTrue(client.commit(open, 1).isCommitted());
        assertTrue(second.leads());
        forged.setSoTimeout(1);
        assertThrows(SocketTimeoutException.class, forged::accept, "a client connected there");
      }
    }
  }

  private static List<String> addresses(RetsoServer server) {
    return server.view().members().stream().map(Roster.Entry::address).toList();
  }

  /** Without the role of a member it is a client like others, and nobody hands over to it. */
  @Test
  void whoOnlySaysThatItIsAStandbyIsNotHeard() throws Exception {
    RetsoServer first = server();
    server();
    fixture.write(
        "tls required\nauth required\n"
            + SecuredFixture.LINES.replace("may member member", "may metrics member"));
    assertEquals(200, fixture.reload(first).statusCode());
    String[] action = {"X-Retso-Action", "1"};
    HttpResponse<String> reply = fixture.ask(first, "operator", "POST", "/handover", action);
    assertEquals(409, reply.statusCode(), reply.body());
    assertTrue(first.leads());
  }

  /** A standby that has found its leader in clear begins with TLS when it has to connect again. */
  @Test
  void aLeaderThatLearnsTlsIsWatchedByTls() throws Exception {
    fixture.levels("off", "off");
    RetsoServer first = server();
    Path own = directory.resolve("access-of-the-second");
    TestAuthority.replace(own, "tls optional\nauth optional\n" + SecuredFixture.LINES);
    server(own);
    TestServers.await(first.httpPort(), "/clients", 200, "  clear  127.0.0.1  standby ");
    fixture.levels("required", "required");
    assertEquals(
        200, TestServers.send(first.httpPort(), "/reload", "POST", "text/plain").statusCode());
    Await.aMinute(
        "the standby speaks TLS",
        () ->
            fixture
                .ask(first, "operator", "GET", "/clients")
                .body()
                .contains("member  member  tls  127.0.0.1  standby "));
  }
}
