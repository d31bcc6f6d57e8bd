package io.retso.hbase.rights;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.layout.OracleSettings;
import io.retso.server.RetsoServer;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ReloadCommand;
import io.retso.server.commands.SecureCommand;
import io.retso.server.commands.TokenCommand;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** An oracle that wants to know who its clients are, and what proves who they are. */
public final class SecuredOracle implements AutoCloseable {
  private final Path directory;
  private final Path made;
  private final RetsoServer server;

  /** In the name of its principal in Kerberos. */
  static final String KERBEROS_SERVICE = "retso/localhost";

  private SecuredOracle(Path directory, Path made, RetsoServer server) {
    this.directory = directory;
    this.made = made;
    this.server = server;
  }

  /** Makes keys and certificates in an empty directory, and starts the oracle. */
  public static SecuredOracle start(Path directory) throws Exception {
    return start(directory, Map.of());
  }

  /** The same with a keytab of {@link #KERBEROS_SERVICE}. */
  static SecuredOracle start(Path directory, Path keytab) throws Exception {
    return start(
        directory,
        Map.of(
            Settings.KERBEROS_KEYTAB,
            keytab.toString(),
            Settings.KERBEROS_PRINCIPAL,
            KERBEROS_SERVICE));
  }

  private static SecuredOracle start(Path directory, Map<Setting<String>, String> more)
      throws Exception {
    Path made = directory.resolve("made");
    Path member = made.resolve("member-localhost");
    run(new SecureCommand(), "init", made, "--member=localhost,127.0.0.1", "--path=" + member);
    Files.writeString(
        member.resolve("access"),
        "name KRB ([^/@]+)(?:/[^@]+)?@RETSO\\.TEST = $1\n"
            + "may region-server region-server\n"
            + "may application app\n"
            + "may sweeper sweeper\n"
            + "vouch app\n",
        StandardOpenOption.APPEND);
    ServerConfig.Builder settings =
        ServerConfig.builder()
            .load(member.resolve("retso.properties"))
            .set(Settings.AUDIT_FILE, directory.resolve("audit.json"))
            .set(Settings.LISTEN_PORT, 0)
            .set(Settings.HTTP_PORT, 0)
            .set(Settings.ROWS, "100k")
            .set(Settings.WINDOW_TIMESTAMPS, "2^17")
            .set(Settings.UNCLEANED_MAX, "100k")
            .set(Settings.LOG, "memory");
    more.forEach(settings::set);
    RetsoServer server = RetsoServer.start(settings.build());
    return new SecuredOracle(directory, made, server);
  }

  private static void run(Object command, Object... arguments) {
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    assertEquals(0, CommandLines.of(command).execute(texts));
  }

  public String address() {
    return "localhost:" + server.port();
  }

  /**
   * Has it ask so much of connections and of clients from now on.
   *
   * @param level optional or required
   */
  void levels(String level) throws Exception {
    Path access = made.resolve("member-localhost").resolve("access");
    Path next = directory.resolve("access.next");
    Files.writeString(
        next, Files.readString(access).replaceFirst("(?m)^tls .*\\Rauth .*$", lines(level)));
    Files.move(next, access, StandardCopyOption.ATOMIC_MOVE);
    Path operator = made.resolve("operator");
    run(
        new ReloadCommand(),
        "--http=localhost:" + server.httpPort(),
        "--tls-ca=" + authority(),
        "--certificate=" + operator.resolve("tls.crt"),
        "--key=" + operator.resolve("tls.key"));
  }

  private static String lines(String level) {
    return "tls " + level + "\nauth " + level;
  }

  /** What it has written of its clients. */
  Path audit() {
    return directory.resolve("audit.json");
  }

  /** The file of its authority. */
  Path authority() {
    return made.resolve("ca.crt");
  }

  /** Settings of a process that has a certificate. */
  public Map<String, String> certificate(String name) {
    if (!Files.exists(made.resolve(name))) {
      run(new SecureCommand(), "issue", made, name);
    }
    return Map.of(
        OracleSettings.SECURITY, "required",
        OracleSettings.TLS_CA, authority().toString(),
        OracleSettings.TLS_CERTIFICATE, made.resolve(name).resolve("tls.crt").toString(),
        OracleSettings.TLS_KEY, made.resolve(name).resolve("tls.key").toString());
  }

  /** Settings of a process of Hadoop that has tickets. */
  Map<String, String> kerberos() {
    return Map.of(
        OracleSettings.SECURITY,
        "required",
        OracleSettings.TLS_CA,
        authority().toString(),
        "hadoop.security.authentication",
        "kerberos");
  }

  /** Settings of a region server. */
  public Map<String, String> regionServer() {
    Map<String, String> settings = new HashMap<>(certificate("region-server"));
    settings.put(OracleSettings.ORACLE, address());
    return settings;
  }

  /** Settings of a process that has a token. */
  Map<String, String> token(String name) {
    Path token = directory.resolve(name + ".token");
    if (!Files.exists(token)) {
      String secret = "--secret-file=" + made.resolve("secret");
      run(new TokenCommand(), "create", "--principal=" + name, secret, "--out=" + token);
    }
    return Map.of(
        OracleSettings.SECURITY, "required",
        OracleSettings.TLS_CA, authority().toString(),
        OracleSettings.TOKEN_FILE, token.toString());
  }

  /** The configuration of an application, or of another process that is no region server. */
  Configuration with(Configuration hbase, Map<String, String> settings) {
    Configuration configuration = new Configuration(hbase);
    regionServer().keySet().forEach(configuration::unset);
    settings.forEach(configuration::set);
    configuration.set(OracleSettings.ORACLE, address());
    return configuration;
  }

  @Override
  public void close() {
    server.close();
  }
}
