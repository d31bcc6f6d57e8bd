package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.SecureCommand;
import io.retso.server.commands.StatusCommand;
import io.retso.server.commands.TokenCommand;
import io.retso.server.config.Settings;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Stream;
import org.apache.bookkeeper.util.CertUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From nothing to a server that knows its clients, by the commands alone. */
@Timeout(120)
class SecureCommandTest {
  @TempDir private Path directory;
  private String out;
  private String err;

  private int run(Object command, Object... arguments) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    int code =
        CommandLines.of(command)
            .setOut(new PrintWriter(outText))
            .setErr(new PrintWriter(errText))
            .execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return code;
  }

  private Path init() throws Exception {
    Path made = directory.resolve("made");
    int code =
        run(
            new SecureCommand(),
            "init",
            made,
            "--member",
            "localhost,127.0.0.1",
            "--path",
            made.resolve("member-localhost"));
    assertEquals(ExitCode.CLEAN.number(), code, err);
    return made;
  }

  @Test
  void bookiesKnowMembersByTheirRole() throws Exception {
    Path made = init();
    assertEquals(
        ExitCode.CLEAN.number(),
        run(new SecureCommand(), "issue", made, "shell", "--role", "retso"),
        err);
    assertEquals(ExitCode.CLEAN.number(), run(new SecureCommand(), "issue", made, "app"), err);
    assertEquals("retso", roles(made.resolve("member-localhost")));
    assertEquals("retso", roles(made.resolve("shell")));
    assertEquals("", roles(made.resolve("app")));
    assertEquals(
        ExitCode.USAGE.number(), run(new SecureCommand(), "issue", made, "x", "--role", "a,CN=b"));
  }

  /** As BookKeeper reads them. */
  private static String roles(Path owner) throws Exception {
    try (InputStream in = Files.newInputStream(owner.resolve("tls.crt"))) {
      String[] roles =
          CertUtils.getRolesFromOU(
              (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in));
      return roles == null ? "" : String.join(",", roles);
    }
  }

  @Test
  void whatItMakesIsAllThatServerAndClientsNeed() throws Exception {
    Path made = init();
    assertTrue(out.startsWith("1. Copy the files"), out);
    Path member = made.resolve("member-localhost");
    Files.writeString(
        member.resolve("access"), "may application app etl\n", StandardOpenOption.APPEND);
    try (RetsoServer server =
        RetsoServer.start(
            TestServers.small()
                .load(member.resolve("retso.properties"))
                .set(Settings.LOG, "memory")
                .set(Settings.AUDIT_FILE, directory.resolve("audit.json"))
                .build())) {
      assertEquals(ExitCode.CLEAN.number(), run(new SecureCommand(), "issue", made, "app"), err);
      Path app = made.resolve("app");
      commits(
          server,
          ClientSecurity.builder(app.resolve("ca.crt"))
              .certificate(app.resolve("tls.crt"), app.resolve("tls.key"))
              .build());
      Path token = directory.resolve("etl.token");
      int code =
          run(
              new TokenCommand(),
              "create",
              "--principal=etl",
              "--secret-file=" + made.resolve("secret"),
              "--out=" + token);
      assertEquals(ExitCode.CLEAN.number(), code, err);
      assertTrue(err.matches("token [0-9a-f]{16} of etl, made at \\S+, ends at \\S+\\n"), err);
      String said = err;
      assertEquals(ExitCode.CLEAN.number(), run(new TokenCommand(), "show", token), err);
      assertEquals(said, out);
      commits(server, ClientSecurity.builder(made.resolve("ca.crt")).token(token).build());
      Path operator = made.resolve("operator");
      code =
          run(
              new StatusCommand(),
              "--http=localhost:" + server.httpPort(),
              "--tls-ca=" + made.resolve("ca.crt"),
              "--certificate=" + operator.resolve("tls.crt"),
              "--key=" + operator.resolve("tls.key"));
      assertEquals(ExitCode.CLEAN.number(), code, err);
      assertTrue(out.contains("tls required, auth required"), out);
    }
  }

  private static void commits(RetsoServer server, ClientSecurity security) {
    try (OracleClient client =
        OracleClient.builder().address("localhost:" + server.port()).security(security).build()) {
      assertTrue(client.commit(client.begin(), 1).isCommitted());
    }
  }

  @Test
  void keysAndSecretsAreTheirOwnersAlone() throws Exception {
    Path made = init();
    try (Stream<Path> files = Files.walk(made)) {
      for (Path file : files.toList()) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        if (Files.isDirectory(file)) {
          assertEquals("rwx------", mode, file::toString);
        } else if (Files.readString(file, StandardCharsets.US_ASCII).contains("PRIVATE")
            || file.endsWith("secret")) {
          assertEquals("rw-------", mode, file::toString);
        }
      }
    }
    assertFalse(out.contains(Files.readString(made.resolve("secret")).strip()), out);
  }

  @Test
  void nothingThatIsThereIsReplaced() throws Exception {
    Path made = init();
    int code = run(new SecureCommand(), "init", made, "--member=other");
    assertEquals(ExitCode.CANNOT_OPEN.number(), code);
    assertTrue(err.contains("is not empty: name another directory"), err);
    assertEquals(
        ExitCode.CANNOT_OPEN.number(), run(new SecureCommand(), "issue", made, "operator"));
    assertTrue(err.contains("operator exists"), err);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "init DIR",
        "init DIR --member a,,b",
        "init DIR --member a:b/c",
        "init DIR --member ::1",
        "init DIR --member a --days 0",
        "issue DIR",
        "issue DIR ../x",
        "issue DIR a --days 10000",
        "issue DIR a --host a/b",
        ""
      })
  void wrongArgumentsMakeNothing(String arguments) throws Exception {
    Path absent = directory.resolve("absent");
    List<String> words = List.of(arguments.replace("DIR", absent.toString()).split(" "));
    int code = run(new SecureCommand(), words.stream().filter(w -> !w.isEmpty()).toArray());
    assertEquals(ExitCode.USAGE.number(), code, err);
    assertFalse(Files.exists(absent));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--principal=a b",
        "--principal=",
        "--principal=x --life=400d",
        "--principal=x --life=5m",
        "--principal=x --life=0d"
      })
  void tokensOfWrongArgumentsAreNotMade(String arguments) throws Exception {
    Path made = init();
    Path token = directory.resolve("token");
    List<String> words = new java.util.ArrayList<>(List.of("create", "--out=" + token));
    words.add("--secret-file=" + made.resolve("secret"));
    words.addAll(List.of(arguments.split(" (?=--)")));
    assertEquals(ExitCode.USAGE.number(), run(new TokenCommand(), words.toArray()), out);
    assertFalse(Files.exists(token));
  }
}
