package io.retso.members;

import io.retso.front.TestTickets;
import io.retso.net.OracleServer;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** A server with its own event loop and port that leads and follows when the test says so. */
final class TestMember implements AutoCloseable {
  private static final SequencerSettings.EntryBytes ENTRIES =
      new SequencerSettings.EntryBytes(16 << 10, 1 << 10, Limits.FRAME_BYTES_MAX / 8);
  private static final SequencerSettings.Timing TIMING =
      SequencerSettings.Timing.usual(System::nanoTime, System::currentTimeMillis);

  final SharedLog log;
  final String name;
  final OracleServer net;
  private final int port;

  TestMember(SharedLog log, OracleIdentity oracle, String name) throws IOException {
    this(log, oracle, name, 0);
  }

  TestMember(SharedLog log, OracleIdentity oracle, String name, int wantedPort) throws IOException {
    this.log = log;
    this.name = name;
    net =
        new OracleServer(
            new OracleServer.Settings(
                1_000,
                1_000,
                60_000,
                10_000,
                Optional::empty,
                TestTickets.settings(oracle, System::nanoTime)));
    port = net.listen(new InetSocketAddress("127.0.0.1", wantedPort)).getPort();
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  private <T> T onLoop(Callable<T> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    net.executor()
        .execute(
            () -> {
              try {
                done.complete(task.call());
              } catch (Exception e) {
                done.completeExceptionally(e);
              }
            });
    return done.join();
  }

  /** Connections that were accepted so far. */
  long accepted() {
    return onLoop(() -> net.counters().accepted);
  }

  /** Takes the log over; returns the time at which it began to say that it leads. */
  long lead(List<String> members) {
    return onLoop(
        () -> {
          long epoch = log.fence();
          Sequencer sequencer =
              new Sequencer(
                  new SequencerSettings(4, 1 << 12, true, ENTRIES, TIMING),
                  changes -> new StatusOracle(1 << 14, 1 << 16, 1 << 12, changes),
                  net.front());
          Recovery recovery = new Recovery(sequencer.oracle());
          log.replay(recovery);
          recovery.finish(16);
          long now = System.nanoTime();
          net.front().lead(sequencer, new ServerRole(true, epoch, name, address(), members));
          sequencer.start(log.writer(epoch, net.executor(), sequencer), recovery.lastPosition());
          return now;
        });
  }

  /** Is a standby from now on. */
  void follow(ServerRole role) {
    onLoop(
        () -> {
          net.front().follow(role);
          return null;
        });
  }

  /** Says whatever role the test wants. */
  void update(ServerRole role) {
    onLoop(
        () -> {
          net.front().update(role);
          return null;
        });
  }

  @Override
  public void close() {
    net.close();
  }
}
