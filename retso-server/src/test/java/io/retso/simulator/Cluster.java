package io.retso.simulator;

import io.retso.protocol.ServerRole;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The servers that share the log, each at an address of its own, where it is started again. */
final class Cluster {
  /** A server that was deposed and does not notice it lives on for at most so long. */
  static final long ZOMBIE_LIFE_MAX = 60 * Simulation.MILLIS;

  /**
   * Once its ledgers are fenced a leader finds out within so long, if nothing keeps it from talking
   * to the log. An entry is due within 2 ms, the sixth part of the longest lease, and is refused.
   * Then it reads the catalog. What it reads may be late; so one call, to replace what it has read,
   * may take all of its time, which is 30 ms, and what it knows behind that is not late. The rest
   * is for some ten answers that take their usual time.
   */
  private static final long NOTICED_AFTER = 45 * Simulation.MILLIS;

  private static final long MACHINE_STARTS = 60 * Simulation.MILLIS;

  private static final class Host {
    /** Null before the first. */
    SimulatedServer process;

    long diedAt;

    /** Nothing answers until then, as the machine went down with the process. */
    long silentUntil;

    /** Connections are refused until then, although the process lives. */
    long closedUntil;

    boolean isVacant() {
      return process == null || !process.isAlive();
    }
  }

  private final World world;
  private final Simulation simulation;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final TreeMap<Integer, Long> numbers = new TreeMap<>();
  private int newestEpoch;
  private int newestBegun;
  private int takeOverCount;

  Cluster(World world, int members) {
    this.world = world;
    this.simulation = world.simulation();
    for (int i = 0; i < members; i++) {
      hosts.put("oracle-" + i + ":1", new Host());
    }
  }

  /** Where all servers are. */
  List<String> addresses() {
    return List.copyOf(hosts.keySet());
  }

  /** Keeps a process running at each address. */
  void run() {
    for (String address : hosts.keySet()) {
      Host host = hosts.get(address);
      boolean isFirst = host.process == null;
      if (host.isVacant()
          && host.silentUntil <= simulation.now()
          && simulation.oneIn(isFirst ? 2 : 8)) {
        start(address);
      }
    }
    simulation.after(simulation.delay(Simulation.MILLIS), this::run);
  }

  SimulatedServer start(String address) {
    Host host = hosts.get(address);
    Violation.unless(host.isVacant(), "two processes at " + address);
    host.process = new SimulatedServer(world, address, world.sizes().resized(simulation.random()));
    return host.process;
  }

  void died(SimulatedServer server) {
    Host host = hosts.get(server.address());
    host.diedAt = simulation.now();
    if (simulation.oneIn(3)) {
      host.silentUntil = simulation.now() + simulation.below((int) MACHINE_STARTS);
      world.counted("machines that went down");
    }
  }

  /** Has a port refuse connections for a while, of a process that lives. */
  void closePort(SimulatedServer server, long duration) {
    hosts.get(server.address()).closedUntil = simulation.now() + duration;
    world.counted("ports closed");
  }

  /** Whether a connection that was made at a time, or since, was closed or refused. */
  boolean refuses(String address, long since) {
    Host host = hosts.get(address);
    return host.closedUntil > simulation.now()
        || host.isVacant() && host.diedAt <= since && host.silentUntil <= simulation.now();
  }

  /** A server tells those that watch it of its role. */
  void said(String address, ServerRole role) {
    servers().forEach(server -> server.watch().heard(address, role));
  }

  /** The process at an address; null if there is none. */
  SimulatedServer at(String address) {
    Host host = hosts.get(address);
    return host == null || host.isVacant() ? null : host.process;
  }

  /** Those that live. */
  List<SimulatedServer> servers() {
    return hosts.values().stream().filter(h -> !h.isVacant()).map(h -> h.process).toList();
  }

  /** Those that lead, or believe that they do, the newest one last. */
  List<SimulatedServer> leaders() {
    List<SimulatedServer> leaders = new ArrayList<>(servers());
    leaders.removeIf(server -> !server.isServing());
    leaders.sort((one, other) -> Integer.compare(one.epoch(), other.epoch()));
    return leaders;
  }

  /** The one that leads; null if none does. */
  SimulatedServer leader() {
    List<SimulatedServer> leaders = leaders();
    SimulatedServer newest = leaders.isEmpty() ? null : leaders.get(leaders.size() - 1);
    return newest != null && isNewest(newest.epoch()) ? newest : null;
  }

  /** Where a balancer sends a client: mostly to the newest that leads; null if none does. */
  SimulatedServer anyLeader() {
    List<SimulatedServer> leaders = leaders();
    if (leaders.isEmpty()) {
      return null;
    }
    return leaders.get(simulation.oneIn(5) ? simulation.below(leaders.size()) : leaders.size() - 1);
  }

  // Epochs.

  /** A server took the log over: those before it are zombies, and will not live long. */
  void tookOver(int epoch) {
    takeOverCount++;
    newestEpoch = Math.max(newestEpoch, epoch);
    for (SimulatedServer server : servers()) {
      int old = server.epoch();
      if (old != 0 && old < epoch && server.isInOffice()) {
        if (server.isCutOff() && server.isServing()) {
          world.counted("taken over from one that is cut off");
        }
        simulation.after(
            simulation.below((int) ZOMBIE_LIFE_MAX),
            () -> {
              if (server.isAlive() && server.epoch() == old && server.isInOffice()) {
                world.counted("deposed and killed");
                server.die();
              }
            });
      }
    }
  }

  /**
   * A take-over is complete, so the ledgers of all leaders before it are fenced. Until then one may
   * go on: the one that entered the catalog may die before that.
   */
  void began(int epoch) {
    newestBegun = Math.max(newestBegun, epoch);
    for (SimulatedServer server : leaders()) {
      int old = server.epoch();
      if (old < newestBegun) {
        simulation.after(NOTICED_AFTER, () -> mustHaveNoticed(server, old));
      }
    }
  }

  private static void mustHaveNoticed(SimulatedServer server, int epoch) {
    Violation.unless(
        !server.isServing() || server.epoch() != epoch || !server.isUndisturbedFor(NOTICED_AFTER),
        () -> "a deposed server does not notice it: " + server);
  }

  /** How often the log was taken over. */
  int takeOvers() {
    return takeOverCount;
  }

  /** The number that a log gives its take-over must grow in the order of take-overs. */
  void numbered(int epoch, long number) {
    numbers.put(epoch, number);
    Map.Entry<Integer, Long> before = numbers.lowerEntry(epoch);
    Map.Entry<Integer, Long> after = numbers.higherEntry(epoch);
    Violation.unless(
        before == null || before.getValue() < number, "the epoch goes back to " + number);
    Violation.unless(
        after == null || after.getValue() > number, "the epoch goes back from " + number);
    numbers.headMap(epoch - 1000).clear();
  }

  boolean isNewest(int epoch) {
    return epoch == newestEpoch;
  }
}
