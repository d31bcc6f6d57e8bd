package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import io.retso.cluster.JavaCommand;
import io.retso.security.ClusterSecret;
import io.retso.server.ServerMain;
import io.retso.server.config.ConfigException;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The directory of a node: its configuration, which is written anew at each start, its data and
 * what it prints.
 */
final class NodeFiles {
  private static final int COPIES_MAX = 3;
  private static final String HOST = "\n# This host\n";

  private final Path directory;
  private final Path secret;
  private final Node node;
  private final Layout layout;

  NodeFiles(Path cluster, Node node, Layout layout) {
    this.directory = cluster.resolve(node.name());
    this.secret = cluster.resolve("secret");
    this.node = node;
    this.layout = layout;
  }

  /** Where its process is named. */
  Path process() {
    return directory.resolve("process");
  }

  /** What it logs, bounded; the file before it has ".1" at its end. */
  Path output() {
    return directory.resolve("output.txt");
  }

  /** What it prints beside its log: little, unless something is wrong with the JVM. */
  Path console() {
    return directory.resolve("console.txt");
  }

  private Path logging() {
    return directory.resolve("logback.xml");
  }

  /** Names the build that it runs, if that is not the one of the command which starts it. */
  private Path classPathFile() {
    return directory.resolve("classpath");
  }

  /** From its next start on it runs another build; null: that of the command which starts it. */
  void runBuild(String classPath) throws IOException {
    if (classPath == null) {
      Files.deleteIfExists(classPathFile());
    } else {
      Files.createDirectories(directory);
      Files.writeString(classPathFile(), classPath + "\n");
    }
  }

  /** Settings that this oracle has, and others need not have. */
  private Path ownSettings() {
    return directory.resolve("own.properties");
  }

  /** From its next start on an oracle has these settings, also instead of those that all have. */
  void configure(Map<String, String> settings) throws IOException {
    Files.createDirectories(directory);
    writeLines(ownSettings(), "", settings);
  }

  private String classPath() {
    try {
      return Files.exists(classPathFile())
          ? Files.readString(classPathFile()).strip()
          : System.getProperty("java.class.path");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What an oracle writes once it is ready. */
  Path ready() {
    return directory.resolve("ready.json");
  }

  private Path configuration() {
    return directory.resolve(node.role() == Role.ORACLE ? "retso.properties" : "node.conf");
  }

  /** Its data; of a bookie with a disk of its own, the root of that. */
  Path data() {
    return directory.resolve("data");
  }

  /** Writes the configuration. */
  void write() throws IOException {
    Files.createDirectories(data());
    Files.writeString(logging(), standard("cluster-logback.xml"));
    switch (node.role()) {
      case ZOOKEEPER -> writeZooKeeper();
      case BOOKIE -> writeBookie();
      case ORACLE -> {
        if (!Files.exists(secret)) {
          ClusterSecret.make(secret);
        }
        writeLines(configuration(), "", oracle());
      }
      case CLIENT -> {}
    }
  }

  private void writeZooKeeper() throws IOException {
    Map<String, String> lines = new TreeMap<>();
    lines.put("dataDir", data().toString());
    lines.put("clientPort", Integer.toString(node.role().port()));
    lines.put("clientPortAddress", node.address());
    List<Node> ensemble = layout.of(Role.ZOOKEEPER);
    if (ensemble.size() > 1) {
      ensemble.forEach(each -> lines.put("server." + each.number(), each.address() + ":2888:3888"));
    }
    Files.writeString(data().resolve("myid"), Integer.toString(node.number()));
    writeLines(configuration(), standard("zoo.cfg") + HOST, lines);
  }

  private void writeBookie() throws IOException {
    Map<String, String> lines = new TreeMap<>();
    lines.put("metadataServiceUri", "zk+hierarchical://" + zooKeeperOfBookies() + "/ledgers");
    lines.put("bookieId", node.name());
    lines.put("advertisedAddress", node.address());
    // Only says "not all interfaces"; the advertised address is the one that is used.
    lines.put("listeningInterface", layout.namespaces() ? "eth0" : "lo");
    lines.put("bookiePort", Integer.toString(node.role().port()));
    lines.put("journalDirectory", data().resolve("journal").toString());
    lines.put("ledgerDirectories", data().resolve("ledgers").toString());
    writeLines(configuration(), standard("bookie.conf") + HOST, lines);
  }

  /** BookKeeper separates hosts by semicolons, as a comma separates values of its settings. */
  private String zooKeeperOfBookies() {
    return layout.zooKeeper().replace(',', ';');
  }

  private Map<String, String> oracle() throws IOException {
    Map<String, String> lines = new TreeMap<>();
    lines.put("listen.host", node.address());
    lines.put("secret.file", secret.toString());
    if (layout.namespaces()) {
      lines.put("insecure", "yes-i-know"); // only this machine reaches the addresses of namespaces
    }
    lines.put("http.host", node.address());
    lines.put("http.handover.remote", "true");
    lines.put("zookeeper", layout.zooKeeper());
    int copies = Math.min(COPIES_MAX, layout.of(Role.BOOKIE).size());
    lines.put("log.ensemble", Integer.toString(copies));
    lines.putAll(layout.settings());
    if (Files.exists(ownSettings())) {
      Properties own = new Properties();
      try (Reader in = Files.newBufferedReader(ownSettings())) {
        own.load(in);
      }
      own.forEach((key, value) -> lines.put((String) key, (String) value));
    }
    return lines;
  }

  /** What is the same on any host. */
  private static String standard(String name) {
    try (InputStream in = ServerMain.class.getResourceAsStream("/retso/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeLines(Path file, String first, Map<String, String> lines)
      throws IOException {
    StringBuilder text = new StringBuilder(first);
    lines.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    Files.writeString(file, text);
  }

  /** Checks the settings of an oracle before anything is started. */
  void check() throws IOException {
    write();
    command();
  }

  /** The command that runs it. */
  List<String> command() throws ClusterException {
    String file = configuration().toString();
    return switch (node.role()) {
      case ZOOKEEPER ->
          java(options(256), "org.apache.zookeeper.server.quorum.QuorumPeerMain", List.of(file));
      case BOOKIE ->
          java(
              options(256, "-XX:MaxDirectMemorySize=256m"),
              "org.apache.bookkeeper.server.Main",
              List.of("--conf", file));
      case ORACLE ->
          java(
              options(heap(configuration()), "-ea:io.retso..."),
              ServerMain.class.getName(),
              List.of("server", "--config=" + file, "--ready-file=" + ready()));
      case CLIENT -> List.of();
    };
  }

  /** The command that asks BookKeeper's shell for something; of a bookie. */
  List<String> shell(String verb) {
    return java(
        options(128),
        "org.apache.bookkeeper.bookie.BookieShell",
        List.of("-conf", configuration().toString(), verb));
  }

  private List<String> java(List<String> options, String mainClass, List<String> arguments) {
    return JavaCommand.of(classPath(), options, mainClass, arguments);
  }

  private List<String> options(long heapMiB, String... others) {
    List<String> options = new ArrayList<>();
    options.add("-Xmx" + heapMiB + "m");
    options.add("-Dzookeeper.sasl.client=false"); // looks for names that are not known
    options.add("-XX:+ExitOnOutOfMemoryError");
    options.add("-Dlogback.configurationFile=" + logging());
    options.add("-Dretso.output=" + output());
    options.addAll(List.of(others));
    return options;
  }

  private static long heap(Path configuration) throws ClusterException {
    try {
      ServerConfig.Builder builder = ServerConfig.builder();
      builder.load(configuration);
      return MemoryPlan.of(builder.build()).recommendedMebibytes();
    } catch (ConfigException e) {
      throw new ClusterException(e.getMessage(), e);
    }
  }
}
