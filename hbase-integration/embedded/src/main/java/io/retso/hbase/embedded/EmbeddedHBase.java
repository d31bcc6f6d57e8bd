package io.retso.hbase.embedded;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/**
 * A HBase cluster inside of this process, on the local file system and free ports of the loopback
 * interface.
 *
 * <p>It keeps its data in a directory; started again on the same directory it finds it. What was
 * acknowledged survives {@code kill -9}, not a power failure: the WAL is flushed to the operating
 * system only.
 *
 * <p>Thread-safe. One process may run several clusters; they share HBase's static metrics.
 */
public final class EmbeddedHBase implements AutoCloseable {
  private final MiniZooKeeperCluster zooKeeper;
  private final LocalHBaseCluster cluster;
  private final Configuration configuration;

  private EmbeddedHBase(
      MiniZooKeeperCluster zooKeeper, LocalHBaseCluster cluster, Configuration configuration) {
    this.zooKeeper = zooKeeper;
    this.cluster = cluster;
    this.configuration = configuration;
  }

  /** Begins to describe a cluster that keeps its data in {@code directory}. */
  public static Builder in(Path directory) {
    return new Builder(directory);
  }

  /**
   * The configuration of servers and clients of a cluster on the local file system and the loopback
   * interface, for processes that run one server each.
   *
   * @param directory of the data
   * @param zooKeeper {@code host:port}
   */
  public static Configuration localConfiguration(Path directory, String zooKeeper) {
    Configuration c = HBaseConfiguration.create();
    int colon = zooKeeper.lastIndexOf(':');
    c.set(HConstants.ZOOKEEPER_QUORUM, zooKeeper.substring(0, colon));
    c.set(HConstants.ZOOKEEPER_CLIENT_PORT, zooKeeper.substring(colon + 1));
    c.set(HConstants.HBASE_DIR, directory.resolve("hbase").toAbsolutePath().toUri().toString());
    c.set("hbase.tmp.dir", directory.resolve("tmp").toString());
    c.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    // Without the checksums of the local file system a flush of the WAL reaches the operating
    // system: what was acknowledged survives kill -9, though not a power failure.
    c.set("fs.file.impl", RawLocalFileSystem.class.getName());
    c.set("hbase.unsafe.stream.capability.enforce", "false");
    c.set("hbase.wal.provider", "filesystem");
    c.set(HConstants.CLUSTER_DISTRIBUTED, "false");
    for (String server : new String[] {"hbase.master", "hbase.regionserver"}) {
      c.set(server + ".port", "0");
      c.set(server + ".info.port", "-1");
      c.set(server + ".hostname", "localhost");
      c.set(server + ".ipc.address", "127.0.0.1");
    }
    // A killed server is noticed when its session ends; the default is a minute and a half.
    c.setInt(HConstants.ZK_SESSION_TIMEOUT, 10_000);
    c.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, 16);
    // A master and a region server in one process are given up after 30 s otherwise, which is not
    // enough on a machine with much else to do.
    c.setInt("hbase.master.start.timeout.localHBaseCluster", 100_000);
    c.setInt("hbase.master.wait.on.regionservers.mintostart", 1);
    // A fraction of the default waiting: everything is on this machine.
    c.setInt("hbase.master.wait.on.regionservers.interval", 100);
    c.setInt("hbase.master.wait.on.regionservers.timeout", 1000);
    // A report names each region, and there may be hundreds: often, though not all of the time.
    c.setInt("hbase.regionserver.msginterval", 300);
    c.setInt("hbase.regionserver.metrics.period", 30_000);
    c.setInt("hbase.assignment.dispatch.wait.msec", 10);
    c.setInt("hbase.procedure.remote.dispatcher.delay.msec", 10); // for each opening and closing
    return c;
  }

  /** What a client needs to connect; a copy of its own. */
  public Configuration configuration() {
    return HBaseConfiguration.create(configuration);
  }

  /** The ZooKeeper that the cluster uses, {@code host:port}; others may use it too. */
  public String zooKeeper() {
    return configuration.get(HConstants.ZOOKEEPER_QUORUM)
        + ":"
        + configuration.get(HConstants.ZOOKEEPER_CLIENT_PORT);
  }

  /** The cluster itself, for tests that move regions or stop servers. */
  public LocalHBaseCluster cluster() {
    return cluster;
  }

  /**
   * Adds a region server and waits until the master gives it regions: before its first report,
   * regions that are to be moved there stay where they are.
   *
   * @throws IOException if it does not start, or does not report within a minute
   */
  public RegionServerThread startRegionServer() throws IOException {
    return startRegionServer(Map.of());
  }

  /** Adds a region server that has HBase properties of its own. */
  public RegionServerThread startRegionServer(Map<String, String> settings) throws IOException {
    Configuration own = new Configuration(configuration); // HBase makes no copy here
    settings.forEach(own::set);
    RegionServerThread thread = cluster.addRegionServer(own, liveRegionServers());
    thread.start();
    thread.waitForServerOnline();
    ServerName name = thread.getRegionServer().getServerName();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!takesRegions(name)) {
      if (!thread.isAlive() || System.nanoTime() > deadline) {
        throw new IOException(name + " has ended, or has not reported to the master");
      }
      try {
        TimeUnit.MILLISECONDS.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
    return thread;
  }

  private boolean takesRegions(ServerName server) {
    HMaster master = cluster.getActiveMaster();
    return master != null
        && master.getServerManager().createDestinationServersList().contains(server);
  }

  /** Region servers that run. */
  public int liveRegionServers() {
    return cluster.getLiveRegionServers().size();
  }

  /**
   * Stops all servers, flushing what they hold in memory.
   *
   * @throws IOException if ZooKeeper's files cannot be closed
   */
  @Override
  public void close() throws IOException {
    cluster.shutdown();
    cluster.join();
    if (zooKeeper != null) {
      zooKeeper.shutdown();
    }
  }

  /** Describes a cluster. Not thread-safe. */
  public static final class Builder {
    private final Path directory;
    private final Map<String, String> settings = new TreeMap<>();
    private int regionServers = 1;
    private String quorum;

    private Builder(Path directory) {
      this.directory = directory;
    }

    /** Region servers at the start, 1 to 8. Default: 1. */
    public Builder regionServers(int servers) {
      if (servers < 1 || servers > 8) {
        throw new IllegalArgumentException(servers + " region servers are not within 1 and 8");
      }
      this.regionServers = servers;
      return this;
    }

    /** Uses a ZooKeeper that runs already, {@code host:port}. Default: one of its own. */
    public Builder zooKeeper(String hostAndPort) {
      this.quorum = hostAndPort;
      return this;
    }

    /** Sets a HBase property, before the cluster starts. */
    public Builder set(String key, String value) {
      settings.put(key, value);
      return this;
    }

    /**
     * Starts the cluster and waits until it takes requests: some ten seconds.
     *
     * @throws IOException if it does not start
     * @throws InterruptedException if the waiting is interrupted
     */
    public EmbeddedHBase start() throws IOException, InterruptedException {
      // Several servers of one process would register metrics under one name.
      DefaultMetricsSystem.setMiniClusterMode(true);
      MiniZooKeeperCluster zooKeeper = null;
      String address = quorum;
      if (address == null) {
        zooKeeper = new MiniZooKeeperCluster(HBaseConfiguration.create());
        address = "127.0.0.1:" + zooKeeper.startup(directory.resolve("zookeeper").toFile());
      }
      Configuration configuration = localConfiguration(directory, address);
      if (zooKeeper != null) {
        // Only this process has sessions: one that ends early says only that it had no
        // processor. The longest that ZooKeeper grants.
        configuration.setInt(HConstants.ZK_SESSION_TIMEOUT, 40_000);
      }
      settings.forEach(configuration::set);
      LocalHBaseCluster cluster = new LocalHBaseCluster(configuration, 1, regionServers);
      EmbeddedHBase hbase = new EmbeddedHBase(zooKeeper, cluster, configuration);
      try {
        cluster.startup();
        hbase.awaitReady();
      } catch (IOException | RuntimeException e) {
        hbase.close();
        throw e;
      }
      return hbase;
    }
  }

  /** A region server may be known to the master before the meta table is there. */
  private void awaitReady() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      admin.listTableDescriptors(); // retried by HBase's own client until the master answers
    }
  }
}
