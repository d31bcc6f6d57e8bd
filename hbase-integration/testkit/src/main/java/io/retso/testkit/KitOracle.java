package io.retso.testkit;

import io.retso.server.RetsoServer;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.Closeable;
import java.util.function.IntSupplier;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A small oracle with nothing on disk. Says its port. {@link SeparateOracle} loads it beside the
 * classes of the application, and knows it by the JDK's types only.
 */
@InterfaceAudience.Private
public final class KitOracle implements IntSupplier, Closeable {
  private final RetsoServer server;

  /** Starts one. */
  public KitOracle() throws Exception {
    server = RetsoServer.start(settings());
  }

  private static ServerConfig settings() throws ConfigException {
    return ServerConfig.builder()
        .set(Settings.LISTEN_PORT, 0)
        .set(Settings.HTTP_PORT, 0)
        .set(Settings.ROWS, "100k")
        .set(Settings.WINDOW_TIMESTAMPS, "2^17")
        .set(Settings.UNCLEANED_MAX, "100k")
        .set(Settings.LOG, "memory")
        .build();
  }

  @Override
  public int getAsInt() {
    return server.port();
  }

  @Override
  public void close() {
    server.close();
  }
}
