package io.retso.simulator;

import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.List;

/** What goes wrong in a world, one thing after the other. */
final class Faults {
  private static final long CUT_OFF_MAX = 60 * Simulation.MILLIS;

  /** About as long as a standby bears the silence of its leader. */
  private static final long SILENCE = 14 * Simulation.MILLIS;

  private static final int CLOCK_JUMP_HOURS_MAX = 24;
  private static final int CLOCK_JUMP_MILLIS_MAX = 100 * SimulatedProcess.CLOCK_SPEED;
  private static final int KINDS = 28;

  private final World world;
  private final Simulation simulation;
  private final Cluster cluster;

  /** Until then a leader may be deposed that does not know it. */
  private long doubtfulUntil;

  Faults(World world) {
    this.world = world;
    this.simulation = world.simulation();
    this.cluster = world.cluster();
  }

  void run() {
    if (world.isDraining()) {
      return;
    }
    simulation.after(simulation.delay(world.sizes().faultEvery()), this::run);
    // A take-over is longer than the time between two faults: let one succeed.
    if (!cluster.servers().isEmpty() && (cluster.leader() != null || simulation.oneIn(20))) {
      happen();
      world.history().prune();
    }
  }

  /** A leader may have been deposed that does not know it. */
  boolean isDoubtful() {
    return simulation.now() < doubtfulUntil;
  }

  private void happen() {
    List<SimulatedServer> servers = cluster.servers();
    SimulatedServer any = servers.get(simulation.below(servers.size()));
    SimulatedServer leader = cluster.leader() == null ? any : cluster.leader();
    SimulatedServer one = simulation.oneIn(2) ? leader : any;
    switch (simulation.below(KINDS)) {
      case 0 -> servers.forEach(SimulatedServer::die);
      case 1, 2 -> one.die();
      case 3, 4 -> cluster.closePort(leader, simulation.delay(SILENCE));
      case 5 -> {
        one.pause(1 + simulation.below((int) Cluster.ZOMBIE_LIFE_MAX / 2));
        cluster.closePort(one, simulation.delay(SILENCE));
      }
      case 6, 7 -> world.anyClient().cut();
      case 8 -> world.cutJanitors();
      case 9 -> servers.forEach(server -> server.cutOff(Party.CATALOG, below(CUT_OFF_MAX)));
      case 10 ->
          servers.forEach(s -> s.pause(1 + simulation.below((int) Cluster.ZOMBIE_LIFE_MAX / 2)));
      case 11, 12, 13 -> cutOff(one);
      case 14 -> setClock(one);
      case 15, 16 -> one.stop();
      case 17, 18, 19 -> depose(leader);
      case 20, 21 -> bookies();
      case 22, 23 -> cutOffBookies(one);
      case 24, 25 -> leader.handOver();
      default -> world.replaceClient();
    }
  }

  private long below(long duration) {
    return 1 + simulation.below((int) duration);
  }

  private void setClock(SimulatedServer server) {
    long millis =
        simulation.oneIn(2)
            ? 1 + simulation.below(CLOCK_JUMP_MILLIS_MAX)
            : (1 + simulation.below(CLOCK_JUMP_HOURS_MAX)) * 3_600_000L;
    server.setClock(simulation.oneIn(2) ? millis : -millis);
  }

  /** From one party, from the whole log, or from all. */
  private void cutOff(SimulatedServer server) {
    long duration = below(CUT_OFF_MAX);
    switch (simulation.below(5)) {
      case 0 -> server.cutOff(Party.BOOKIES, duration);
      case 1 -> server.cutOff(Party.CATALOG, duration);
      case 2 -> server.cutOff(Party.CLIENTS, duration);
      case 3 -> {
        server.cutOff(Party.BOOKIES, duration);
        server.cutOff(Party.CATALOG, duration);
      }
      default -> {
        for (Party party : Party.values()) {
          server.cutOff(party, duration);
        }
      }
    }
  }

  /** One bookie, mostly; now and then two, which is too many for some ledgers. */
  private void bookies() {
    int bookies = simulation.oneIn(8) ? 2 : 1;
    for (int i = 0; i < bookies; i++) {
      Bookie bookie = world.ledgers().bookie(simulation.below(SimulatedLedgers.BOOKIES));
      long duration = below(CUT_OFF_MAX);
      cluster.servers().forEach(server -> server.disturbed(duration));
      switch (simulation.below(3)) {
        case 0 -> {
          world.counted("bookies that crashed");
          bookie.crash(duration);
        }
        case 1 -> {
          world.counted("bookies that were slow");
          bookie.slow(duration);
        }
        default -> {
          world.counted("bookies that refused writes");
          bookie.failWrites(duration);
        }
      }
    }
  }

  /** Each bookie as chance will have it, in one direction or both. */
  private void cutOffBookies(SimulatedServer server) {
    long duration = below(CUT_OFF_MAX);
    for (int bookie = 0; bookie < SimulatedLedgers.BOOKIES; bookie++) {
      for (Way way : Way.values()) {
        if (simulation.oneIn(3)) {
          server.cutOff(bookie, way, duration);
        }
      }
    }
    world.counted("cut off from some bookies");
  }

  /** Another server takes over from one that goes on, or sleeps, and hears nothing of it. */
  private void depose(SimulatedServer leader) {
    long lease = world.sizes().lease();
    long asleep = below(Math.min(2 * lease, World.ASLEEP_MAX));
    long deaf = below(3 * lease);
    if (simulation.oneIn(3)) {
      deaf += SILENCE;
    } else {
      cluster.closePort(leader, asleep + deaf);
    }
    switch (simulation.below(3)) {
      case 0 -> leader.pause(asleep);
      case 1 -> leader.sleep(asleep);
      default -> asleep = 0;
    }
    switch (simulation.below(4)) {
      case 0 -> leader.cutOff(Party.BOOKIES, Way.IN, asleep + deaf);
      case 1 -> leader.cutOff(Party.BOOKIES, Way.OUT, asleep + deaf);
      default -> leader.cutOff(Party.BOOKIES, asleep + deaf);
    }
    if (simulation.oneIn(2)) {
      leader.cutOff(Party.CATALOG, asleep + deaf);
    }
    doubtfulUntil = simulation.now() + asleep + deaf;
    world.counted("deposed unheard");
  }

  /**
   * A server has begun to lead: now and then it is stopped at once, while the one before may still
   * have a lease.
   */
  void leads(SimulatedServer leader) {
    if (isDoubtful() && !world.isDraining() && simulation.oneIn(4)) {
      simulation.after(0, () -> leader.whenAwake(leader::stop));
    }
  }
}
