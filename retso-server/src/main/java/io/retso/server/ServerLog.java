package io.retso.server;

import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.BookieAccess;
import io.retso.log.bookkeeper.LedgerPasswords;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.member.Roster;
import io.retso.security.ClusterSecret;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.BookieKey;
import io.retso.server.embedded.BookieSettings;
import io.retso.server.embedded.DataDirectory;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.embedded.LockedException;
import io.retso.server.members.ZooKeeperRoster;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Where a server keeps its log, and by what it opens it: an embedded cluster or one that is there.
 * Opened by the thread that starts the server; {@link #use} and {@link #embedded} may be called by
 * any afterwards.
 */
final class ServerLog implements AutoCloseable {
  private static final Duration ZOOKEEPER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(30);

  private final ServerConfig config;
  private EmbeddedBookKeeper embedded;
  private ZooKeeperAccess access = ZooKeeperAccess.OPEN;
  private BookKeeperStore store;

  ServerLog(ServerConfig config) {
    this.config = config;
  }

  /** Makes the directory that an embedded log is in, with its secret; closes it to others. */
  void prepare() throws IOException {
    if (config.isEmbedded()) {
      DataDirectory.prepare(config.get(Settings.DATA_DIR).toAbsolutePath().normalize());
    }
  }

  /** Starts ZooKeeper and bookies, if the log is to be in this process. */
  void startEmbedded(ClusterSecret secret) throws IOException, ConfigException, LogException {
    if (config.isEmbedded()) {
      try {
        embedded =
            EmbeddedBookKeeper.start(
                config.get(Settings.DATA_DIR),
                config.get(Settings.EMBEDDED_BOOKIES),
                config.get(Settings.LOG_SYNC),
                access(config, secret),
                bookieKey(secret));
      } catch (LockedException e) {
        throw new LogException(LogException.Reason.LOCKED, ErrorText.of(e), e);
      }
    }
  }

  private BookieAccess bookies(ClusterSecret secret) {
    if (config.isEmbedded()) {
      return bookieKey(secret).ofServer();
    }
    return config.get(Settings.LOG_TLS)
        ? BookieAccess.byCertificate(
            Path.of(config.get(Settings.TLS_CERTIFICATE)),
            Path.of(config.get(Settings.TLS_KEY)),
            Path.of(config.get(Settings.TLS_CA)))
        : BookieAccess.OPEN;
  }

  /** It comes from the first line alone: embedded bookies end with this process. */
  private static BookieKey bookieKey(ClusterSecret secret) {
    return new BookieKey(secret.keys("embedded bookies", "").get(0));
  }

  /**
   * A server's identity in ZooKeeper.
   *
   * @throws ConfigException if ZooKeeper's own client was not told what that takes
   */
  static ZooKeeperAccess access(ServerConfig config, ClusterSecret secret) throws ConfigException {
    return switch (config.zooKeeperAuth()) {
      case "digest" -> ZooKeeperAccess.bySecret(secret::keys);
      case "sasl" -> byConnection("sasl", "java.security.auth.login.config", "FILE");
      case "x509" -> byConnection("x509", "zookeeper.client.secure", "true");
      // An embedded one may have been closed to others before.
      default ->
          config.isEmbedded()
              ? ZooKeeperAccess.bySecret(secret::keys).withOpenNodes()
              : ZooKeeperAccess.OPEN;
    };
  }

  private static ZooKeeperAccess byConnection(String auth, String property, String value)
      throws ConfigException {
    String told = System.getProperty(property, "");
    if (told.isEmpty() || value.equals("true") && !told.equals(value)) {
      throw new ConfigException(
          "zookeeper.auth = "
              + auth
              + " needs RETSO_OPTS with -D"
              + property
              + "="
              + value
              + ", by which ZooKeeper's client identifies this server");
    }
    return ZooKeeperAccess.byConnection();
  }

  /** Opens the ledgers of the log. */
  BookKeeperStore open(ClusterSecret secret) throws LogException, ConfigException {
    access = access(config, secret);
    ServerConfig.Quorums q = config.quorums();
    Duration silence = config.get(Settings.LOG_TIMEOUT);
    store =
        BookKeeperStore.connect(
            new BookKeeperSettings(
                zookeeper(),
                access,
                bookies(secret),
                config.get(Settings.LOG_ZNODE),
                config.isEmbedded()
                    ? BookieSettings.LEDGERS_ROOT
                    : config.get(Settings.LOG_LEDGERS),
                q.ensemble(),
                q.write(),
                q.ack(),
                silence,
                silence,
                ZOOKEEPER_TIMEOUT,
                OPERATION_TIMEOUT.compareTo(silence) > 0 ? OPERATION_TIMEOUT : silence),
            embedded().map(cluster -> cluster.witnessFile(config.get(Settings.LOG_ZNODE))),
            passwords(secret));
    return store;
  }

  /** Without a file of it, each stranger knows the secret, too. */
  private LedgerPasswords passwords(ClusterSecret secret) {
    return config.secretFile().isEmpty() ? LedgerPasswords.NONE : LedgerPasswords.of(secret::keys);
  }

  /**
   * Goes by another secret from here on; blocks for as long as ZooKeeper takes.
   *
   * @throws LogException if a ledger of the log needs a line that it lacks, or that cannot be found
   *     out; then the one before goes on to count
   */
  void use(ClusterSecret secret) throws LogException, ConfigException {
    if (store != null) {
      store.use(passwords(secret), access(config, secret));
    }
  }

  /** Registers this server beside the log. */
  Roster roster(LongSupplier nanoClock) {
    return ZooKeeperRoster.connect(zookeeper(), access, config.get(Settings.LOG_ZNODE), nanoClock);
  }

  private String zookeeper() {
    return embedded == null ? config.get(Settings.ZOOKEEPER) : embedded.zookeeper();
  }

  /** The embedded cluster; empty if there is none. */
  Optional<EmbeddedBookKeeper> embedded() {
    return Optional.ofNullable(embedded);
  }

  /** Where the log is, for people. */
  String place() {
    if (!config.isDurable()) {
      return "nothing is kept: for measurements only";
    }
    ServerConfig.Quorums q = config.quorums();
    String copies =
        String.format(
            Locale.ROOT, "ensemble %d, write %d, ack %d", q.ensemble(), q.write(), q.ack());
    if (config.isEmbedded()) {
      Path dir = config.get(Settings.DATA_DIR).toAbsolutePath().normalize();
      return String.format(
          Locale.ROOT,
          "embedded in %s, %s%s",
          dir,
          copies,
          config.get(Settings.LOG_SYNC) ? "" : ", not forced to disk");
    }
    return String.format(
        Locale.ROOT,
        "zookeeper %s, node %s, %s",
        config.get(Settings.ZOOKEEPER),
        config.get(Settings.LOG_ZNODE),
        copies);
  }

  @Override
  public void close() throws IOException {
    if (store != null) {
      store.close();
    }
    if (embedded != null) {
      embedded.close();
    }
  }
}
