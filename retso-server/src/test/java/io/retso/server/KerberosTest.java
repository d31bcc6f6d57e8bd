package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.ClientSecurity;
import io.retso.client.KerberosLogin;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.kdc.TestKdc;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that say by Kerberos who they are, to real servers and with a real server of Kerberos.
 */
@Timeout(120)
class KerberosTest {
  private static final String SERVICE = "retso/127.0.0.1";
  private static final String RULE =
      "tls required\nauth required\nname KRB ([^/@]+)(?:/[^@]+)?@RETSO\\.TEST = $1\n"
          + SecuredFixture.LINES;

  @TempDir private Path directory;
  private SecuredFixture fixture;
  private TestKdc kdc;
  private Path keytab;
  private RetsoServer server;

  @BeforeEach
  void start() throws Exception {
    fixture = new SecuredFixture(directory);
    fixture.write(RULE);
    kdc = new TestKdc(directory.resolve("kdc"));
    keytab = kdc.add(SERVICE);
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
    kdc.close();
  }

  private ServerConfig.Builder settings() {
    return fixture
        .settings(TestServers.small().set(Settings.LOG, "memory"))
        .set(Settings.KERBEROS_PRINCIPAL, SERVICE)
        .set(Settings.KERBEROS_KEYTAB, keytab);
  }

  private void serve(String lasts) throws Exception {
    TestKdc.subject(SERVICE, keytab); // has this JVM read its configuration anew
    server = RetsoServer.start(settings().set(Settings.KERBEROS_LASTS, lasts).build());
  }

  private OracleClient client(String host, KerberosLogin login) {
    return OracleClient.builder()
        .address(host + ":" + server.port())
        .requestTimeout(Duration.ofSeconds(20))
        .security(ClientSecurity.builder(fixture.authority.file).kerberos(login).build())
        .build();
  }

  private OracleClient client(KerberosLogin login) {
    return client("127.0.0.1", login);
  }

  private String refusal(OracleClient client) {
    try (client) {
      OracleException e = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.NOT_AUTHENTICATED, e.category(), e.getMessage());
      assertFalse(e.getMessage().contains("Exception"), e.getMessage());
      return e.getMessage();
    }
  }

  private static void assertSays(String text, String message) {
    assertTrue(message.contains(text), message);
  }

  /** It is written on a thread of its own. */
  private void awaitAudited(String principal) throws Exception {
    while (!Files.readString(fixture.audit()).contains("\"principal\": \"" + principal + "\"")) {
      Thread.onSpinWait();
    }
  }

  @Test
  void clientsWithTicketsAreKnownByName() throws Exception {
    serve("1h");
    try (OracleClient client = client(TestKdc.login("etl", kdc.add("etl")))) {
      client.begin();
      awaitAudited("etl");
    }
    // The rule makes the same name of it, whose transactions it owns.
    Path onHost = kdc.add("app/host1");
    try (OracleClient client = client(TestKdc.login("app/host1", onHost))) {
      client.begin();
      awaitAudited("app");
    }
    try (OracleClient client = client(TestKdc.login("guest", kdc.add("guest")))) {
      OracleException e = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.NOT_PERMITTED, e.category());
      assertSays("guest may not send BEGIN", e.getMessage());
    }
    fixture.write(RULE + "revoked principal etl before 2100-01-01T00:00:00Z\n");
    fixture.reload(server);
    assertSays("was revoked", refusal(client(TestKdc.login("etl", kdc.keytab("etl")))));
    fixture.levels("required", "required"); // no line is for names of Kerberos
    fixture.reload(server);
    assertSays(
        "has no line \"name KRB PATTERN = PRINCIPAL\" for app/host1@RETSO.TEST: add one",
        refusal(client(TestKdc.login("app/host1", onHost))));
  }

  @Test
  void ticketsAreShownAgainOnTheOpenConnection() throws Exception {
    serve("2s");
    Path etl = kdc.add("etl");
    AtomicInteger steps = new AtomicInteger();
    AtomicBoolean isLost = new AtomicBoolean();
    KerberosLogin login =
        action -> {
          steps.incrementAndGet();
          if (isLost.get()) {
            throw new IOException("the keytab was taken away");
          }
          return TestKdc.login("etl", etl).run(action);
        };
    try (OracleClient client = client(login)) {
      client.begin();
      int once = steps.get();
      while (steps.get() < 2 * once) {
        client.begin();
        fixture.reload(server); // it judges who has shown nothing for too long
      }
      assertEquals(1, connections(), "it never had to connect again");
      isLost.set(true);
      OracleException e =
          assertThrows(
              OracleException.class,
              () -> {
                while (true) {
                  client.begin();
                  fixture.reload(server);
                  LockSupport.parkNanos(10_000_000);
                }
              });
      assertEquals(Category.NOT_AUTHENTICATED, e.category(), e.getMessage());
      assertSays(
          "etl has not shown a new ticket of Kerberos until", Files.readString(fixture.audit()));
    }
  }

  /** How many the server has ever accepted. */
  private long connections() throws Exception {
    String page = fixture.ask(server, "operator", "GET", "/metrics").body();
    return page.lines()
        .filter(line -> line.startsWith("retso_connections_accepted_total"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void keysThatDoNotFitAreNamedAndReplacedWithoutARestart() throws Exception {
    serve("1h");
    Path etl = kdc.add("etl");
    kdc.replaceKey(SERVICE);
    String refusal = refusal(client(TestKdc.login("etl", etl)));
    assertSays("this oracle does not take the client's ticket (", refusal);
    assertSays("give the server the keytab of its principal", refusal);
    Files.move(kdc.keytab(SERVICE), keytab, StandardCopyOption.REPLACE_EXISTING);
    try (OracleClient client = client(TestKdc.login("etl", etl))) {
      client.begin();
    }
    Path health = TestAuthority.replace(directory.resolve("none"), "");
    Files.move(health, keytab, StandardCopyOption.REPLACE_EXISTING);
    assertSays("has no key of " + SERVICE, fixture.reload(server).body());
  }

  @Test
  void whatClientsLackIsNamed() throws Exception {
    serve("1h");
    Path etl = kdc.add("etl");
    String refusal = refusal(client("localhost", TestKdc.login("etl", etl)));
    assertSays("no ticket for retso/localhost (Server not found in Kerberos database (7)", refusal);
    assertSays("add that principal to the Kerberos servers and its keytab to the oracle", refusal);
    assertSays(
        "see that the client has tickets (klist)", refusal(client(TestKdc.login(new Subject()))));
    Path gone = kdc.add("gone");
    kdc.remove("gone");
    assertSays(
        "add this client's principal to the Kerberos servers",
        refusal(client(TestKdc.login("gone", gone))));
  }

  /** A skew below none refuses every clock. */
  @Test
  void clocksThatDifferAreNamed() throws Exception {
    serve("1h");
    Path etl = kdc.add("etl");
    Subject tickets = TestKdc.subject("etl", etl);
    try (OracleClient client = client(TestKdc.login(tickets))) {
      client.begin();
    }
    kdc.allowSkew(-1);
    TestKdc.subject(SERVICE, keytab); // has this JVM read its configuration anew
    assertSays("set the clocks of both machines right", refusal(client(TestKdc.login(tickets))));
  }

  @Test
  void aServerWhoseKeytabCannotBeUsedDoesNotStart() throws Exception {
    TestKdc.subject(SERVICE, keytab);
    Files.setPosixFilePermissions(keytab, PosixFilePermissions.fromString("rw-r--r--"));
    assertSays("can be read by others", objection(settings()));
    Files.setPosixFilePermissions(keytab, PosixFilePermissions.fromString("rw-------"));
    assertSays(
        "has no key of retso/other@RETSO.TEST",
        objection(settings().set(Settings.KERBEROS_PRINCIPAL, "retso/other")));
    assertSays(
        "kerberos.keytab needs TLS",
        objection(TestServers.small().set(Settings.KERBEROS_KEYTAB, keytab)));
  }

  private static String objection(ServerConfig.Builder settings) {
    return assertThrows(ConfigException.class, () -> RetsoServer.start(settings.build()).close())
        .getMessage();
  }
}
