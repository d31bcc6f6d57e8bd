package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.Await;
import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.TransactionHandle;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsFiles;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that wants to know who its clients are, and clients that say so, or do not. */
@Timeout(120)
class SecuredServerTest {
  @TempDir private Path directory;
  private SecuredFixture fixture;

  @BeforeEach
  void make() throws Exception {
    fixture = new SecuredFixture(directory);
  }

  @Test
  void certificatesAndTokensSayWhoAClientIs() throws Exception {
    try (RetsoServer server = fixture.start()) {
      ClientSecurity[] all = {fixture.as("app").build(), fixture.withToken("etl", 60_000)};
      for (ClientSecurity security : all) {
        try (OracleClient client = fixture.client(server, security)) {
          TransactionHandle begun = client.begin();
          assertTrue(client.commit(begun, 1, 2, 3).isCommitted());
          assertRefused(client, begun, "role sweeper");
        }
      }
      try (OracleClient sweeper = fixture.client(server, fixture.as("sweeper").build())) {
        sweeper.swept(sweeper.begin());
      }
      String audit = Files.readString(fixture.audit());
      assertTrue(audit.contains("\"principal\": \"etl\",\"proof\": \"token\""), audit);
    }
  }

  private static void assertRefused(OracleClient client, TransactionHandle sweep, String why) {
    OracleException refused = assertThrows(OracleException.class, () -> client.swept(sweep));
    assertEquals(Category.NOT_PERMITTED, refused.category());
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  /** Two clients of one principal are apart; other principals are, even with the ticket. */
  @Test
  void aTransactionIsItsPrincipals() throws Exception {
    try (RetsoServer server = fixture.start();
        OracleClient app = fixture.client(server, fixture.as("app").build());
        OracleClient etl = fixture.client(server, fixture.withToken("etl", 60_000))) {
      TransactionHandle begun = app.begin();
      OracleException e = assertThrows(OracleException.class, () -> etl.commit(begun, 1));
      assertEquals(Category.NOT_PERMITTED, e.category());
      assertThrows(OracleException.class, () -> etl.abort(begun));
      assertTrue(app.commit(begun, 1).isCommitted());
    }
  }

  @Test
  void othersAreRefusedAndToldWhy() throws Exception {
    try (RetsoServer server = fixture.start()) {
      assertRefused(server, null, "this port takes TLS only");
      ClientSecurity.Builder nobody = ClientSecurity.builder(fixture.authority.file);
      assertRefused(server, nobody.build(), "give it a certificate or a token");
      assertRefused(server, fixture.withToken("etl", -600_000), "of etl ended at");
      TestAuthority another = new TestAuthority(directory.resolve("another"), "another");
      assertRefused(
          server,
          ClientSecurity.builder(another.file).build(),
          "the certificate of CN=member is by CN=authority, which " + another.file);
      TlsFiles.Own foreign = another.client("app").own().orElseThrow();
      assertRefused(
          server,
          nobody.certificate(foreign.certificate(), foreign.key()).build(),
          "give it a certificate or a token");
      assertRefused(
          server,
          ClientSecurity.builder(fixture.authority.file).serverName("other.corp").build(),
          "is for localhost, 127.0.0.1, not for other.corp");
      Path readable = Files.writeString(directory.resolve("readable"), "retso1.x.y");
      assertRefused(
          server,
          ClientSecurity.builder(fixture.authority.file).token(readable).build(),
          "can be read by others");
    }
  }

  private void assertRefused(RetsoServer server, ClientSecurity security, String why) {
    try (OracleClient client = fixture.client(server, security)) {
      OracleException refused = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.NOT_AUTHENTICATED, refused.category(), refused.getMessage());
      assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }
  }

  /** Each kind of client at each kind of server: it is served, or told what to do. */
  @ParameterizedTest
  @CsvSource({
    "off, off, clear, served",
    "off, off, prefer, served",
    "off, off, required, answered in clear",
    "off, off, certificate, answered in clear",
    "optional, off, clear, served",
    "optional, off, prefer, served",
    "optional, off, required, served",
    "optional, off, certificate, served",
    "optional, off, token, served",
    "required, off, clear, TLS only",
    "required, off, prefer, served",
    "required, off, required, served",
    "required, optional, clear, TLS only",
    "required, optional, required, served",
    "required, optional, certificate, served",
    "optional, optional, clear, served",
    "optional, optional, token, served",
    "required, required, clear, TLS only",
    "required, required, prefer, give it a certificate or a token",
    "required, required, required, give it a certificate or a token",
    "required, required, certificate, served",
    "required, required, token, served",
  })
  void eachClientMeetsEachServer(String tls, String auth, String kind, String outcome)
      throws Exception {
    fixture.levels(tls, auth);
    ClientSecurity security =
        switch (kind) {
          case "clear" -> null;
          case "prefer" ->
              ClientSecurity.builder(fixture.authority.file)
                  .mode(ClientSecurity.Mode.PREFER)
                  .build();
          case "required" -> ClientSecurity.builder(fixture.authority.file).build();
          case "certificate" -> fixture.as("app").build();
          case "token" -> fixture.withToken("app", 60_000);
          default -> throw new IllegalArgumentException(kind);
        };
    try (RetsoServer server = fixture.start()) {
      if (!outcome.equals("served")) {
        assertRefused(server, security, outcome);
        return;
      }
      try (OracleClient client = fixture.client(server, security)) {
        assertTrue(client.commit(client.begin(), 1).isCommitted());
      }
    }
  }

  @Test
  void rolesChangeOnConnectionsThatAreThere() throws Exception {
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, fixture.as("app").build())) {
      TransactionHandle begun = client.begin();
      String modes = "tls required\nauth required\n";
      fixture.write(modes + SecuredFixture.LINES.replace("may application", "may metrics"));
      assertEquals(200, fixture.reload(server).statusCode());
      OracleException denied = assertThrows(OracleException.class, client::begin);
      assertTrue(denied.getMessage().contains("role application or sweeper"));
      fixture.write(modes + SecuredFixture.LINES + "revoked principal app\n");
      fixture.reload(server);
      OracleException revoked = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.NOT_AUTHENTICATED, revoked.category(), revoked.getMessage());
      assertTrue(revoked.getMessage().contains("was revoked"), revoked.getMessage());
      fixture.levels("required", "required");
      fixture.reload(server);
      Await.until(() -> isServed(client));
      assertTrue(client.commit(begun, 1).isCommitted(), "it is still its transaction");
    }
  }

  private static boolean isServed(OracleClient client) {
    try {
      client.timestamp();
      return true;
    } catch (OracleException e) {
      return false;
    }
  }

  /** The token counts for some seconds more, as clocks may differ, and then no more. */
  @Test
  void anExpiredTokenEndsItsConnection() throws Exception {
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, fixture.withToken("etl", -296_000))) {
      client.begin();
      Await.until(
          () -> {
            fixture.reload(server); // as happens every ten seconds
            return !isServed(client);
          });
      OracleException e = assertThrows(OracleException.class, client::begin);
      assertTrue(e.getMessage().contains("of etl ended at"), e.getMessage());
    }
  }

  @Test
  void aFileThatIsNotUnderstoodChangesNothing() throws Exception {
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, fixture.as("app").build())) {
      client.begin();
      for (String bad : new String[] {"", "tls on", "tls off\nauth required\n"}) {
        fixture.write(bad);
        HttpResponse<String> reply = fixture.reload(server);
        assertEquals(409, reply.statusCode());
        assertTrue(reply.body().contains("what was read before goes on to count"), reply.body());
        client.begin();
        assertTrue(
            fixture.ask(server, "operator", "GET", "/health").body().contains("access"),
            "a warning");
      }
      fixture.levels("required", "required");
      assertEquals(200, fixture.reload(server).statusCode());
      String health = fixture.ask(server, "operator", "GET", "/health").body();
      assertEquals("{\n  \"status\": \"serving\"\n}\n", health);
    }
  }

  @Test
  void settingsThatDoNotGoTogetherAreNamed() throws Exception {
    assertWrong(
        TestServers.small().set(Settings.ACCESS_FILE, fixture.access),
        "wants TLS, and this server has no certificate: set tls.certificate");
    assertWrong(
        fixture
            .settings(TestServers.small())
            .set(Settings.ZOOKEEPER, "127.0.0.1:1")
            .set(Settings.INSECURE, "yes-i-know")
            .set(Settings.SECRET_FILE, ""),
        "has no secret, so that tokens could be made up: set secret.file");
    fixture.levels("required", "optional");
    assertWrong(
        fixture
            .settings(TestServers.small())
            .set(Settings.LOG, "memory")
            .set(Settings.LISTEN_HOST, "0.0.0.0"),
        "lets clients from other machines in that do not identify themselves: set auth required");
    fixture.write("tls on");
    assertWrong(
        fixture.settings(TestServers.small()).set(Settings.LOG, "memory"),
        "line 1: tls is off, optional or required");
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> TestServers.small().set(Settings.TLS_CA, "ca.crt").build());
    assertTrue(e.getMessage().contains("set all three, or none"), e.getMessage());
  }

  private static void assertWrong(ServerConfig.Builder settings, String why) {
    ConfigException e =
        assertThrows(ConfigException.class, () -> RetsoServer.start(settings.build()).close());
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  @Test
  void certificatesAreReplacedWhileItServes() throws Exception {
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, fixture.as("app").build())) {
      TransactionHandle begun = client.begin();
      var before = serial(server);
      Path key = fixture.authority.files("member").own().orElseThrow().key();
      TestAuthority.replace(key, "no key");
      HttpResponse<String> reply = fixture.reload(server);
      assertEquals(409, reply.statusCode());
      assertTrue(reply.body().contains(key + " has 0 private keys"), reply.body());
      assertEquals(before, serial(server));
      fixture.authority.server("member");
      assertEquals(200, fixture.reload(server).statusCode());
      assertTrue(!before.equals(serial(server)), "the next handshake has the new one");
      assertTrue(client.commit(begun, 1).isCommitted(), "nobody was disconnected");
    }
  }

  private Object serial(RetsoServer server) throws Exception {
    var shown =
        fixture
            .ask(server, "", "GET", "/health")
            .sslSession()
            .orElseThrow()
            .getPeerCertificates()[0];
    return ((X509Certificate) shown).getSerialNumber();
  }

  /** In three steps, each of which is a reload; transactions go on over each. */
  @Test
  void theSecretIsReplacedWhileItServes() throws Exception {
    String first = Files.readString(fixture.secret);
    Path made = directory.resolve("next");
    io.retso.security.ClusterSecret.make(made);
    String next = Files.readString(made);
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, fixture.as("app").build())) {
      TransactionHandle old = client.begin();
      TransactionHandle late = client.begin();
      for (String lines : new String[] {first + next, next + first}) {
        TransactionHandle before = client.begin();
        TestAuthority.replace(fixture.secret, lines);
        assertEquals(200, fixture.reload(server).statusCode());
        assertTrue(client.commit(before, 1).isCommitted());
      }
      TransactionHandle fresh = client.begin();
      assertTrue(client.commit(old, 2).isCommitted());
      TestAuthority.replace(fixture.secret, next);
      assertEquals(200, fixture.reload(server).statusCode());
      assertTrue(client.commit(fresh, 3).isCommitted());
      OracleException e = assertThrows(OracleException.class, () -> client.commit(late, 4));
      assertEquals(Category.NOT_PERMITTED, e.category());
    }
  }

  /** From off to required and back, while a client commits: no transaction fails. */
  @Test
  void securityIsSwitchedWhileClientsGoOn() throws Exception {
    fixture.levels("optional", "off");
    ClientSecurity security = fixture.as("app").mode(ClientSecurity.Mode.PREFER).build();
    try (RetsoServer server = fixture.start();
        OracleClient client = fixture.client(server, security);
        OracleClient clear = fixture.client(server, null)) {
      AtomicInteger committed = new AtomicInteger();
      AtomicBoolean goesOn = new AtomicBoolean(true);
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                while (goesOn.get()) {
                  TransactionHandle begun = client.begin();
                  assertTrue(client.commit(begun, begun.startTimestamp()).isCommitted());
                  client.cleanedUpLater(begun);
                  committed.incrementAndGet();
                }
              });
      String[][] steps = {
        {"off", "off"}, {"optional", "optional"}, {"required", "optional"},
        {"required", "required"}, {"required", "optional"}, {"optional", "off"}
      };
      for (String[] step : steps) {
        int before = committed.get();
        Await.until(() -> load.isDone() || committed.get() > before + 50);
        fixture.levels(step[0], step[1]);
        switchTo(server);
        boolean isOpen = !step[0].equals("required");
        Await.until(() -> isServed(clear) == isOpen); // it may be told to wait a little
      }
      goesOn.set(false);
      load.get();
    }
  }

  /** Over HTTPS or in clear, as the server takes it now. */
  private void switchTo(RetsoServer server) throws Exception {
    HttpResponse<String> reply;
    try {
      reply = fixture.reload(server);
    } catch (java.io.IOException e) {
      reply = TestServers.send(server.httpPort(), "/reload", "POST", "*/*");
    }
    assertEquals(200, reply.statusCode(), reply.body());
  }
}
