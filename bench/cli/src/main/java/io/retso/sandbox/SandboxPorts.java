package io.retso.sandbox;

import io.retso.cluster.ClusterException;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Where the parts of a sandbox listen.
 *
 * @param zooKeeper the port of HBase's; null or 0 for any free one
 * @param oracle the same of the oracle
 */
record SandboxPorts(Integer zooKeeper, Integer oracle) {
  /** Whether the tables that are there would not find their oracle any more. */
  boolean movesOracle(SandboxFiles files) throws IOException {
    return oracle != null && files.oraclePort().orElse(oracle) != oracle;
  }

  /** These, and those of the last time where none was chosen. */
  SandboxPorts orThoseOf(SandboxFiles files) throws IOException {
    return new SandboxPorts(
        zooKeeper == null ? files.zooKeeperPort().orElse(0) : zooKeeper,
        oracle == null ? files.oraclePort().orElse(0) : oracle);
  }

  /**
   * These, if they are free.
   *
   * @throws ClusterException if one of them is taken; names the remedy
   */
  SandboxPorts requireFree() throws IOException {
    SandboxPorts chosen =
        new SandboxPorts(zooKeeper == null ? 0 : zooKeeper, oracle == null ? 0 : oracle);
    requireFree(
        chosen.zooKeeper, "HBase's ZooKeeper", "or choose another one with --zookeeper-port");
    requireFree(
        chosen.oracle,
        "the oracle",
        "or choose another one with --oracle-port, in a new directory");
    return chosen;
  }

  private static void requireFree(int port, String user, String otherwise) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (BindException e) {
      throw new ClusterException(
          Text.of(
              "port %s for %s cannot be had (%s): end what listens there, a sandbox on the same"
                  + " data perhaps, %s",
              Integer.toString(port), user, ErrorText.of(e), otherwise),
          e);
    }
  }
}
