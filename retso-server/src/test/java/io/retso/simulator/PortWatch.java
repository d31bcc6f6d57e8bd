package io.retso.simulator;

import io.retso.member.LeaderWatch;
import io.retso.simulator.SimulatedLedgers.Party;

/**
 * What a process learns from the leader's port: that nobody listens there, a moment after the
 * process died; nothing if its machine went, too, or one of both is cut off. A port may be closed
 * although the process lives.
 */
final class PortWatch implements LeaderWatch {
  private final Simulation simulation;
  private final Cluster cluster;
  private final SimulatedProcess watcher;
  private String watched = "";
  private long delay;

  PortWatch(World world, SimulatedProcess watcher) {
    this.simulation = world.simulation();
    this.cluster = world.cluster();
    this.watcher = watcher;
  }

  @Override
  public void watch(String address) {
    if (!address.equals(watched)) {
      watched = address;
      delay = simulation.delay(World.NETWORK_DELAY);
    }
  }

  @Override
  public boolean isGone() {
    return !watched.isEmpty()
        && !watcher.isCutOff(Party.CLIENTS)
        && cluster.refuses(watched, simulation.now() - delay);
  }

  @Override
  public void close() {
    watch("");
  }
}
