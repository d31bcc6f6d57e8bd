package io.retso.simulator;

import java.util.Set;

/**
 * Asks for timestamps: now and then, and all the time while a leader may have been deposed. It
 * commits nothing, so it waits for nothing that such a server cannot answer.
 */
final class Asker {
  private static final long SELDOM = 2 * Simulation.MILLIS;
  private static final long OFTEN = 2 * World.NETWORK_DELAY;

  private final World world;
  private final Simulation simulation;
  private final SimulatedClient client;

  Asker(World world) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = new SimulatedClient(world);
  }

  void run() {
    if (!world.isDraining()) {
      simulation.after(simulation.delay(world.isDoubtful() ? OFTEN : SELDOM), this::ask);
    }
  }

  private void ask() {
    if (simulation.oneIn(10)) {
      client.begin(
          answer -> {
            world.orphan(answer, Set.of());
            run();
          });
    } else {
      client.timestamp(answer -> run());
    }
  }
}
