package io.retso.cluster;

import io.retso.front.FrontDesk;
import io.retso.log.MemoryLog;
import io.retso.net.OracleServer;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.security.AccessControl;
import io.retso.security.ClusterSecret;
import io.retso.security.Tickets;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A server without a log, in this process, on a port that was free. */
public final class InProcessServer implements AutoCloseable {
  private final OracleServer net;
  private final InetSocketAddress address;
  private boolean closed;

  /**
   * Starts a server.
   *
   * @param rows capacity of the map
   * @param uncleanedMax commits that may wait for their cleanup
   */
  public InProcessServer(long rows, int windowTimestamps, int uncleanedMax) throws IOException {
    OracleIdentity identity = new OracleIdentity(new UUID(1, 2), "in-process");
    Tickets tickets =
        new Tickets(ClusterSecret.random().keys(Tickets.PURPOSE, identity.id().toString()));
    net =
        new OracleServer(
            new OracleServer.Settings(
                1024,
                64,
                60_000,
                30_000,
                Optional::empty,
                new FrontDesk.Settings(
                    () -> identity,
                    System::nanoTime,
                    FrontDesk.Latencies.IGNORED,
                    FrontDesk.Bounds.USUAL,
                    AccessControl.open(tickets))));
    Sequencer sequencer =
        new Sequencer(
            SequencerSettings.withoutLog(4, 1 << 20),
            changes -> new StatusOracle(rows, windowTimestamps, uncleanedMax, changes),
            net.front());
    CompletableFuture.runAsync(
            () -> {
              sequencer.oracle().replay().start(16);
              net.front().lead(sequencer, ServerRole.alone(1));
              sequencer.start(new MemoryLog(sequencer), 0);
            },
            net.executor())
        .join();
    address = net.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  public InetSocketAddress address() {
    return address;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      net.close();
    }
  }

  /** Serves until it is killed; prints its port. For experiments. */
  public static void main(String[] arguments) throws Exception {
    InProcessServer server = new InProcessServer(32_000_000, 1 << 23, 1_000_000);
    System.out.println(server.address().getPort());
    Thread.currentThread().join();
  }
}
