package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.security.ClusterSecret;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;

/**
 * HBase with two region servers, and an oracle of two members of which one leads, in this process.
 *
 * <p>Its leader is changed by one thread; the rest is thread-safe.
 */
final class Servers implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int PATIENCE_SECONDS = 60;

  private final EmbeddedHBase hbase;
  private final EmbeddedBookKeeper log;
  private final Path secret;
  private final String addresses;
  private RetsoServer leader;
  private RetsoServer standby;

  Servers(Path directory) throws Exception {
    hbase =
        EmbeddedHBase.in(directory.resolve("hbase"))
            .regionServers(2)
            .set("hbase.balancer.period", Integer.toString(Integer.MAX_VALUE))
            // MapReduce in the same process cannot do with the raw one; no server is killed here.
            .set("fs.file.impl", LocalFileSystem.class.getName())
            .start();
    log = EmbeddedBookKeeper.start(directory.resolve("bookie"), 1, false);
    secret = directory.resolve("secret");
    ClusterSecret.make(secret);
    leader = server(0);
    standby = server(0);
    addresses = "127.0.0.1:" + leader.port() + ",127.0.0.1:" + standby.port();
  }

  private RetsoServer server(int port) throws Exception {
    return RetsoServer.start(
        ServerConfig.builder()
            .set(Settings.LISTEN_PORT, port)
            .set(Settings.HTTP_PORT, 0)
            .set(Settings.ROWS, "100k")
            .set(Settings.WINDOW_TIMESTAMPS, "2^17")
            .set(Settings.UNCLEANED_MAX, "100k")
            .set(Settings.ZOOKEEPER, log.zookeeper())
            .set(Settings.LOG_ENSEMBLE, 1)
            .set(Settings.SECRET_FILE, secret.toString())
            .build());
  }

  /** Of both members; one that was killed comes back to its own. */
  String addresses() {
    return addresses;
  }

  /** For clients of HBase; a copy. */
  Configuration configuration() {
    return hbase.configuration();
  }

  /** The standby leads, and the killed one stands by when it has started again. */
  void killLeader() throws Exception {
    RetsoServer old = leader;
    old.kill();
    eventually("another leader", standby::leads);
    replace(old);
  }

  /** Likewise, and the old leader agrees. */
  void handOver() throws Exception {
    RetsoServer old = leader;
    eventually("a hand-over", () -> standby.leads() || handsOver(old));
    eventually("another leader", standby::leads);
    replace(old);
  }

  private void replace(RetsoServer old) throws Exception {
    old.close();
    leader = standby;
    standby = server(old.port());
  }

  private static boolean handsOver(RetsoServer server) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + server.httpPort() + "/handover");
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .header("X-Retso-Action", "1")
            .POST(BodyPublishers.noBody())
            .build();
    return HTTP.send(request, BodyHandlers.discarding()).statusCode() == 200;
  }

  /** Waits for what happens in the background. */
  static void eventually(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.call()) {
      assertEquals(
          1,
          Long.signum(deadline - System.nanoTime()),
          () -> "in " + PATIENCE_SECONDS + " s " + what);
      TimeUnit.MILLISECONDS.sleep(10); // between two looks, not instead of one
    }
  }

  @Override
  public void close() throws IOException {
    standby.close();
    leader.close();
    log.close();
    hbase.close();
  }
}
