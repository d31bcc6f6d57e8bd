package io.retso.simulator;

import io.retso.member.LeaderWatch;
import io.retso.protocol.ServerRole;
import io.retso.simulator.SimulatedLedgers.Party;
import java.util.function.Consumer;

/**
 * What a process learns from the leader's port: that it answers, or hands over; that nobody listens
 * there, a moment after the process died; nothing if its machine went, too, or one of both is cut
 * off. A port may be closed although the process lives.
 */
final class PortWatch implements LeaderWatch {
  private final Simulation simulation;
  private final Cluster cluster;
  private final SimulatedProcess watcher;
  private String watched = "";
  private Consumer<ServerRole> hears = role -> {};
  private long delay;

  PortWatch(World world, SimulatedProcess watcher) {
    this.simulation = world.simulation();
    this.cluster = world.cluster();
    this.watcher = watcher;
  }

  @Override
  public void watch(String address, Consumer<ServerRole> said, Runnable gone) {
    if (!address.equals(watched)) {
      watched = address;
      hears = said;
      delay = simulation.delay(World.NETWORK_DELAY);
    }
  }

  boolean watches(String address) {
    return address.equals(watched);
  }

  /** The server at an address has another role, of which this hears if it can. */
  void heard(String address, ServerRole role) {
    Consumer<ServerRole> listener = hears;
    if (watches(address) && hasAnswered()) {
      simulation.after(
          simulation.delay(World.NETWORK_DELAY),
          () ->
              watcher.whenAwake(
                  () -> {
                    if (hears == listener) {
                      listener.accept(role);
                    }
                  }));
    }
  }

  @Override
  public boolean hasAnswered() {
    SimulatedServer server = cluster.at(watched);
    return server != null
        && server.isAwake()
        && !server.isCutOff(Party.CLIENTS)
        && !watcher.isCutOff(Party.CLIENTS);
  }

  @Override
  public boolean isGone() {
    return !watched.isEmpty()
        && !watcher.isCutOff(Party.CLIENTS)
        && cluster.refuses(watched, simulation.now() - delay);
  }

  @Override
  public void close() {
    watch("", role -> {}, () -> {});
  }
}
