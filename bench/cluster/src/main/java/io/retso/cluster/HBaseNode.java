package io.retso.cluster;

import io.retso.hbase.embedded.EmbeddedHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.regionserver.HRegionServer;

/**
 * One server of HBase, or a master and a region server, as a process of its own. It ends with its
 * standard input, cleanly.
 */
public final class HBaseNode {
  /** Which servers run in the process. */
  enum Role {
    /** A master and one region server. */
    ALL,
    MASTER,
    REGION_SERVER
  }

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private HBaseNode() {}

  /** The arguments of {@link #main}. */
  static List<String> arguments(
      Role role, Path directory, String zooKeeper, Path ready, List<String> settings) {
    List<String> arguments =
        new ArrayList<>(List.of(role.name(), directory.toString(), zooKeeper, ready.toString()));
    arguments.addAll(settings);
    return arguments;
  }

  /** Role, directory, ZooKeeper, ready file, and settings {@code key=value}. */
  public static void main(String[] arguments) throws Exception {
    Role role = Role.valueOf(arguments[0]);
    Path directory = Path.of(arguments[1]);
    Path ready = Path.of(arguments[3]);
    try {
      if (role == Role.ALL) {
        EmbeddedHBase.Builder builder = EmbeddedHBase.in(directory).zooKeeper(arguments[2]);
        eachSetting(arguments, builder::set);
        try (EmbeddedHBase hbase = builder.start()) {
          Files.writeString(ready, hbase.zooKeeper());
          awaitParent();
        }
      } else {
        Configuration configuration = EmbeddedHBase.localConfiguration(directory, arguments[2]);
        eachSetting(arguments, configuration::set);
        run(role, configuration, ready);
      }
      System.exit(0); // whatever threads HBase leaves
    } catch (IOException | RuntimeException e) {
      e.printStackTrace(); // the parent shows the last lines
      System.exit(1);
    }
  }

  private static void eachSetting(String[] arguments, BiConsumer<String, String> setting) {
    for (int i = 4; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      setting.accept(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
    }
  }

  private static void run(Role role, Configuration configuration, Path ready)
      throws IOException, InterruptedException {
    HRegionServer server =
        role == Role.MASTER ? new HMaster(configuration) : new HRegionServer(configuration);
    server.start();
    // A master is ready when it can be asked; it initializes once a region server is there.
    while (role == Role.MASTER ? !((HMaster) server).isActiveMaster() : !server.isOnline()) {
      if (!server.isAlive() || server.isAborted()) {
        throw new IOException(role + " ended while it started");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    Files.writeString(ready, configuration.get("hbase.zookeeper.quorum"));
    Thread watch = new Thread(() -> haltWith(server), "watch");
    watch.setDaemon(true);
    watch.start();
    awaitParent();
    if (role == Role.MASTER) {
      ((HMaster) server).stopMaster();
    } else {
      server.stop("the parent closes it");
    }
    server.join();
  }

  /** A server that aborts takes its process with it. */
  private static void haltWith(HRegionServer server) {
    try {
      server.join();
      if (server.isAborted()) {
        Runtime.getRuntime().halt(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void awaitParent() throws IOException {
    while (System.in.read() >= 0) {
      // The parent never writes; what counts is the end.
    }
  }
}
