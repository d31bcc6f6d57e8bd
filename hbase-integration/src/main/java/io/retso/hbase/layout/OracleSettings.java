package io.retso.hbase.layout;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.TokenSource;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * What HBase's configuration says of the oracle's clients, in region servers, applications and
 * tools. Stateless.
 */
public final class OracleSettings {
  /** Where the oracle is, {@code host:port[,host:port]}. */
  public static final String ORACLE = "retso.oracle";

  /** Where the oracle is that tables know by a name. */
  private static final String NAMED = "retso.oracle.%s.addresses";

  /**
   * How long region servers, and those who prepare tables, wait for one answer of the oracle, in
   * milliseconds. Default: 5000.
   */
  public static final String TIMEOUT = "retso.oracle.timeout";

  /** {@code off}, {@code prefer} or {@code required}. Default: off. */
  public static final String SECURITY = "retso.security";

  /** File with the certificates of the authorities that sign those of the oracle's servers. */
  public static final String TLS_CA = "retso.tls.ca";

  /** File with the certificate by which this process identifies itself. */
  public static final String TLS_CERTIFICATE = "retso.tls.certificate";

  /** File with its key. */
  public static final String TLS_KEY = "retso.tls.key";

  /** The name that the oracle's certificates have, if it is not the host of their addresses. */
  public static final String TLS_SERVER_NAME = "retso.tls.server.name";

  /** File with a token by which this process identifies itself. */
  public static final String TOKEN_FILE = "retso.token.file";

  /**
   * A prepared table: its first region, whose region server vouches for its user, gets tokens by
   * which this process identifies itself. For applications that have neither {@link
   * #TLS_CERTIFICATE} nor {@link #TOKEN_FILE}.
   */
  public static final String TOKEN_TABLE = "retso.token.table";

  /**
   * What region servers do: {@code trust} to take what clients say of how transactions ended,
   * {@code prove} to take what the oracle says. Default: prove if {@link #SECURITY} is required.
   */
  public static final String OUTCOMES = "retso.outcomes";

  private static final int TIMEOUT_DEFAULT = 5_000;

  private OracleSettings() {}

  public static Duration timeout(Configuration configuration) {
    return Duration.ofMillis(configuration.getInt(TIMEOUT, TIMEOUT_DEFAULT));
  }

  /**
   * Begins a client of the user that calls, which keeps itself to what the configuration says of
   * security.
   *
   * @throws IllegalArgumentException if that makes no sense
   */
  public static OracleClientBuilder client(Configuration configuration, String name) {
    return client(name, security(configuration));
  }

  /**
   * Begins a client of a region server, whichever user it serves at present.
   *
   * @throws IllegalArgumentException if the configuration makes no sense
   */
  public static OracleClientBuilder serverClient(Configuration server, String name) {
    return client(name, securityOf(server, UserGroupInformation::getLoginUser));
  }

  private static OracleClientBuilder client(String name, Optional<ClientSecurity> security) {
    OracleClientBuilder builder = OracleClient.builder().name(name);
    security.ifPresent(builder::security);
    return builder;
  }

  /**
   * How a client of the user that calls knows the oracle, and identifies itself; empty if it speaks
   * in clear. One that has neither a certificate nor a token has the user's tickets of Kerberos, if
   * Hadoop has them.
   *
   * @throws IllegalArgumentException if that makes no sense
   */
  public static Optional<ClientSecurity> security(Configuration configuration) {
    return securityOf(configuration, UserGroupInformation::getCurrentUser);
  }

  /**
   * Like {@link #security(Configuration)}, of the client of a user.
   *
   * @throws IllegalArgumentException if the configuration makes no sense
   */
  public static Optional<ClientSecurity> security(
      Configuration configuration, UserGroupInformation user) {
    return securityOf(configuration, () -> user);
  }

  /**
   * The table whose region server is to vouch for the user of this process; empty if that is not
   * wanted.
   */
  public static Optional<String> tokenTable(Configuration configuration) {
    String table = configuration.getTrimmed(TOKEN_TABLE, "");
    boolean isOff = configuration.getTrimmed(SECURITY, "off").equals("off");
    return table.isEmpty() || hasOwn(configuration) || isOff
        ? Optional.empty()
        : Optional.of(table);
  }

  /**
   * Like {@link #security(Configuration)}, of a client that identifies itself by tokens of a
   * source.
   *
   * @throws IllegalArgumentException if the configuration makes no sense
   */
  public static ClientSecurity vouched(Configuration configuration, TokenSource source) {
    return begun(configuration).orElseThrow().tokens(source).build();
  }

  /** Finds a user of Hadoop. */
  private interface Users {
    UserGroupInformation get() throws IOException;
  }

  private static Optional<ClientSecurity> securityOf(Configuration configuration, Users users) {
    Optional<ClientSecurity.Builder> security = begun(configuration);
    if (security.isPresent() && !hasOwn(configuration) && hasKerberos(configuration)) {
      security.get().kerberos(ticketsOf(users));
    }
    return security.map(ClientSecurity.Builder::build);
  }

  private static Optional<ClientSecurity.Builder> begun(Configuration configuration) {
    String word = configuration.getTrimmed(SECURITY, "off");
    if (word.equals("off")) {
      return Optional.empty();
    }
    ClientSecurity.Mode mode =
        switch (word) {
          case "prefer" -> ClientSecurity.Mode.PREFER;
          case "required" -> ClientSecurity.Mode.REQUIRED;
          default ->
              throw new IllegalArgumentException(
                  SECURITY + " = " + word + " is not known: use off, prefer or required");
        };
    Path authorities =
        file(configuration, TLS_CA)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        SECURITY
                            + " = "
                            + word
                            + " needs "
                            + TLS_CA
                            + ", the file with the certificate of the oracle's authority"));
    ClientSecurity.Builder security = ClientSecurity.builder(authorities).mode(mode);
    Optional<Path> certificate = file(configuration, TLS_CERTIFICATE);
    Optional<Path> key = file(configuration, TLS_KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          TLS_CERTIFICATE + " and " + TLS_KEY + " belong together: set both, or none");
    }
    certificate.ifPresent(own -> security.certificate(own, key.orElseThrow()));
    file(configuration, TOKEN_FILE).ifPresent(security::token);
    String serverName = configuration.getTrimmed(TLS_SERVER_NAME, "");
    if (!serverName.isEmpty()) {
      security.serverName(serverName);
    }
    return Optional.of(security);
  }

  /**
   * Where a region server looks for the oracle of a table. The table says it, too; but a user that
   * creates one may name any address, and is not trusted where the oracle has to be known.
   *
   * @param server configuration of the region server alone
   * @throws IllegalArgumentException if the region server may not go by the table, and does not
   *     know better
   */
  public static String addressesFor(TableSettings table, Configuration server) {
    String key = Text.of(NAMED, table.oracle().name());
    String named = server.getTrimmed(key, "");
    if (!named.isEmpty()) {
      return named;
    }
    if (!isRequired(server)) {
      return table.addresses();
    }
    String own = server.getTrimmed(ORACLE, "");
    if (own.isEmpty()) {
      throw new IllegalArgumentException(
          Text.of(
              "the table names oracle %s at %s, and region servers with %s = required take no"
                  + " address from a table: set %s, or %s, in their hbase-site.xml",
              table.oracle().name(), table.addresses(), SECURITY, ORACLE, key));
    }
    return own;
  }

  /** Whether this process has something of its own to identify itself. */
  private static boolean hasOwn(Configuration configuration) {
    return file(configuration, TLS_CERTIFICATE).isPresent()
        || file(configuration, TOKEN_FILE).isPresent();
  }

  private static boolean hasKerberos(Configuration configuration) {
    return configuration
        .getTrimmed(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, "simple")
        .equals("kerberos");
  }

  private static UserTickets ticketsOf(Users users) {
    try {
      return new UserTickets(users.get());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          Text.of(
              "hadoop.security.authentication = kerberos, and Hadoop does not know its user (%s):"
                  + " log in first (kinit, or UserGroupInformation.loginUserFromKeytab)",
              ErrorText.of(e)),
          e);
    }
  }

  private static boolean isRequired(Configuration configuration) {
    return configuration.getTrimmed(SECURITY, "off").equals("required");
  }

  /**
   * Whether a region server takes what clients say of how transactions ended.
   *
   * @throws IllegalArgumentException if that makes no sense
   */
  public static boolean trustsClients(Configuration server) {
    String usual = isRequired(server) ? "prove" : "trust";
    String word = server.getTrimmed(OUTCOMES, usual);
    if (!word.equals("prove") && !word.equals("trust")) {
      throw new IllegalArgumentException(
          OUTCOMES + " = " + word + " is not known: use prove or trust");
    }
    return word.equals("trust");
  }

  private static Optional<Path> file(Configuration configuration, String key) {
    String name = configuration.getTrimmed(key, "");
    return name.isEmpty() ? Optional.empty() : Optional.of(Path.of(name));
  }
}
