package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.server.commands.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tarball's own commands make what its server needs to let others in. */
@Timeout(300)
class SecuredDistributionTest {
  @TempDir Path directory;

  private Path home;
  private Path keys;
  private Path conf;

  /** The packaged settings, and behind them the lines of {@code retso secure init}. */
  @BeforeEach
  void install() throws Exception {
    Archives.unpackTarball(DistributionTest.packed(".tar.gz"), directory.resolve("tar"));
    try (Stream<Path> roots = Files.list(directory.resolve("tar"))) {
      home = roots.findFirst().orElseThrow();
    }
    keys = directory.resolve("keys");
    conf = keys.resolve("member-localhost");
    String member = "localhost,127.0.0.1";
    says(
        "Copy the files",
        "secure",
        "init",
        keys.toString(),
        "--path",
        conf.toString(),
        "--member",
        member);
    Path made = conf.resolve("retso.properties");
    String own =
        Files.readString(made).replaceAll("(?m)^(audit.file =).*$", "$1 " + audit().toString());
    String standard = Files.readString(home.resolve("conf/retso.properties"));
    for (String line : own.lines().toList()) {
      String key = line.substring(0, line.indexOf(' '));
      assertTrue(standard.contains("\n#" + key + " ="), key);
    }
    Files.writeString(made, standard + own + "listen.host = 0.0.0.0\nhttp.host = 0.0.0.0\n");
    says("made", "secure", "issue", keys.toString(), "app-orders");
  }

  private Path audit() {
    return directory.resolve("audit.json");
  }

  @Test
  void itServesThoseOnlyThatSayWhoTheyAre() throws Exception {
    Path access = conf.resolve("access");
    Files.writeString(access, "may application app-*\n", StandardOpenOption.APPEND);
    Path token = directory.resolve("orders.token");
    List<String> create = new ArrayList<>(List.of("token", "create", "--principal", "app-orders"));
    create.addAll(List.of("--secret-file", keys + "/secret", "--out", token.toString()));
    says("", create.toArray(String[]::new));
    try (InstalledServer server = InstalledServer.start(home, conf, directory)) {
      commits(server, client().certificate(key("tls.crt"), key("tls.key")).build());
      ClientSecurity bearer = client().token(token).build();
      commits(server, bearer);
      assertThrows(OracleException.class, () -> commits(server, null));
      says("tls required, auth required", asOperator("status", server));

      Files.writeString(access, "revoked principal app-orders\n", StandardOpenOption.APPEND);
      says("tls required", asOperator("reload", server));
      assertThrows(OracleException.class, () -> commits(server, bearer));
      assertTrue(Files.readString(audit()).contains("app-orders"), () -> TestHosts.text(audit()));
    }
  }

  @Test
  void itRefusesToLetOthersInUnsaid() throws Exception {
    Path output = directory.resolve("refused.txt");
    ProcessBuilder server =
        InstalledServer.command(
            home, home.resolve("conf"), output, "server", "--listen-host=0.0.0.0");
    assertEquals(
        ExitCode.USAGE.number(), InstalledServer.run(server), () -> TestHosts.text(output));
    String text = Files.readString(output);
    assertTrue(text.contains("./retso secure init"), text);
  }

  private ClientSecurity.Builder client() {
    return ClientSecurity.builder(keys.resolve("ca.crt"));
  }

  private Path key(String name) {
    return keys.resolve("app-orders").resolve(name);
  }

  private String[] asOperator(String word, InstalledServer server) {
    Path own = keys.resolve("operator");
    String http = "localhost:" + server.httpPort();
    return new String[] {
      word,
      "--http",
      http,
      "--tls-ca",
      own + "/ca.crt",
      "--certificate",
      own + "/tls.crt",
      "--key",
      own + "/tls.key"
    };
  }

  private static void commits(InstalledServer server, ClientSecurity security) {
    var builder = OracleClient.builder().address("localhost:" + server.port());
    if (security != null) {
      builder.security(security);
    }
    try (OracleClient oracle = builder.build()) {
      TransactionHandle begun = oracle.begin();
      assertTrue(oracle.commit(begun, 1).isCommitted());
      oracle.cleanedUp(begun);
    }
  }

  /** A command that ends well, and what it says. */
  private void says(String text, String... words) throws IOException, InterruptedException {
    Path output = directory.resolve("said.txt");
    int code =
        InstalledServer.run(InstalledServer.command(home, home.resolve("conf"), output, words));
    String said = TestHosts.text(output);
    assertEquals(0, code, said);
    assertTrue(said.contains(text), said);
  }
}
