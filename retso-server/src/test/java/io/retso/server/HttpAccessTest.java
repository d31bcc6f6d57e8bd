package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.server.commands.ExitCode;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsFiles;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server that wants to know its clients tells over HTTP, and to whom. */
@Timeout(120)
class HttpAccessTest {
  @TempDir private Path directory;
  private SecuredFixture fixture;
  private RetsoServer server;

  @BeforeEach
  void start() throws Exception {
    fixture = new SecuredFixture(directory);
    server = fixture.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> ask(String name, String method, String path, String... headers)
      throws Exception {
    return fixture.ask(server, name, method, path, headers);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 200, 200, 403, 403, 403",
    "app, 200, 200, 403, 403, 403",
    "prometheus, 200, 200, 200, 200, 403",
    "operator, 200, 200, 200, 200, 409", // there is no standby
  })
  void eachRoleHasItsPages(
      String name, int health, int leader, int metrics, int status, int handover) throws Exception {
    assertEquals(health, ask(name, "GET", "/health").statusCode());
    assertEquals(leader, ask(name, "GET", "/leader").statusCode());
    assertEquals(metrics, ask(name, "GET", "/metrics").statusCode());
    assertEquals(status, ask(name, "GET", "/status").statusCode());
    assertEquals(status, ask(name, "GET", "/").statusCode());
    assertEquals(status, ask(name, "GET", "/page.js").statusCode());
    assertEquals(status, ask(name, "HEAD", "/live").statusCode());
    HttpResponse<String> action = ask(name, "POST", "/handover", "X-Retso-Action", "1");
    assertEquals(handover, action.statusCode(), action.body());
    boolean reads = metrics == 200;
    assertEquals(reads, ask(name, "GET", "/leader").body().contains("epoch"));
  }

  /** So an operator sees who is to be moved before TLS and names are required. */
  @Test
  void operatorsSeeWhoIsConnected() throws Exception {
    assertEquals(403, ask("app", "GET", "/clients").statusCode());
    assertEquals(403, ask("app", "GET", "/hot").statusCode());
    assertEquals(200, ask("operator", "GET", "/hot").statusCode());
    try (OracleClient client =
        OracleClient.builder()
            .address("127.0.0.1:" + server.port())
            .name("some name")
            .security(fixture.as("app").build())
            .build()) {
      client.begin();
      String shown = ask("operator", "GET", "/clients").body();
      assertTrue(shown.contains("\napp  application  tls  127.0.0.1  some name  1\n"), shown);
      String metrics = ask("prometheus", "GET", "/metrics").body();
      assertTrue(metrics.contains("retso_connections_in_clear 0.0"), metrics);
      assertTrue(metrics.contains("retso_connections_unknown 0.0"), metrics);
    }
  }

  @Test
  void aTokenDoesAsWell() throws Exception {
    String bearer = "Bearer " + Files.readString(fixture.token("prometheus", 60_000)).strip();
    assertEquals(200, ask("", "GET", "/metrics", "Authorization", bearer).statusCode());
    HttpResponse<String> altered =
        ask("", "GET", "/metrics", "Authorization", bearer.replace("retso1.", "retso1.A"));
    assertEquals(403, altered.statusCode());
    assertTrue(altered.body().contains("altered"), altered.body());
    assertFalse(altered.body().contains(bearer.substring(20)), "secrets stay secret");
  }

  /** Probes know no certificates; others are told to come by https, from this machine, too. */
  @Test
  void inClearThereIsHealthAlone() throws Exception {
    assertEquals(200, TestServers.get(server.httpPort(), "/health").statusCode());
    HttpResponse<String> refused = TestServers.get(server.httpPort(), "/status");
    assertEquals(403, refused.statusCode());
    assertTrue(refused.body().contains("TLS only"), refused.body());
    assertEquals(
        403, TestServers.send(server.httpPort(), "/handover", "POST", "text/plain").statusCode());
  }

  @Test
  void commandsSayWhoTheyAre() throws Exception {
    TlsFiles.Own own = fixture.authority.client("operator").own().orElseThrow();
    String at = "127.0.0.1:" + server.httpPort();
    Path file = fixture.token("prometheus", 60_000);
    for (List<String> flags :
        List.of(
            List.of("--certificate", own.certificate().toString(), "--key", own.key().toString()),
            List.of("--token-file", file.toString()))) {
      CommandsTest.Run run = CommandsTest.status(flags(at, flags));
      assertEquals(ExitCode.CLEAN.number(), run.code(), run.err());
      assertTrue(run.out().contains("auth required"), run.out());
    }
    Path another = new TestAuthority(directory.resolve("another"), "another").file;
    CommandsTest.Run run = CommandsTest.status("--http", at, "--tls-ca", another.toString());
    assertEquals(ExitCode.UNREACHABLE.number(), run.code(), run.out());
    assertTrue(run.err().contains("by CN=authority, which"), run.err());
    run = CommandsTest.status("--http", at, "--tls-ca", fixture.authority.file.toString());
    assertEquals(ExitCode.UNHEALTHY.number(), run.code());
    assertTrue(run.out().contains("metrics to read"), run.out());
    run = CommandsTest.status("--http", at, "--token-file", file.toString());
    assertEquals(ExitCode.USAGE.number(), run.code());
    assertTrue(run.err().contains("add --tls-ca"), run.err());
  }

  private String[] flags(String at, List<String> flags) {
    List<String> all =
        new ArrayList<>(List.of("--http", at, "--tls-ca", fixture.authority.file.toString()));
    all.addAll(flags);
    return all.toArray(String[]::new);
  }
}
