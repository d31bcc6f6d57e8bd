package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.TransactionHandle;
import io.retso.security.AccessTokens;
import io.retso.security.ClusterSecret;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that wants to know who its clients are, and clients that say so, or do not. */
@Timeout(120)
class SecuredServerTest {
  private static final String REQUIRED =
      """
      tls required
      auth required
      name CN (.*) = $1
      may application app etl
      may sweeper sweeper
      may member member
      """;

  @TempDir private Path directory;
  private TestAuthority authority;
  private Path access;
  private Path secret;

  @BeforeEach
  void makeAuthority() throws Exception {
    authority = new TestAuthority(directory.resolve("ca"), "authority");
    access = directory.resolve("access");
    Files.writeString(access, REQUIRED);
    secret = directory.resolve("secret");
    ClusterSecret.make(secret);
  }

  private RetsoServer start() throws Exception {
    TlsFiles own = authority.server("member");
    ServerConfig.Builder builder =
        TestServers.small()
            .set(Settings.LOG, "memory")
            .set(Settings.SECRET_FILE, secret)
            .set(Settings.ACCESS_FILE, access)
            .set(Settings.TLS_CERTIFICATE, own.own().orElseThrow().certificate())
            .set(Settings.TLS_KEY, own.own().orElseThrow().key())
            .set(Settings.TLS_CA, own.authorities());
    return RetsoServer.start(builder.build());
  }

  private OracleClient client(RetsoServer server, ClientSecurity security) {
    var builder =
        OracleClient.builder()
            .address("127.0.0.1:" + server.port())
            .requestTimeout(Duration.ofSeconds(20));
    return (security == null ? builder : builder.security(security)).build();
  }

  private ClientSecurity as(String name) throws Exception {
    TlsFiles.Own own = authority.client(name).own().orElseThrow();
    return ClientSecurity.builder(authority.file).certificate(own.certificate(), own.key()).build();
  }

  private ClientSecurity withToken(String principal, long lifeMillis) throws Exception {
    long now = System.currentTimeMillis();
    String token =
        new AccessTokens(ClusterSecret.read(secret))
            .make(AccessTokens.Token.of(principal, now, lifeMillis));
    Path file = TestAuthority.replace(directory.resolve(principal + ".token"), token);
    return ClientSecurity.builder(authority.file).token(file).build();
  }

  @Test
  void whoHasACertificateOrATokenIsServed() throws Exception {
    try (RetsoServer server = start()) {
      for (ClientSecurity security : new ClientSecurity[] {as("app"), withToken("etl", 60_000)}) {
        try (OracleClient client = client(server, security)) {
          TransactionHandle begun = client.begin();
          assertTrue(client.commit(begun, 1, 2, 3).isCommitted());
          OracleException refused = assertThrows(OracleException.class, () -> client.swept(begun));
          assertEquals(Category.NOT_PERMITTED, refused.category());
          assertTrue(refused.getMessage().contains("role sweeper"), refused.getMessage());
        }
      }
    }
  }

  @Test
  void othersAreRefusedAndToldWhy() throws Exception {
    try (RetsoServer server = start()) {
      assertRefused(server, null, "this port takes TLS only");
      assertRefused(
          server,
          ClientSecurity.builder(authority.file).build(),
          "give it a certificate or a token");
      assertRefused(server, withToken("etl", -600_000), "of etl ended at");
      TestAuthority another = new TestAuthority(directory.resolve("another"), "another");
      assertRefused(
          server,
          ClientSecurity.builder(another.file).build(),
          "the certificate of CN=member is by CN=authority, which " + another.file);
      TlsFiles.Own foreign = another.client("app").own().orElseThrow();
      assertRefused(
          server,
          ClientSecurity.builder(authority.file)
              .certificate(foreign.certificate(), foreign.key())
              .build(),
          "give it a certificate or a token");
    }
  }

  private void assertRefused(RetsoServer server, ClientSecurity security, String why) {
    try (OracleClient client = client(server, security)) {
      OracleException refused = assertThrows(OracleException.class, client::begin);
      assertEquals(Category.NOT_AUTHENTICATED, refused.category(), refused.getMessage());
      assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }
  }
}
