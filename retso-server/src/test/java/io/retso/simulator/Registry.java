package io.retso.simulator;

import io.retso.member.Roster;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.ArrayList;
import java.util.List;

/**
 * The registrations of members in ZooKeeper, in the order in which they were made. One goes when
 * nothing was heard of its process for the time of a session, so a dead one stays for a while, and
 * one that lives may go; it registers again then, as the last one. Changes are noticed late.
 */
final class Registry {
  /** A process of which nothing is heard for so long loses its registration. */
  private static final long SESSION = 40 * Simulation.MILLIS;

  private static final long CALL_DELAY = 150 * Simulation.MICROS;
  private static final int SIGNS_OF_LIFE = 4;

  private final World world;
  private final Simulation simulation;

  /** Those of processes that live, or did lately. */
  private final List<Session> sessions = new ArrayList<>();

  /** Those that are registered. */
  private final List<Session> registered = new ArrayList<>();

  Registry(World world) {
    this.world = world;
    this.simulation = world.simulation();
  }

  /** Begins to look for signs of life. */
  void run() {
    for (Session session : List.copyOf(sessions)) {
      if (session.process.isAwake() && !session.process.isCutOff(Party.CATALOG)) {
        session.sign();
      }
      if (registered.contains(session) && simulation.now() - session.heard > SESSION) {
        registered.remove(session);
        world.counted(
            session.process.isAlive()
                ? "sessions of the living that lapsed"
                : "sessions that lapsed");
        changed();
      }
    }
    sessions.removeIf(session -> !session.process.isAlive() && !registered.contains(session));
    simulation.after(simulation.delay(SESSION / SIGNS_OF_LIFE), this::run);
  }

  Roster connect(SimulatedProcess process) {
    Session session = new Session(process);
    sessions.add(session);
    return session;
  }

  /** Those that are connected hear of it, each in its time. */
  private void changed() {
    for (Session session : sessions) {
      simulation.after(simulation.delay(CALL_DELAY), session::look);
    }
  }

  private final class Session implements Roster {
    private final SimulatedProcess process;

    /** What it says of itself; null before it said anything. */
    private Entry own;

    /** What ZooKeeper has of it. */
    private Entry stored;

    private List<Entry> known = List.of();
    private long heard;

    Session(SimulatedProcess process) {
      this.process = process;
    }

    @Override
    public void publish(Entry entry) {
      boolean isNews = own == null || own.isReady() != entry.isReady();
      own = entry;
      if (isNews) {
        simulation.after(simulation.delay(CALL_DELAY), this::arrive);
      }
    }

    /** Waits until it can reach ZooKeeper. */
    private void arrive() {
      long until = process.cutOffUntil(Party.CATALOG, Way.OUT);
      if (until > simulation.now()) {
        simulation.at(until, this::arrive);
      } else if (process.isAlive()) {
        sign();
      }
    }

    /** ZooKeeper hears of it, and has what it says. */
    private void sign() {
      heard = simulation.now();
      if (own == null || own.equals(stored) && registered.contains(this)) {
        return;
      }
      stored = own;
      if (!registered.contains(this)) {
        registered.add(this);
      }
      changed();
    }

    /** It learns of all. */
    private void look() {
      long until = process.cutOffUntil(Party.CATALOG, Way.IN);
      if (until > simulation.now()) {
        simulation.at(until, this::look);
      } else {
        process.whenAwake(
            () -> known = registered.stream().map(session -> session.stored).toList());
      }
    }

    @Override
    public List<Entry> members() {
      return known;
    }

    @Override
    public void close() {
      if (registered.remove(this)) {
        changed();
      }
    }
  }
}
