package io.retso.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What only a test may do to servers, and what it asks them. */
public final class FailingServers {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Pattern CONNECTIONS = Pattern.compile("\nretso_connections ([0-9]+)");
  private static final Pattern REFUSED = Pattern.compile("\nretso_refused_commits_total ([0-9]+)");

  private FailingServers() {}

  /** As if the process died from one moment to the next. */
  public static void kill(RetsoServer server) {
    server.kill();
  }

  /** As if the process stood still until the latch is released. */
  public static void hang(RetsoServer server, CountDownLatch until) {
    server
        .oracleThread()
        .execute(
            () -> {
              try {
                until.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /** As {@code retso handover} does; returns whether it was not refused. */
  public static boolean handsOver(RetsoServer server) throws IOException {
    return send(HttpRequest.newBuilder(address(server, "/handover"))
                .header("X-Retso-Action", "1")
                .POST(BodyPublishers.noBody()))
            .statusCode()
        == 200;
  }

  /** Whether it leads, or could take over. */
  public static boolean serves(RetsoServer server) {
    return server.view().serves();
  }

  /** Connections of clients. */
  public static int connections(RetsoServer server) throws IOException {
    return figure(server, CONNECTIONS);
  }

  /** Commits that it refused for now. */
  public static int refusedCommits(RetsoServer server) throws IOException {
    return figure(server, REFUSED);
  }

  private static int figure(RetsoServer server, Pattern pattern) throws IOException {
    String metrics = send(HttpRequest.newBuilder(address(server, "/metrics"))).body();
    Matcher found = pattern.matcher(metrics);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    try {
      return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static URI address(RetsoServer server, String path) {
    return URI.create("http://127.0.0.1:" + server.httpPort() + path);
  }
}
