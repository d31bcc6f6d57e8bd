package io.retso.server.embedded;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperSession;
import io.retso.log.bookkeeper.ZooKeeperTree;
import io.retso.server.config.Obstacle;
import io.retso.text.ErrorText;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.util.ServiceUtils;

/**
 * One ZooKeeper in this process, on the loopback address, with its data in a directory. The caller
 * makes sure that no other process uses the directory.
 */
final class EmbeddedZooKeeper implements AutoCloseable {
  /** Sessions may be as short as twice this, milliseconds. */
  private static final int TICK_MS = 500;

  /** That of IPv4, which machines of an IPv6-only cluster have, too, whatever the JVM prefers. */
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private static final String PUT_BACK =
      "put back a sound copy, or give the log up by choosing another data directory, with"
          + " timestamps.first above every timestamp in the tables";

  private static final int SESSION_MS_MAX = 60_000;
  private static final int CLIENTS_MAX = 1000;
  private static final int PORT_MAX = (1 << 16) - 1;
  private static final int SNAPSHOTS_KEPT = 3;
  private static final long TRANSACTION_LOG_STEP_KB = 1024;

  private final ServerCnxnFactory connections;
  private final ZooKeeperServer server;

  private final ZooKeeperAccess access;

  private EmbeddedZooKeeper(
      ServerCnxnFactory connections, ZooKeeperServer server, ZooKeeperAccess access) {
    this.connections = connections;
    this.server = server;
    this.access = access;
  }

  /**
   * Starts it, and gives all its nodes to those that may read and change them.
   *
   * @throws LockedException if they are of a server with another secret
   * @throws IOException if its data cannot be used
   */
  static EmbeddedZooKeeper start(Path directory, ZooKeeperAccess access) throws IOException {
    // It would end the process, with a code of its own and without a word of ours.
    ServiceUtils.setSystemExitProcedure(
        code -> {
          throw new IllegalStateException("ZooKeeper gives up, with its exit code " + code);
        });
    try {
      Files.createDirectories(directory);
      File data = directory.toFile();
      // 64 MB by default, of which this ZooKeeper would use a few KB.
      FileTxnLog.setPreallocSize(TRANSACTION_LOG_STEP_KB);
      PurgeTxnLog.purge(data, data, SNAPSHOTS_KEPT);
      ZooKeeperServer server = new ZooKeeperServer(data, data, TICK_MS);
      server.setMaxSessionTimeout(SESSION_MS_MAX);
      return start(server, bind(directory.resolve("port")), access);
    } catch (LockedException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "the embedded ZooKeeper cannot use its data in "
              + directory
              + ": "
              + ErrorText.of(e)
              + "; "
              + Obstacle.remedy(e, PUT_BACK),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while ZooKeeper starts", e);
    }
  }

  private static EmbeddedZooKeeper start(
      ZooKeeperServer server, ServerCnxnFactory connections, ZooKeeperAccess access)
      throws IOException, InterruptedException {
    boolean starts = false;
    try {
      connections.startup(server);
      EmbeddedZooKeeper started = new EmbeddedZooKeeper(connections, server, access);
      started.secure();
      starts = true;
      return started;
    } finally {
      if (!starts) {
        connections.shutdown();
      }
    }
  }

  private static ServerCnxnFactory bind(Path portFile) throws IOException {
    int last = lastPort(portFile);
    ServerCnxnFactory connections;
    try {
      connections = bind(last);
    } catch (BindException e) {
      connections = bind(0);
    }
    Files.writeString(portFile, connections.getLocalPort() + "\n");
    return connections;
  }

  /** The port of before, if it can be known: the file may be empty after a power failure. */
  private static int lastPort(Path portFile) throws IOException {
    String text = Files.exists(portFile) ? Files.readString(portFile, ISO_8859_1).trim() : "";
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    return port <= PORT_MAX ? port : 0;
  }

  private static ServerCnxnFactory bind(int port) throws IOException {
    ServerCnxnFactory connections = new NIOServerCnxnFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), CLIENTS_MAX);
    return connections;
  }

  /** Nodes that are there may be of settings that left them to all. */
  private void secure() throws IOException, InterruptedException {
    try (ZooKeeperSession session = ZooKeeperTree.connect(address(), access)) {
      ZooKeeperTree.set(session, List.of("/"), List.of(), access);
    } catch (KeeperException.NoAuthException e) {
      throw new LockedException(
          "the nodes of the embedded ZooKeeper were given to another secret than this server has",
          e);
    } catch (KeeperException e) {
      throw new IOException("its nodes cannot be given to this server", e);
    }
  }

  String address() {
    return "127.0.0.1:" + connections.getLocalPort();
  }

  boolean exists(String path) {
    return server.getZKDatabase().getNode(path) != null;
  }

  /** Deletes a node if it exists, whichever session it belongs to. */
  void delete(String path) throws IOException {
    if (!exists(path)) {
      return;
    }
    try (ZooKeeperSession client = ZooKeeperTree.connect(address(), access)) {
      client.delete(path, -1);
    } catch (KeeperException.NoNodeException e) {
      return; // its session ended meanwhile
    } catch (KeeperException e) {
      throw new IOException("cannot delete " + path + " from the embedded ZooKeeper", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while ZooKeeper starts", e);
    }
  }

  @Override
  public void close() {
    connections.shutdown(); // stops the server, too
  }
}
