package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.tls.TestAuthority;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Nothing that leaves a server or a client, in good and in bad days, has a secret in it. */
@Timeout(120)
class SecretsTest {
  @TempDir private Path directory;

  @Test
  void nothingTellsASecret() throws Exception {
    SecuredFixture fixture = new SecuredFixture(directory);
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger own = (Logger) LoggerFactory.getLogger("io.retso");
    Level before = own.getLevel();
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    root.addAppender(logged);
    own.addAppender(logged);
    own.setLevel(Level.TRACE);
    List<String> said = new ArrayList<>();
    List<String> secrets = new ArrayList<>();
    try (RetsoServer server = fixture.start()) {
      Path token = fixture.token("etl", 60_000);
      String text = Files.readString(token).strip();
      secrets.add(text.substring(text.lastIndexOf('.') + 1));
      secrets.add(text.substring(7, 40));
      secrets.add(Files.readString(fixture.secret).strip());
      for (String line :
          Files.readString(fixture.authority.files("member").own().orElseThrow().key())
              .split("\n")) {
        if (!line.startsWith("-----")) {
          secrets.add(line);
        }
      }
      ClientSecurity good = ClientSecurity.builder(fixture.authority.file).token(token).build();
      try (OracleClient client = fixture.client(server, good)) {
        TransactionHandle begun = client.begin();
        secrets.add(begun.text().substring(begun.text().indexOf(':') + 1));
        said.add(begun.toString());
        said.add(refusal(() -> client.swept(begun)));
        said.add(good.toString());
        Path altered =
            TestAuthority.replace(
                directory.resolve("altered"), text.replace("retso1.", "retso1.B"));
        try (OracleClient bad =
            fixture.client(
                server, ClientSecurity.builder(fixture.authority.file).token(altered).build())) {
          said.add(refusal(bad::begin));
        }
        TestAuthority.replace(fixture.secret, "no secret");
        said.add(fixture.reload(server).body());
        for (String page : new String[] {"/status", "/metrics", "/health", "/leader", "/clients"}) {
          var reply = fixture.ask(server, "operator", "GET", page);
          assertEquals(200, reply.statusCode());
          said.add(reply.body());
        }
      }
    } finally {
      root.detachAppender(logged);
      own.detachAppender(logged);
      own.setLevel(before);
    }
    said.add(Files.readString(fixture.audit()));
    for (ILoggingEvent event : List.copyOf(logged.list)) {
      said.add(event.getFormattedMessage());
      if (event.getThrowableProxy() != null) {
        said.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
      }
    }
    said.add(ProcessHandle.current().info().commandLine().orElse(""));
    assertTrue(said.size() > 15 && secrets.size() >= 6, said.size() + ", " + secrets.size());
    for (String secret : secrets) {
      assertTrue(secret.length() >= 10, "too short to be told from others");
      for (String each : said) {
        assertFalse(each.contains(secret), each);
      }
    }
  }

  /** With all its causes. */
  private static String refusal(Executable call) {
    OracleException e = assertThrows(OracleException.class, call);
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
