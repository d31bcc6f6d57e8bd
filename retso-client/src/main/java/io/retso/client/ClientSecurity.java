package io.retso.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * How a client knows its oracle, and identifies itself: see {@link OracleClientBuilder#security}.
 * All files may be replaced while the client runs; each is read again by the first connection that
 * begins 10 seconds after it was read last. Immutable and thread-safe.
 */
@InterfaceAudience.Public
public final class ClientSecurity {
  /** What a client does where the oracle speaks in clear. */
  public enum Mode {
    /**
     * It speaks in clear, too, and warns. For the time in which a cluster is switched to TLS: an
     * attacker between client and oracle can pretend that it is not.
     */
    PREFER,
    /** It fails. */
    REQUIRED
  }

  private final Mode mode;
  private final Path authorities;
  private final Optional<Path> certificate;
  private final Optional<Path> key;
  private final Optional<Path> token;
  private final Optional<TokenSource> tokenSource;
  private final Optional<KerberosLogin> kerberos;
  private final Optional<String> serverName;

  private ClientSecurity(Builder builder) {
    mode = builder.mode;
    authorities = builder.authorities;
    certificate = Optional.ofNullable(builder.certificate);
    key = Optional.ofNullable(builder.key);
    token = Optional.ofNullable(builder.token);
    tokenSource = Optional.ofNullable(builder.tokenSource);
    kerberos = Optional.ofNullable(builder.kerberos);
    serverName = Optional.ofNullable(builder.serverName);
  }

  /**
   * Starts from TLS that is required, and a client that does not identify itself.
   *
   * @param authorities file in PEM with the certificates of the authorities that sign those of the
   *     oracle's servers
   */
  public static Builder builder(Path authorities) {
    return new Builder(authorities);
  }

  /** What the client does where the oracle speaks in clear. */
  public Mode mode() {
    return mode;
  }

  /** Which authorities it trusts. */
  public Path authorities() {
    return authorities;
  }

  /** Its certificate; empty if it has none. */
  public Optional<Path> certificate() {
    return certificate;
  }

  /** The key of its certificate. */
  public Optional<Path> key() {
    return key;
  }

  /** The file with its token; empty if it has none. */
  public Optional<Path> token() {
    return token;
  }

  /** What gets tokens for it; empty if there is nothing. */
  public Optional<TokenSource> tokenSource() {
    return tokenSource;
  }

  /** What has its tickets of Kerberos; empty if it has none. */
  public Optional<KerberosLogin> kerberos() {
    return kerberos;
  }

  /** The name that certificates of servers are to have; empty for the host of their address. */
  public Optional<String> serverName() {
    return serverName;
  }

  /** Collects what a client has. Not thread-safe. */
  public static final class Builder {
    private final Path authorities;
    private Mode mode = Mode.REQUIRED;
    private Path certificate;
    private Path key;
    private Path token;
    private TokenSource tokenSource;
    private KerberosLogin kerberos;
    private String serverName;

    private Builder(Path authorities) {
      this.authorities = Objects.requireNonNull(authorities);
    }

    /**
     * The client identifies itself by a certificate.
     *
     * @param newCertificate file in PEM: the certificate, then those of authorities between it and
     *     one that the oracle trusts
     * @param newKey file in PEM, PKCS#8 without a password, that its owner alone may read
     */
    public Builder certificate(Path newCertificate, Path newKey) {
      certificate = Objects.requireNonNull(newCertificate);
      key = Objects.requireNonNull(newKey);
      return this;
    }

    /**
     * The client identifies itself by a token of the oracle.
     *
     * @param file with its text, that its owner alone may read
     */
    public Builder token(Path file) {
      token = Objects.requireNonNull(file);
      return this;
    }

    /**
     * The client identifies itself by tokens that it gets from elsewhere, if it has none in a file.
     *
     * @param source asked on a thread of the client's own, now and again
     */
    public Builder tokens(TokenSource source) {
      tokenSource = Objects.requireNonNull(source);
      return this;
    }

    /**
     * The client identifies itself by Kerberos, if it has no token and the oracle does not know it
     * by a certificate. The oracle's service is {@code retso/NAME}, where NAME is what the server's
     * certificate is to be for: {@link #serverName}, or the host of its address.
     *
     * @param login has the tickets; asked on a thread of the client's own, now and again
     */
    public Builder kerberos(KerberosLogin login) {
      kerberos = Objects.requireNonNull(login);
      return this;
    }

    /** The name that certificates of all servers have, instead of the host of their address. */
    public Builder serverName(String name) {
      serverName = Objects.requireNonNull(name);
      return this;
    }

    /** Default: {@link Mode#REQUIRED}. */
    public Builder mode(Mode newMode) {
      mode = Objects.requireNonNull(newMode);
      return this;
    }

    /** All that was said. */
    public ClientSecurity build() {
      return new ClientSecurity(this);
    }
  }
}
