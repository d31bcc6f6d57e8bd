package io.retso.simulator;

import io.retso.client.CommitRequest;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Servers, clients, a table, the ledgers, and everything that can happen to them. */
final class World {
  static final long NETWORK_DELAY = 100 * Simulation.MICROS;
  static final long TABLE_DELAY = 50 * Simulation.MICROS;
  static final long HAND_OVER = 2 * Simulation.MICROS;

  /** A server that was deposed lives on for at most so long. */
  static final long ZOMBIE_LIFE_MAX = 60 * Simulation.MILLIS;

  /** A machine sleeps for at most so long. */
  static final long ASLEEP_MAX = 50 * Simulation.MILLIS;

  private static final long JOURNAL_DELAY = 100 * Simulation.MICROS;
  private static final long BOOKIE_DELAY = 60 * Simulation.MICROS;
  private static final long CALL_DELAY = 150 * Simulation.MICROS;
  private static final long CALL_PATIENCE = 30 * Simulation.MILLIS;
  private static final long CUT_OFF_MAX = 60 * Simulation.MILLIS;
  private static final int CLOCK_JUMP_HOURS_MAX = 24;
  private static final int FAILURE_ODDS = 300;
  private static final int JANITORS = 3;
  private static final int SWEEPERS = 2;
  private static final int STANDBYS = 2;
  private static final int ASKERS = 2;

  /** Ledgers that span a window, and those that are being prepared or deleted. */
  private static final int CATALOG_AT_REST = 10;

  private static final long PATIENCE = 60_000 * Simulation.MILLIS;

  /** When the last fault is so long ago, whoever asks for a commit has it. */
  private static final long HEALTHY_AFTER = 500 * Simulation.MILLIS;

  /** A transaction that nobody drives any more. */
  record Orphan(long start, List<Long> rows) {}

  private final Simulation simulation;
  private final Sizes sizes;
  private final VersionedTable table = new VersionedTable();
  private final History history = new History(table);
  private final SimulatedLedgers ledgers;
  private final List<SimulatedServer> servers = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Janitor> janitors = new ArrayList<>();
  private final List<Orphan> orphans = new ArrayList<>();
  private final TreeMap<Integer, Long> takeOvers = new TreeMap<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private int newestEpoch;
  private long operations;
  private boolean draining;

  /** Until then a leader may be deposed that does not know it. */
  private long doubtfulUntil;

  World(long seed) {
    sizes = Sizes.random(new Random(seed));
    simulation = new Simulation(seed);
    ledgers =
        new SimulatedLedgers(
            simulation,
            new SimulatedLedgers.Behaviour(
                JOURNAL_DELAY, BOOKIE_DELAY, CALL_DELAY, CALL_PATIENCE, FAILURE_ODDS),
            history);
  }

  Simulation simulation() {
    return simulation;
  }

  Sizes sizes() {
    return sizes;
  }

  VersionedTable table() {
    return table;
  }

  History history() {
    return history;
  }

  SimulatedLedgers ledgers() {
    return ledgers;
  }

  /** How often rare things happened. */
  Map<String, Long> counts() {
    return counts;
  }

  long operations() {
    return operations;
  }

  boolean isDraining() {
    return draining;
  }

  void operation() {
    operations++;
  }

  void counted(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** Rows are skewed towards 0, which is a row like any other. */
  long anyRow() {
    double skew = simulation.random().nextDouble();
    return (long) (skew * skew * sizes.rowRange());
  }

  /** Single-row cleanup: to the commit timestamp if {@code outcome} is one, or away. */
  void finishRow(long row, long start, long outcome) {
    if (outcome > 0) {
      table.moveToCommit(row, start, outcome);
    } else {
      table.takeBack(row, start);
    }
  }

  void orphan(long start, Set<Long> rows) {
    orphans.add(new Orphan(start, List.copyOf(rows)));
    counted("orphans");
  }

  Orphan anyOrphan() {
    return orphans.isEmpty() ? null : orphans.remove(simulation.below(orphans.size()));
  }

  // Servers.

  /** A server took the log over: those before it are zombies, and will not live long. */
  void tookOver(int epoch) {
    newestEpoch = Math.max(newestEpoch, epoch);
    List<SimulatedServer> deposed = new ArrayList<>();
    for (SimulatedServer server : servers) {
      if (server.epoch() != 0 && server.epoch() < epoch) {
        deposed.add(server);
      }
    }
    if (deposed.stream().anyMatch(server -> server.isCutOff() && server.isServing())) {
      counted("taken over from one that is cut off");
    }
    long life = simulation.random().nextInt((int) ZOMBIE_LIFE_MAX);
    simulation.after(life, () -> deposed.forEach(SimulatedServer::die));
  }

  /** The number that a log gives its take-over must grow in the order of take-overs. */
  void numbered(int epoch, long number) {
    takeOvers.put(epoch, number);
    Map.Entry<Integer, Long> before = takeOvers.lowerEntry(epoch);
    Map.Entry<Integer, Long> after = takeOvers.higherEntry(epoch);
    must(before == null || before.getValue() < number, "the epoch goes back to " + number);
    must(after == null || after.getValue() > number, "the epoch goes back from " + number);
    takeOvers.headMap(epoch - 1000).clear();
  }

  boolean isNewest(int epoch) {
    return epoch == newestEpoch;
  }

  /** Where a client that looks for a server ends up; mostly at the newest. */
  SimulatedServer anyServer() {
    List<SimulatedServer> serving = servers.stream().filter(SimulatedServer::isServing).toList();
    if (serving.isEmpty()) {
      return null;
    }
    int index = simulation.oneIn(5) ? simulation.below(serving.size()) : serving.size() - 1;
    return serving.get(index);
  }

  /** A standby takes over, if there is one and it is its turn; or a server that knows nothing. */
  private void startServer() {
    List<SimulatedServer> standbys =
        servers.stream().filter(SimulatedServer::isStandingBy).toList();
    if (!standbys.isEmpty() && !simulation.oneIn(3)) {
      anyOf(standbys).takeOver();
    } else {
      addServer().start();
    }
  }

  SimulatedServer addServer() {
    servers.removeIf(server -> !server.isAlive());
    SimulatedServer server = new SimulatedServer(this);
    servers.add(server);
    return server;
  }

  private void supervise() {
    if (servers.stream().noneMatch(server -> server.isAlive() && !server.isStandingBy())) {
      startServer();
    }
    long standbys = servers.stream().filter(SimulatedServer::isStandingBy).count();
    if (standbys < STANDBYS && simulation.oneIn(4)) {
      addServer().standBy();
    }
    simulation.after(simulation.delay(Simulation.MILLIS), this::supervise);
  }

  // Faults.

  private void fault() {
    if (draining) {
      return;
    }
    simulation.after(simulation.delay(sizes.faultEvery()), this::fault);
    if (servers.stream().noneMatch(SimulatedServer::isServing) && !simulation.oneIn(20)) {
      return; // a take-over is longer than the time between two faults: let one succeed
    }
    switch (simulation.below(24)) {
      case 0, 1 -> servers.forEach(SimulatedServer::die);
      case 2 -> anyOf(servers).die();
      case 3, 4 -> startServer(); // the others live on
      case 10 -> {
        servers.forEach(server -> server.pause(1 + simulation.below((int) ZOMBIE_LIFE_MAX / 2)));
        startServer();
      }
      case 5 -> {
        simulation.after(simulation.delay(CALL_DELAY), this::startServer);
        startServer();
      }
      case 6, 7 -> {
        anyClient().cut();
      }
      case 8 -> janitors.forEach(janitor -> janitor.client().cut());
      case 11, 12, 13 -> cutOff(anyOf(servers));
      case 15, 16 -> anyOf(servers).stop();
      case 14 -> {
        long millis =
            simulation.oneIn(2)
                ? 1 + simulation.below(100)
                : (1 + simulation.below(CLOCK_JUMP_HOURS_MAX)) * 3_600_000L;
        anyOf(servers).setClock(simulation.oneIn(2) ? millis : -millis);
      }
      case 20, 21 -> bookieFault();
      case 22, 23 -> cutOffBookies(anyOf(servers));
      case 17, 18, 19 -> servers.stream().filter(this::isLeader).findAny().ifPresent(this::depose);
      default -> replaceClient();
    }
    history.prune();
  }

  /** From one party, from the whole log, or from all; mostly others take over meanwhile. */
  private void cutOff(SimulatedServer server) {
    long duration = 1 + simulation.below((int) CUT_OFF_MAX);
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
    if (!simulation.oneIn(3)) {
      simulation.after(simulation.delay(CALL_DELAY), this::startServer);
    }
  }

  /** One bookie, mostly; now and then two, which is too many for some ledgers. */
  private void bookieFault() {
    int bookies = simulation.oneIn(8) ? 2 : 1;
    for (int i = 0; i < bookies; i++) {
      Bookie bookie = ledgers.bookie(simulation.below(SimulatedLedgers.BOOKIES));
      long duration = 1 + simulation.below((int) CUT_OFF_MAX);
      switch (simulation.below(3)) {
        case 0 -> {
          counted("bookies that crashed");
          bookie.crash(duration);
        }
        case 1 -> {
          counted("bookies that were slow");
          bookie.slow(duration);
        }
        default -> {
          counted("bookies that refused writes");
          bookie.failWrites(duration);
        }
      }
    }
  }

  /** Each bookie as chance will have it, in one direction or both; others may take over. */
  private void cutOffBookies(SimulatedServer server) {
    long duration = 1 + simulation.below((int) CUT_OFF_MAX);
    for (int bookie = 0; bookie < SimulatedLedgers.BOOKIES; bookie++) {
      for (Way way : Way.values()) {
        if (simulation.oneIn(3)) {
          server.cutOff(bookie, way, duration);
        }
      }
    }
    counted("cut off from some bookies");
    if (simulation.oneIn(2)) {
      simulation.after(simulation.delay(CALL_DELAY), this::startServer);
    }
  }

  private boolean isLeader(SimulatedServer server) {
    return server.isServing() && isNewest(server.epoch());
  }

  /** Another server takes over from one that goes on, or sleeps, and hears nothing of it. */
  private void depose(SimulatedServer leader) {
    long asleep = 1 + simulation.below((int) Math.min(2 * sizes.lease(), ASLEEP_MAX));
    long deaf = 1 + simulation.below(3 * (int) sizes.lease());
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
    counted("deposed unheard");
    simulation.after(simulation.delay(CALL_DELAY), this::startServer);
  }

  /** A leader may have been deposed that does not know it. */
  boolean isDoubtful() {
    return simulation.now() < doubtfulUntil;
  }

  /**
   * A server has begun to lead: some clients learn of it and go there. Now and then it is stopped
   * at once, while the one before may still have a lease.
   */
  void leads(SimulatedServer leader) {
    if (isDoubtful() && !draining && simulation.oneIn(4)) {
      leader.stop();
      simulation.after(simulation.delay(Simulation.MILLIS), this::startServer);
    }
    for (Worker worker : workers) {
      if (simulation.oneIn(3)) {
        worker.client().cut();
      }
    }
  }

  private <T> T anyOf(List<T> list) {
    return list.get(simulation.below(list.size()));
  }

  private SimulatedClient anyClient() {
    return workers.get(simulation.below(workers.size())).client();
  }

  private void replaceClient() {
    SimulatedClient dead = anyClient();
    dead.die();
    workers.stream().filter(worker -> worker.client() == dead).forEach(Worker::abandon);
    workers.removeIf(worker -> worker.client() == dead);
    startClient();
  }

  private void startClient() {
    SimulatedClient client = new SimulatedClient(this);
    for (int i = 0; i < sizes.workersPerClient(); i++) {
      Worker worker = new Worker(this, client);
      workers.add(worker);
      worker.run();
    }
  }

  /** Runs at least so many operations with faults; then heals, drains, and reads every row. */
  void run(long operationsWanted) {
    supervise();
    for (int i = 0; i < sizes.clients(); i++) {
      startClient();
    }
    for (int i = 0; i < JANITORS; i++) {
      Janitor janitor = new Janitor(this);
      janitors.add(janitor);
      janitor.run();
    }
    for (int i = 0; i < SWEEPERS; i++) {
      new Sweeper(this).run();
    }
    for (int i = 0; i < ASKERS; i++) {
      new Asker(this).run();
    }
    simulation.after(sizes.faultEvery(), this::fault);
    long deadline = simulation.now() + PATIENCE + operationsWanted * Simulation.MILLIS;
    must(
        simulation.run(() -> operations >= operationsWanted, deadline),
        () -> "the world stands still: " + counts + ", " + ledgers);
    draining = true;
    mustCommitSoon();
    must(simulation.run(this::isQuiet, simulation.now() + PATIENCE), "work is never finished");
    readEverything();
    rollOn();
    counts.put("earlier call answered first", ledgers.order().earlierFirst());
    counts.put("later call answered first", ledgers.order().laterFirst());
  }

  /** Without faults somebody leads soon, whatever happened before. */
  private void mustCommitSoon() {
    SimulatedClient client = new SimulatedClient(this);
    boolean[] committed = {false};
    tryToCommit(client, committed);
    must(
        simulation.run(() -> committed[0], simulation.now() + HEALTHY_AFTER),
        () -> "nothing is committed for long: " + ledgers);
  }

  private void tryToCommit(SimulatedClient client, boolean[] committed) {
    client.begin(
        start ->
            client.call(
                FrameType.COMMIT,
                start,
                0,
                CommitRequest.of(start).withWrites(sizes.rowRange()),
                outcome -> {
                  orphan(start, Set.of());
                  committed[0] = Outcome.isCommitted(outcome);
                  if (!committed[0]) {
                    tryToCommit(client, committed);
                  }
                }));
  }

  private boolean isQuiet() {
    return orphans.isEmpty()
        && janitors.stream().allMatch(Janitor::isIdle)
        && workers.stream().allMatch(Worker::isIdle);
  }

  private void readEverything() {
    SimulatedClient client = new SimulatedClient(this);
    int[] unread = {sizes.rowRange()};
    client.begin(
        answer -> {
          for (long row = 0; row < sizes.rowRange(); row++) {
            new RowReader(this, client, row, answer, seen -> unread[0]--).run();
          }
        });
    must(simulation.run(() -> unread[0] == 0, simulation.now() + PATIENCE), "the last read hangs");
  }

  /** With one healthy server, time that passes deletes what no recovery needs. */
  private void rollOn() {
    SimulatedClient client = new SimulatedClient(this);
    long[] begins = {0};
    tick(client, begins);
    long wanted = 4L * sizes.windowTimestamps();
    must(
        simulation.run(
            () -> begins[0] > wanted && ledgers.catalog().size() < CATALOG_AT_REST,
            simulation.now() + 10 * PATIENCE),
        "old ledgers are not deleted");
  }

  private void tick(SimulatedClient client, long[] begins) {
    client.begin(
        answer -> {
          begins[0]++;
          simulation.after(simulation.delay(10 * TABLE_DELAY), () -> tick(client, begins));
        });
  }

  private static void must(boolean condition, Supplier<String> otherwise) {
    Violation.unless(condition, otherwise);
  }

  private static void must(boolean condition, String otherwise) {
    Violation.unless(condition, otherwise);
  }
}
