package io.retso.server;

import io.retso.Await;
import io.retso.security.ClusterSecret;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Small servers for tests, and what they say over HTTP. */
public final class TestServers {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private static Path secret;

  private TestServers() {}

  /** A few MB, any free ports. */
  static ServerConfig.Builder small() {
    return ServerConfig.builder()
        .set(Settings.LISTEN_PORT, 0)
        .set(Settings.HTTP_PORT, 0)
        .set(Settings.ROWS, "100k")
        .set(Settings.WINDOW_TIMESTAMPS, "2^16")
        .set(Settings.UNCLEANED_MAX, "1000");
  }

  /** One of the servers that share a log: all those of this process have the same secret. */
  static ServerConfig.Builder member(String zookeeper) {
    return small()
        .set(Settings.ZOOKEEPER, zookeeper)
        .set(Settings.SECRET_FILE, secret().toAbsolutePath());
  }

  /** A file with a secret, which is deleted at the end of this process. */
  public static synchronized Path secret() {
    if (secret == null) {
      try {
        Path directory = Files.createTempDirectory("secret");
        secret = directory.resolve("secret");
        ClusterSecret.make(secret);
        directory.toFile().deleteOnExit();
        secret.toFile().deleteOnExit();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return secret;
  }

  /** A small server without a log. */
  public static RetsoServer inMemory() throws Exception {
    return RetsoServer.start(small().set(Settings.LOG, "memory").build());
  }

  public static HttpResponse<String> get(int port, String path) throws Exception {
    return send(port, path, "GET", "*/*");
  }

  /** Waits until a page answers with a status; returns what it says. */
  static String await(RetsoServer server, String path, int status) throws Exception {
    return await(server.httpPort(), path, status, "");
  }

  /** Waits until a page answers with a status and contains a text; returns what it says. */
  static String await(int port, String path, int status, String text) throws Exception {
    AtomicReference<HttpResponse<String>> answer = new AtomicReference<>();
    Await.until(
        () -> {
          answer.set(get(port, path));
          return answer.get().statusCode() == status && answer.get().body().contains(text);
        });
    return answer.get().body();
  }

  public static HttpResponse<String> send(int port, String path, String method, String accept)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("Accept", accept)
            .header("X-Retso-Action", "1")
            .timeout(Duration.ofSeconds(30))
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
