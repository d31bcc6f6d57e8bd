package io.retso.server;

import io.retso.security.AccessControl;
import io.retso.security.Audit;
import io.retso.security.ClusterSecret;
import io.retso.security.SecretException;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import io.retso.server.observe.AuditFile;
import io.retso.server.observe.HttpEndpoint;
import io.retso.text.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whom a server lets in, and what it says of that. Thread-safe. */
final class ServerSecurity implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerSecurity.class);

  private final ServerConfig config;
  private final Optional<AuditFile> audit;
  private final AccessControl access;
  private final SecurityFiles files;

  private ServerSecurity(
      ServerConfig config, Optional<AuditFile> audit, AccessControl access, SecurityFiles files) {
    this.config = config;
    this.audit = audit;
    this.access = access;
    this.files = files;
  }

  /**
   * Reads what there is. Other machines get in where clients have to identify themselves, or where
   * all are trusted.
   *
   * @throws ConfigException if others would get in otherwise, or a file cannot be used
   */
  static ServerSecurity open(ServerConfig config, InetSocketAddress clients, InetSocketAddress http)
      throws ConfigException, IOException {
    boolean listens = !clients.getAddress().isLoopbackAddress();
    boolean shows = !http.getAddress().isLoopbackAddress();
    String auditFile = config.get(Settings.AUDIT_FILE);
    Optional<AuditFile> audit =
        auditFile.isEmpty()
            ? Optional.empty()
            : Optional.of(AuditFile.open(Path.of(auditFile), System::currentTimeMillis));
    AccessControl access =
        new AccessControl(
            config.isInsecure(),
            System::currentTimeMillis,
            audit.isPresent() ? audit.get() : Audit.NONE);
    SecurityFiles files = new SecurityFiles(config, access, listens || shows);
    ServerSecurity security = new ServerSecurity(config, audit, access, files);
    try {
      files.read();
      if ((listens || shows) && !files.isClosed() && !config.isInsecure()) {
        throw isOpen(config, listens ? Settings.LISTEN_HOST : Settings.HTTP_HOST);
      }
    } catch (ConfigException e) {
      security.close();
      throw e;
    }
    access.audit().record(Audit.Event.of(Audit.Kind.STARTED).with("text", security.posture()));
    return security;
  }

  private static ConfigException isOpen(ServerConfig config, Setting<String> host) {
    return new ConfigException(
        host.key()
            + " = "
            + config.get(host)
            + " lets other machines in, and clients need not identify themselves: set it to"
            + " 127.0.0.1, or let ./retso secure init make certificates and an access file that has"
            + " auth required, or set insecure = yes-i-know where only machines that you trust"
            + " reach it");
  }

  /** What identifies clients and says what they may do. */
  AccessControl access() {
    return access;
  }

  /** The files that say so. */
  SecurityFiles files() {
    return files;
  }

  /**
   * Reads the secret. One of a log in memory ends with it; a log of this server alone comes with
   * one.
   */
  static ClusterSecret secret(ServerConfig config) throws ConfigException, IOException {
    Optional<Path> file = config.secretFile();
    if (file.isEmpty()) {
      return config.isDurable() ? ClusterSecret.knownToAll() : ClusterSecret.random();
    }
    try {
      return config.isEmbedded()
          ? ClusterSecret.readOrMake(file.get())
          : ClusterSecret.read(file.get());
    } catch (SecretException e) {
      throw new ConfigException(e.getMessage(), e);
    }
  }

  /** What HTTP goes by. */
  HttpEndpoint.Access http() {
    Set<String> names = new HashSet<>(Set.of("localhost"));
    names.add(config.get(Settings.HTTP_HOST).toLowerCase(Locale.ROOT));
    String advertised = config.get(Settings.ADVERTISE_ADDRESS);
    if (!advertised.isEmpty()) {
      names.add(Addresses.parse(advertised).getHostString().toLowerCase(Locale.ROOT));
    }
    return new HttpEndpoint.Access(
        access, files::server, config.get(Settings.HTTP_HANDOVER_REMOTE), Set.copyOf(names));
  }

  /** What keeps strangers out, or not. */
  String posture() {
    if (files.isClosed()) {
      return files.summary();
    }
    if (!config.isInsecure()) {
      return "this machine only";
    }
    return config.secretFile().isEmpty() && config.isDurable()
        ? "INSECURE: all who reach the port may do everything, and tickets can be made up"
        : "INSECURE: all who reach the port may sweep, and nothing has to be encrypted";
  }

  /** What an operator should see to; empty if there is nothing. */
  String warning() {
    if (config.isInsecure() && !files.isClosed()) {
      return posture();
    }
    long dropped = audit.map(AuditFile::dropped).orElse(0L);
    return dropped > 0 ? dropped + " audit events are lost; the log says why" : files.warning();
  }

  /** Says it in the log, if the server is open to others. */
  void remind() {
    if (config.isInsecure() && !files.isClosed()) {
      LOG.warn("{}", posture());
    }
  }

  @Override
  public void close() {
    files.close();
    audit.ifPresent(AuditFile::close);
  }
}
