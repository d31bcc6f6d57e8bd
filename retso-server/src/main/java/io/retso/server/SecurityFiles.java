package io.retso.server;

import io.retso.log.LogException;
import io.retso.protocol.Authentication.Level;
import io.retso.security.Access;
import io.retso.security.AccessControl;
import io.retso.security.AccessException;
import io.retso.security.AccessFile;
import io.retso.security.Audit;
import io.retso.security.ClusterSecret;
import io.retso.security.Kerberos;
import io.retso.security.SecretException;
import io.retso.server.commands.ExitCode;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsException;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that say whom this server trusts and what it shows: access file, certificates, secret.
 * They are read at the start, and again every {@value #PERIOD_SECONDS} s on a thread of their own;
 * one that cannot be used then leaves what was read before, and is complained of. Thread-safe.
 */
final class SecurityFiles implements AutoCloseable {
  static final int PERIOD_SECONDS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(SecurityFiles.class);
  private static final Duration END_IS_NEAR = Duration.ofDays(14);

  /** Something else that goes by the secret. */
  interface SecretUser {
    /**
     * Goes by another secret.
     *
     * @throws LogException if it cannot; then all go on by the one before
     */
    void use(ClusterSecret secret) throws LogException, ConfigException;
  }

  /** What connections begin TLS with, as a server and as a client of the one that leads. */
  private record Contexts(TlsContext server, TlsContext client) {}

  private final ServerConfig config;
  private final AccessControl access;
  private final boolean isOpenToOthers;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "security-files");
            made.setDaemon(true);
            return made;
          });

  private final Optional<TlsFiles> tlsFiles;
  private volatile Optional<Contexts> contexts = Optional.empty();
  private volatile Access policy = Access.OFF;
  private volatile String complaint = "";
  private volatile SecretUser others = read -> {};
  private volatile Runnable onRead = () -> {};
  private ClusterSecret secret;
  private String log = "";

  /**
   * Reads nothing yet.
   *
   * @param isOpenToOthers whether other machines reach this server
   */
  SecurityFiles(ServerConfig config, AccessControl access, boolean isOpenToOthers) {
    this.config = config;
    this.access = access;
    this.isOpenToOthers = isOpenToOthers;
    String certificate = config.get(Settings.TLS_CERTIFICATE);
    tlsFiles =
        certificate.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new TlsFiles(
                    Path.of(config.get(Settings.TLS_CA)),
                    Optional.of(
                        new TlsFiles.Own(
                            Path.of(certificate), Path.of(config.get(Settings.TLS_KEY))))));
  }

  /** Reads what is there at the start, but for the secret. */
  void read() throws ConfigException {
    try {
      readTls();
      readKerberos();
      readAccess();
    } catch (TlsException | AccessException e) {
      throw new ConfigException(ErrorText.of(e), e);
    }
  }

  private void readTls() throws TlsException {
    if (tlsFiles.isPresent()
        && (contexts.isEmpty() || contexts.get().server.isOlderThan(tlsFiles.get()))) {
      boolean isFirst = contexts.isEmpty();
      contexts =
          Optional.of(
              new Contexts(
                  TlsContext.ofServer(tlsFiles.get()), TlsContext.ofClient(tlsFiles.get())));
      if (!isFirst) {
        changed("certificate", "");
      }
    }
  }

  /** Sees that the keytab can be used; its keys are read for each client. */
  private void readKerberos() throws AccessException {
    String keytab = config.get(Settings.KERBEROS_KEYTAB);
    if (!keytab.isEmpty()) {
      access.use(
          Kerberos.read(kerberosPrincipal(), Path.of(keytab), config.get(Settings.KERBEROS_LASTS)));
    }
  }

  private String kerberosPrincipal() {
    String principal = config.get(Settings.KERBEROS_PRINCIPAL);
    return principal.contains(Kerberos.HOST)
        ? principal.replace(Kerberos.HOST, ownHost().toLowerCase(Locale.ROOT))
        : principal;
  }

  private String ownHost() {
    String advertised = config.get(Settings.ADVERTISE_ADDRESS);
    if (!advertised.isEmpty()) {
      return Addresses.parse(advertised).getHostString();
    }
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      return "localhost"; // that the keytab has no key of it is complained of, with this name
    }
  }

  /** Returns whether it says something else than before. */
  private boolean readAccess() throws AccessException {
    Optional<Path> file = config.accessFile();
    if (file.isEmpty()) {
      return false;
    }
    Access read = AccessFile.read(file.get());
    if (read.digest().equals(policy.digest())) {
      return false;
    }
    if (read.tls() != Level.OFF && tlsFiles.isEmpty()) {
      throw new AccessException(
          file.get()
              + " wants TLS, and this server has no certificate: set tls.certificate, tls.key and"
              + " tls.ca, and start it again");
    }
    if (read.authentication() != Level.OFF && config.isDurable() && config.secretFile().isEmpty()) {
      throw new AccessException(
          file.get()
              + " wants clients to identify themselves, and this server has no secret, so that"
              + " tokens could be made up: set secret.file, and start it again");
    }
    if (read.authentication() != Level.REQUIRED && isOpenToOthers && !config.isInsecure()) {
      throw new AccessException(
          file.get()
              + " lets clients from other machines in that do not identify themselves: set auth"
              + " required, or set insecure = yes-i-know for the time in which they learn it");
    }
    policy = read;
    access.use(read);
    return true;
  }

  /**
   * Goes by a secret from here on.
   *
   * @param logId the id of the log
   */
  void use(ClusterSecret newSecret, String logId) {
    secret = newSecret;
    log = logId;
    access.use(newSecret, logId);
  }

  /**
   * Begins to read them again.
   *
   * @param others goes by the secret, too
   * @param onRead runs each time, whatever has changed
   */
  void watch(SecretUser others, Runnable onRead) {
    this.others = others;
    this.onRead = onRead;
    thread.scheduleWithFixedDelay(
        this::readAgain, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Reads them now.
   *
   * @return says what counts from here on; fails with what cannot be used
   */
  CompletableFuture<String> readNow() {
    return CompletableFuture.supplyAsync(
        () -> {
          readAgain();
          if (!complaint.isEmpty()) {
            throw new IllegalStateException(
                complaint + "; what was read before goes on to count: " + summary());
          }
          return "goes by " + summary();
        },
        thread);
  }

  private void readAgain() {
    try {
      readTls();
      readKerberos();
      if (readAccess()) {
        changed("access file", summary());
      }
      readSecret();
      complaint = "";
    } catch (IOException | AccessException | SecretException | ConfigException e) {
      complain(ErrorText.of(e));
    } catch (LogException e) {
      complain(ErrorText.of(e) + "; " + ExitCode.remedy(e.reason()));
    } catch (RuntimeException | Error e) { // a periodic task that throws is never run again
      complain("files of security could not be read: " + ErrorText.of(e));
    }
    onRead.run();
  }

  private void readSecret() throws IOException, SecretException, LogException, ConfigException {
    Optional<Path> file = config.secretFile();
    if (file.isPresent()) {
      ClusterSecret read = ClusterSecret.read(file.get());
      if (!read.isSameAs(secret)) {
        others.use(read);
        use(read, log);
        changed("secret", "");
      }
    }
  }

  private void changed(String what, String text) {
    LOG.info("goes by another {} {}", what, text);
    access
        .audit()
        .record(Audit.Event.of(Audit.Kind.RELOADED).with("what", what).with("text", text));
  }

  private void complain(String what) {
    if (!complaint.equals(what)) {
      access.audit().record(Audit.Event.of(Audit.Kind.UNUSABLE).with("text", what));
      LOG.warn("what was read before goes on to count: {}", what);
    }
    complaint = what;
  }

  /** What connections of clients begin TLS with; empty if this server has no certificate. */
  Optional<TlsContext> server() {
    return contexts.map(Contexts::server);
  }

  /** What connections to the server that leads begin TLS with. */
  Optional<TlsContext> client() {
    return policy.tls() == Level.OFF ? Optional.empty() : contexts.map(Contexts::client);
  }

  /** Whether nothing may be said in clear. */
  boolean isTlsRequired() {
    return policy.tls() == Level.REQUIRED;
  }

  /** Whether every client has to identify itself. */
  boolean isClosed() {
    return policy.authentication() == Level.REQUIRED;
  }

  /** What is asked of clients, in a few words. */
  String summary() {
    return "tls "
        + AccessFile.word(policy.tls())
        + ", auth "
        + AccessFile.word(policy.authentication())
        + (policy.digest().isEmpty() ? "" : ", access file " + policy.digest());
  }

  /** What an operator should see to; empty if there is nothing. */
  String warning() {
    Optional<Instant> end = server().flatMap(TlsContext::end);
    Instant now = Instant.now();
    if (complaint.isEmpty() && end.isPresent() && end.get().isBefore(now.plus(END_IS_NEAR))) {
      return "the certificate "
          + config.get(Settings.TLS_CERTIFICATE)
          + (end.get().isBefore(now) ? " has ended at " : " ends at ")
          + end.get()
          + ": replace it, it is read without a restart";
    }
    return complaint;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
