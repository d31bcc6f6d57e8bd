package io.retso.chaos.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.cluster.SecuredFiles;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.text.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Security is switched on and off again under load, in three servers of this process. */
@Timeout(180)
class RolloutTest {
  @TempDir private Path directory;

  /** The servers; ports stay as they were found free. */
  private static final class Here implements Oracles, AutoCloseable {
    private static final int COUNT = 3;

    /** Connections of clients do not come from there, so that a port stays free meanwhile. */
    private static final String HOST = "127.83." + ThreadLocalRandom.current().nextInt(256) + ".11";

    private final String zooKeeper;
    private final List<RetsoServer> servers = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();
    private final List<String> http = new ArrayList<>();

    Here(String zooKeeper) throws IOException {
      this.zooKeeper = zooKeeper;
      for (int i = 0; i < COUNT; i++) {
        RetsoServer server = start(0, 0, Rollout.settingsBefore());
        servers.add(server);
        addresses.add(HOST + ":" + server.port());
        http.add(HOST + ":" + server.httpPort());
      }
    }

    private static int port(List<String> of, int oracle) {
      return Addresses.parse(of.get(oracle)).getPort();
    }

    private RetsoServer start(int port, int httpPort, Map<String, String> settings)
        throws IOException {
      try {
        ServerConfig.Builder builder =
            ServerConfig.builder()
                .set(Settings.LISTEN_HOST, HOST)
                .set(Settings.HTTP_HOST, HOST)
                .set(Settings.LISTEN_PORT, port)
                .set(Settings.HTTP_PORT, httpPort)
                .set(Settings.ZOOKEEPER, zooKeeper)
                .set(Settings.LOG_ENSEMBLE, 1)
                .set(Settings.ROWS, "500k")
                .set(Settings.WINDOW_TIMESTAMPS, "2^20")
                .set(Settings.UNCLEANED_MAX, "200k");
        for (Setting<?> setting : Settings.ALL) {
          if (settings.containsKey(setting.key())) {
            builder.set(setting, settings.get(setting.key()));
          }
        }
        return RetsoServer.start(builder.build());
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }

    @Override
    public List<String> addresses() {
      return addresses;
    }

    @Override
    public List<String> http() {
      return http;
    }

    @Override
    public void restart(int oracle, Map<String, String> settings) throws IOException {
      servers.get(oracle).close();
      servers.set(oracle, start(port(addresses, oracle), port(http, oracle), settings));
    }

    @Override
    public void kill(int oracle) {
      servers.get(oracle).kill();
    }

    @Override
    public void close() {
      servers.forEach(RetsoServer::close);
    }
  }

  @Test
  void noTransactionFailsForAnyStepForthAndBack() throws Exception {
    StringWriter out = new StringWriter();
    try (SecuredFiles files = SecuredFiles.make(directory, "required", List.of(Here.HOST));
        EmbeddedBookKeeper bookKeeper =
            EmbeddedBookKeeper.start(directory.resolve("log"), 1, false);
        Here oracles = new Here(bookKeeper.zookeeper())) {
      List<String> wrong = Rollout.run(oracles, files, 0, new PrintWriter(out));
      assertEquals(List.of(), wrong, out::toString);
    } finally {
      System.out.println(out);
    }
  }
}
