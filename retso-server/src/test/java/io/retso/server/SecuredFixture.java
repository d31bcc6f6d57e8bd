package io.retso.server;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.security.AccessTokens;
import io.retso.security.AccessTokens.Token;
import io.retso.security.ClusterSecret;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

/** What servers and clients need to know each other, and how servers are told of changes. */
final class SecuredFixture {
  /** Lines behind the modes. */
  static final String LINES =
      """
      name CN (.*) = $1
      may application app etl
      may sweeper sweeper
      may region-server region-server
      may operator operator
      may metrics prometheus
      may member member
      may bench bench
      """;

  final TestAuthority authority;
  final Path directory;
  final Path access;
  final Path secret;

  SecuredFixture(Path directory) throws Exception {
    this.directory = directory;
    authority = new TestAuthority(directory.resolve("ca"), "authority");
    access = directory.resolve("access");
    secret = directory.resolve("secret");
    ClusterSecret.make(secret);
    authority.server("member");
    levels("required", "required");
  }

  /** Writes the access file. */
  void levels(String tls, String auth) throws IOException {
    write("tls " + tls + "\nauth " + auth + "\n" + LINES);
  }

  void write(String text) throws IOException {
    TestAuthority.replace(access, text);
  }

  /** Settings of a server. */
  ServerConfig.Builder settings(ServerConfig.Builder builder) {
    TlsFiles.Own own = authority.files("member").own().orElseThrow();
    return builder
        .set(Settings.SECRET_FILE, secret)
        .set(Settings.ACCESS_FILE, access)
        .set(Settings.AUDIT_FILE, audit())
        .set(Settings.TLS_CERTIFICATE, own.certificate())
        .set(Settings.TLS_KEY, own.key())
        .set(Settings.TLS_CA, authority.file);
  }

  Path audit() {
    return directory.resolve("audit.json");
  }

  /** A server with a log in memory. */
  RetsoServer start() throws Exception {
    return RetsoServer.start(settings(TestServers.small().set(Settings.LOG, "memory")).build());
  }

  /** A client; in clear if it knows nothing. */
  OracleClient client(RetsoServer server, ClientSecurity security) {
    var builder =
        OracleClient.builder()
            .address("127.0.0.1:" + server.port())
            .requestTimeout(Duration.ofSeconds(20));
    return (security == null ? builder : builder.security(security)).build();
  }

  /** What a client goes by that has a certificate. */
  ClientSecurity.Builder as(String name) throws Exception {
    TlsFiles.Own own = authority.client(name).own().orElseThrow();
    return ClientSecurity.builder(authority.file).certificate(own.certificate(), own.key());
  }

  /** What a client goes by that has a token. */
  ClientSecurity withToken(String principal, long lifeMillis) throws Exception {
    return ClientSecurity.builder(authority.file).token(token(principal, lifeMillis)).build();
  }

  /** A file with a token. */
  Path token(String principal, long lifeMillis) throws Exception {
    Token token = Token.of(principal, System.currentTimeMillis(), lifeMillis);
    String text = new AccessTokens(ClusterSecret.read(secret)).make(token);
    return TestAuthority.replace(directory.resolve(principal + ".token"), text + "\n");
  }

  /** Has a server read its files at once. */
  HttpResponse<String> reload(RetsoServer server) throws Exception {
    return ask(server, "operator", "POST", "/reload", "X-Retso-Action", "1");
  }

  /** Asks over HTTP as somebody with a certificate of that name; empty without one. */
  HttpResponse<String> ask(
      RetsoServer server, String name, String method, String path, String... headers)
      throws Exception {
    TlsFiles files = name.isEmpty() ? authority.nothing() : authority.client(name);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.httpPort() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(30));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newBuilder()
        .sslContext(TlsContext.forHttp(files))
        .build()
        .send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
