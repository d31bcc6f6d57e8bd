package io.retso.cluster;

import io.retso.client.ClientSecurity;
import io.retso.hbase.layout.OracleSettings;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.SecureCommand;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsException;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.hadoop.conf.Configuration;

/** What an oracle and its clients need to know each other, for one run on this machine. */
public final class SecuredFiles implements AutoCloseable {
  private static final String HOSTS = "--member=localhost,127.0.0.1";
  private static final String OPERATOR = "operator";
  private static final String REGION_SERVER = "region-server";
  private static final String CLIENT = "client";
  private static final String ROLES =
      """
      may region-server region-server
      may sweeper client
      """;

  private final Path directory;

  private SecuredFiles(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes them.
   *
   * @param level of TLS and of what clients say of themselves: {@code optional} or {@code required}
   */
  public static SecuredFiles make(Path parent, String level) throws ClusterException {
    return make(parent, level, List.of());
  }

  /**
   * Makes them for several members, which share a certificate.
   *
   * @param hosts of them, beside this machine's usual name and address
   */
  public static SecuredFiles make(Path parent, String level, List<String> hosts)
      throws ClusterException {
    try {
      Files.createDirectories(parent);
      SecuredFiles files = new SecuredFiles(Files.createTempDirectory(parent, "security-"));
      String members = hosts.isEmpty() ? HOSTS : HOSTS + "," + String.join(",", hosts);
      files.run("init", files.made().toString(), members, "--path=" + files.member());
      files.run("issue", files.made().toString(), REGION_SERVER);
      files.run("issue", files.made().toString(), CLIENT);
      String text = Files.readString(files.access()).replace("required", level);
      Files.writeString(files.access(), text + ROLES);
      return files;
    } catch (IOException e) {
      throw new ClusterException(
          "no certificates could be made in " + parent + ": " + ErrorText.of(e), e);
    }
  }

  /** Those that another process has made. */
  public static SecuredFiles at(Path directory) {
    return new SecuredFiles(directory);
  }

  /** Where they are. */
  public Path directory() {
    return directory;
  }

  private void run(String... arguments) throws ClusterException {
    PrintWriter silent = new PrintWriter(Writer.nullWriter());
    int code = CommandLines.of(new SecureCommand()).setOut(silent).execute(arguments);
    if (code != 0) {
      throw new ClusterException("no certificates could be made in " + directory, null);
    }
  }

  private Path made() {
    return directory.resolve("made");
  }

  private Path member() {
    return made().resolve("member-localhost");
  }

  /** Flags of the server. */
  public List<String> flags() {
    Path own = member();
    return List.of(
        "--access-file=" + access(),
        "--tls-certificate=" + own.resolve("tls.crt"),
        "--tls-key=" + own.resolve("tls.key"),
        "--tls-ca=" + own.resolve("ca.crt"),
        "--secret-file=" + own.resolve("secret"));
  }

  /** Settings of members that have their secret elsewhere. */
  public Map<String, String> ofMembers() {
    Path own = member();
    return Map.of(
        "access.file", access().toString(),
        "tls.certificate", own.resolve("tls.crt").toString(),
        "tls.key", own.resolve("tls.key").toString(),
        "tls.ca", own.resolve("ca.crt").toString());
  }

  /** The access file that all members have. */
  public Path access() {
    return member().resolve("access");
  }

  /** The secret that all members have, as text. */
  public String secret() throws IOException {
    return Files.readString(member().resolve("secret"));
  }

  /** Flags of an operator's commands. */
  public List<String> ofOperators() {
    Path own = made().resolve(OPERATOR);
    return List.of(
        "--tls-ca=" + made().resolve("ca.crt"),
        "--certificate=" + own.resolve("tls.crt"),
        "--key=" + own.resolve("tls.key"));
  }

  /** What applications go by. */
  public ClientSecurity security() {
    return security(ClientSecurity.Mode.REQUIRED);
  }

  /**
   * What applications go by.
   *
   * @param mode what they do where the oracle speaks in clear
   */
  public ClientSecurity security(ClientSecurity.Mode mode) {
    Path own = made().resolve(CLIENT);
    return ClientSecurity.builder(made().resolve("ca.crt"))
        .certificate(own.resolve("tls.crt"), own.resolve("tls.key"))
        .mode(mode)
        .build();
  }

  /** The principal that these are to the oracle. */
  public String principal() {
    return CLIENT;
  }

  /** The JDK's TLS of operators. */
  public SSLContext ofOperator() throws ClusterException {
    return sockets(OPERATOR);
  }

  /** What clients begin TLS with, which show a certificate. */
  public TlsContext client() throws ClusterException {
    return context(filesOf(Optional.of(made().resolve(CLIENT))));
  }

  /** What those begin TLS with that show nothing. */
  public TlsContext ofStranger() throws ClusterException {
    return context(filesOf(Optional.empty()));
  }

  /**
   * The JDK's TLS of a client with a certificate that was made.
   *
   * @param name of the certificate; empty to show none
   */
  public SSLContext sockets(String name) throws ClusterException {
    return jdk(filesOf(name.isEmpty() ? Optional.empty() : Optional.of(made().resolve(name))));
  }

  /** The JDK's TLS of another member. */
  public SSLContext ofMember() throws ClusterException {
    return jdk(filesOf(Optional.of(member())));
  }

  private TlsFiles filesOf(Optional<Path> shown) {
    return new TlsFiles(
        made().resolve("ca.crt"),
        shown.map(own -> new TlsFiles.Own(own.resolve("tls.crt"), own.resolve("tls.key"))));
  }

  private static TlsContext context(TlsFiles files) throws ClusterException {
    try {
      return TlsContext.ofClient(files);
    } catch (TlsException e) {
      throw new ClusterException(ErrorText.of(e), e);
    }
  }

  private static SSLContext jdk(TlsFiles files) throws ClusterException {
    try {
      return TlsContext.forHttp(files);
    } catch (TlsException e) {
      throw new ClusterException(ErrorText.of(e), e);
    }
  }

  /** Properties of region servers. */
  public Map<String, String> ofRegionServers() {
    return properties(REGION_SERVER);
  }

  private Map<String, String> properties(String name) {
    Path own = made().resolve(name);
    return Map.of(
        OracleSettings.SECURITY, "required",
        OracleSettings.TLS_CA, made().resolve("ca.crt").toString(),
        OracleSettings.TLS_CERTIFICATE, own.resolve("tls.crt").toString(),
        OracleSettings.TLS_KEY, own.resolve("tls.key").toString());
  }

  /** A file with properties of clients, as HBase reads them. */
  public Path ofClients() throws ClusterException {
    Path file = directory.resolve("clients.xml");
    Configuration configuration = new Configuration(false);
    properties(CLIENT).forEach(configuration::set);
    try (OutputStream out = Files.newOutputStream(file)) {
      configuration.writeXml(out);
      return file;
    } catch (IOException e) {
      throw new ClusterException("cannot write " + ErrorText.of(e), e);
    }
  }

  @Override
  public void close() {
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      System.err.println(
          "retso: " + directory + " cannot be deleted: " + ErrorText.of(e) + "; delete it");
    }
  }
}
