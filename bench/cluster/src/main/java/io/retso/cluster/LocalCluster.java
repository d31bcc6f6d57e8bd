package io.retso.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.hbase.embedded.EmbeddedHBase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * The oracle and HBase on this machine, as processes; only HBase's ZooKeeper runs in this one.
 *
 * <p>Methods that start and stop parts are for one thread.
 */
public final class LocalCluster implements AutoCloseable {
  /** The property that names the oracle to clients, as {@code host:port}. */
  public static final String ORACLE = "retso.oracle";

  /** Is in the sources' class path, and not in that of what operators install. */
  private static final String EMBEDDED_HBASE = "/io/retso/hbase/embedded/EmbeddedHBase.class";

  private static final int REGION_SERVERS_MAX = 8;

  private final Builder plan;
  private final MiniZooKeeperCluster zooKeeper;
  private final String zooKeeperAddress;
  private final List<ChildProcess> hbase = new ArrayList<>();
  private ChildProcess oracle;
  private int oraclePort;
  private int oracleHttpPort;

  private LocalCluster(Builder plan, MiniZooKeeperCluster zooKeeper, String zooKeeperAddress) {
    this.plan = plan;
    this.zooKeeper = zooKeeper;
    this.zooKeeperAddress = zooKeeperAddress;
    this.oraclePort = plan.oraclePort;
  }

  /** Begins to describe a cluster with its data and output in {@code directory}. */
  public static Builder in(Path directory) {
    return new Builder(directory);
  }

  /** What HBase clients need, and {@link #ORACLE}; a copy of its own. */
  public Configuration configuration() {
    Configuration configuration =
        EmbeddedHBase.localConfiguration(plan.directory.resolve("data"), zooKeeperAddress);
    plan.settings.forEach(configuration::set);
    configuration.set(ORACLE, oracle());
    return configuration;
  }

  /** The ZooKeeper of HBase, {@code host:port}. */
  public String zooKeeper() {
    return zooKeeperAddress;
  }

  /** Where the oracle listens, {@code host:port}; the same after a restart. */
  public String oracle() {
    return "127.0.0.1:" + oraclePort;
  }

  /**
   * Where the oracle serves its metrics, on the loopback interface; another one after a restart.
   */
  public int oracleHttpPort() {
    return oracleHttpPort;
  }

  /** The oracle's process at present. */
  public ChildProcess oracleProcess() {
    return oracle;
  }

  /**
   * The processes of HBase: one, or the master followed by the region servers. A killed one stays
   * in its place until it is started again.
   */
  public List<ChildProcess> hbaseProcesses() {
    return List.copyOf(hbase);
  }

  /** Starts the oracle again, at its old address with its old data, after it was killed. */
  public void restartOracle() throws IOException, InterruptedException {
    startOracle();
    awaitOracle();
  }

  /**
   * Starts a region server in the place of one that was killed.
   *
   * @param index into {@link #hbaseProcesses}, from 1
   */
  public void restartRegionServer(int index) throws IOException, InterruptedException {
    hbase.set(index, startNode(HBaseNode.Role.REGION_SERVER, "regionserver-" + index));
    hbase.get(index).awaitReady();
  }

  /**
   * Starts the master again after it was killed; it serves when the old one's session has ended.
   */
  public void restartMaster() throws IOException, InterruptedException {
    hbase.set(0, startNode(HBaseNode.Role.MASTER, "master"));
    hbase.get(0).awaitReady();
  }

  /** Waits until one of the processes ends, which none does by itself; returns that one. */
  public ChildProcess awaitFirstEnd() {
    CompletableFuture<ChildProcess> first = new CompletableFuture<>();
    oracle.onExit().thenRun(() -> first.complete(oracle));
    hbase.forEach(each -> each.onExit().thenRun(() -> first.complete(each)));
    return first.join();
  }

  private void startOracle() throws ClusterException {
    Path directory = plan.directory.resolve("oracle");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "server",
                "--listen-port=" + oraclePort,
                "--http-port=0",
                "--data-dir=" + directory.resolve("data"),
                "--ready-file=" + directory.resolve("ready.json")));
    arguments.addAll(plan.oracleFlags);
    oracle =
        ChildProcess.start(
            "the oracle",
            directory.resolve("output.txt"),
            directory.resolve("ready.json"),
            List.of("-Xmx" + plan.oracleHeapMb + "m"),
            Tethered.class.getName(),
            arguments);
  }

  private void awaitOracle() throws IOException, InterruptedException {
    JsonNode facts = new ObjectMapper().readTree(oracle.awaitReady().toFile());
    oraclePort = facts.get("port").asInt();
    oracleHttpPort = facts.get("httpPort").asInt();
  }

  private ChildProcess startNode(HBaseNode.Role role, String name) throws ClusterException {
    Path directory = plan.directory.resolve(name);
    Path ready = directory.resolve("ready");
    List<String> settings = new ArrayList<>();
    plan.settings.forEach((key, value) -> settings.add(key + "=" + value));
    settings.add(ORACLE + "=" + oracle());
    return ChildProcess.start(
        "HBase's " + name,
        directory.resolve("output.txt"),
        ready,
        List.of("-Xmx" + plan.hbaseHeapMb + "m"),
        HBaseNode.class.getName(),
        HBaseNode.arguments(
            role, plan.directory.resolve("data"), zooKeeperAddress, ready, settings));
  }

  /** The oracle takes a few seconds and HBase ten; they start together. */
  private void startAll() throws IOException, InterruptedException {
    startOracle();
    awaitOracle(); // its address is part of HBase's configuration
    plan.progress.accept("The oracle serves. Starting HBase ...");
    if (plan.regionServers == 0) {
      hbase.add(startNode(HBaseNode.Role.ALL, "server"));
    } else {
      hbase.add(startNode(HBaseNode.Role.MASTER, "master"));
      for (int i = 1; i <= plan.regionServers; i++) {
        hbase.add(startNode(HBaseNode.Role.REGION_SERVER, "regionserver-" + i));
      }
    }
    for (ChildProcess process : hbase) {
      process.awaitReady();
    }
    try (Connection connection = ConnectionFactory.createConnection(configuration());
        Admin admin = connection.getAdmin()) {
      admin.listTableDescriptors(); // retried by HBase's own client until the master answers
    }
  }

  /** Stops everything, region servers before the master. */
  @Override
  public void close() throws IOException {
    for (int i = hbase.size() - 1; i >= 0; i--) {
      hbase.get(i).close();
    }
    if (oracle != null) {
      oracle.close();
    }
    zooKeeper.shutdown();
  }

  /** Describes a cluster. Not thread-safe. */
  public static final class Builder {
    private final Path directory;
    private final Map<String, String> settings = new TreeMap<>();
    private final List<String> oracleFlags = new ArrayList<>();
    private int regionServers;
    private int hbaseHeapMb = 1024;
    private int oracleHeapMb = 1024;
    private int oraclePort;
    private int zooKeeperPort;
    private Consumer<String> progress = line -> {};

    private Builder(Path directory) {
      this.directory = directory.toAbsolutePath();
    }

    /**
     * A master and this many region servers, each a process, 1 to 8. Default: one process that is
     * master and region server.
     */
    public Builder regionServers(int servers) {
      if (servers < 1 || servers > REGION_SERVERS_MAX) {
        throw new IllegalArgumentException(
            servers + " region servers are not within 1 and " + REGION_SERVERS_MAX);
      }
      this.regionServers = servers;
      return this;
    }

    /** Sets a HBase property of servers and clients. */
    public Builder set(String key, String value) {
      settings.put(key, value);
      return this;
    }

    /** Adds flags of {@code retso server}; a small oracle is the default. */
    public Builder oracleFlags(String... flags) {
      oracleFlags.addAll(List.of(flags));
      return this;
    }

    /**
     * The oracle wants to know its clients, and region servers identify themselves.
     *
     * @return a file with properties by which clients do so
     */
    public Path secured() throws ClusterException {
      SecuredFiles files = SecuredFiles.make(directory.resolve("data"), "required");
      oracleFlags.addAll(files.flags());
      settings.putAll(files.ofRegionServers());
      return files.ofClients();
    }

    /** Heap of each HBase process, MB. Default: 1024. */
    public Builder hbaseHeapMb(int megabytes) {
      this.hbaseHeapMb = megabytes;
      return this;
    }

    /** Heap of the oracle, MB. Default: 1024. */
    public Builder oracleHeapMb(int megabytes) {
      this.oracleHeapMb = megabytes;
      return this;
    }

    /** Where the oracle listens, 1 to 65535. Default: any free port. */
    public Builder oraclePort(int port) {
      this.oraclePort = port;
      return this;
    }

    /** Where HBase's ZooKeeper listens, 1 to 65535. Default: any free port. */
    public Builder zooKeeperPort(int port) {
      this.zooKeeperPort = port;
      return this;
    }

    /** Is told what happens while the cluster starts, a line at a time. */
    public Builder progress(Consumer<String> lines) {
      this.progress = lines;
      return this;
    }

    private int startZooKeeper(MiniZooKeeperCluster zooKeeper)
        throws IOException, InterruptedException {
      if (zooKeeperPort > 0) {
        zooKeeper.addClientPort(zooKeeperPort);
      }
      int port = zooKeeper.startup(directory.resolve("data").resolve("zookeeper").toFile());
      if (port < 0) {
        throw new ClusterException(
            "port " + zooKeeperPort + " for ZooKeeper is taken: end what listens there", null);
      }
      return port;
    }

    /**
     * Starts the cluster and waits until it serves: some fifteen seconds.
     *
     * @throws ClusterException with the remedy if it cannot, such as where no HBase is installed
     */
    public LocalCluster start() throws IOException, InterruptedException {
      if (LocalCluster.class.getResource(EMBEDDED_HBASE) == null) {
        throw new ClusterException(
            "there is no HBase here to start: name a cluster that runs, by --cluster and --oracle",
            null);
      }
      MiniZooKeeperCluster zooKeeper = new MiniZooKeeperCluster(HBaseConfiguration.create());
      int port = startZooKeeper(zooKeeper);
      LocalCluster cluster = new LocalCluster(this, zooKeeper, "127.0.0.1:" + port);
      try {
        cluster.startAll();
        return cluster;
      } catch (IOException | InterruptedException | RuntimeException e) {
        cluster.close();
        throw e;
      }
    }
  }
}
