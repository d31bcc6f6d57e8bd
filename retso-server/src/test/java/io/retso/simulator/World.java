package io.retso.simulator;

import io.retso.client.CommitRequest;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Servers, clients, a table, the ledgers, and everything that can happen to them. */
final class World {
  static final long NETWORK_DELAY = 100 * Simulation.MICROS;
  static final long TABLE_DELAY = 50 * Simulation.MICROS;
  static final long TASK_DELAY = 2 * Simulation.MICROS;

  /** A machine sleeps for at most so long. */
  static final long ASLEEP_MAX = 50 * Simulation.MILLIS;

  private static final long JOURNAL_DELAY = 100 * Simulation.MICROS;
  private static final long BOOKIE_DELAY = 60 * Simulation.MICROS;
  private static final long CALL_DELAY = 150 * Simulation.MICROS;
  private static final long CALL_PATIENCE = 30 * Simulation.MILLIS;
  private static final int FAILURE_ODDS = 300;
  private static final int JANITORS = 3;
  private static final int SWEEPERS = 2;
  private static final int ASKERS = 2;
  private static final int HOLDERS = 2;

  /** Ledgers that span a window, and those that are being prepared or deleted. */
  private static final int CATALOG_AT_REST = 10;

  private static final long PATIENCE = 60_000 * Simulation.MILLIS;

  /** When the last fault is so long ago, a client that asks for a commit has it. */
  private static final long HEALTHY_AFTER = 1_000 * Simulation.MILLIS;

  /** Without faults no server has a reason to take over, but long delays may be one. */
  private static final int TAKE_OVERS_IN_PEACE_MAX = 3;

  /** A transaction that is not driven any more. */
  record Orphan(long start, List<Long> rows) {}

  private final Simulation simulation;
  private final Sizes sizes;
  private final VersionedTable table = new VersionedTable();
  private final History history = new History(table);
  private final SimulatedLedgers ledgers;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Janitor> janitors = new ArrayList<>();
  private final List<Orphan> orphans = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final Registry registry;
  private final Cluster cluster;
  private final Faults faults;
  private long operations;
  private boolean draining;

  World(long seed) {
    this(seed, UnaryOperator.identity());
  }

  /** A world of one to three servers whose sizes are others than chance would have them. */
  World(long seed, UnaryOperator<Sizes> change) {
    this(seed, 1 + (int) Math.min(2, Math.abs(seed % 4)), change);
  }

  /** A world with so many servers. */
  World(long seed, int members, UnaryOperator<Sizes> change) {
    sizes = change.apply(Sizes.random(new Random(seed)));
    simulation = new Simulation(seed);
    ledgers =
        new SimulatedLedgers(
            simulation,
            new SimulatedLedgers.Behaviour(
                JOURNAL_DELAY, BOOKIE_DELAY, CALL_DELAY, CALL_PATIENCE, FAILURE_ODDS),
            history);
    registry = new Registry(this);
    cluster = new Cluster(this, members);
    faults = new Faults(this);
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

  Registry registry() {
    return registry;
  }

  Cluster cluster() {
    return cluster;
  }

  /** A leader may have been deposed that does not know it. */
  boolean isDoubtful() {
    return faults.isDoubtful();
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

  /** A server has begun to lead: some clients are sent there. */
  void leads(SimulatedServer leader) {
    faults.leads(leader);
    for (Worker worker : workers) {
      if (worker.client().isBehindBalancer() && simulation.oneIn(3)) {
        worker.client().cut();
      }
    }
  }

  // Clients.

  SimulatedClient anyClient() {
    return workers.get(simulation.below(workers.size())).client();
  }

  void cutJanitors() {
    janitors.forEach(janitor -> janitor.client().cut());
  }

  void replaceClient() {
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
    cluster.run();
    registry.run();
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
    for (int i = 0; i < HOLDERS; i++) {
      new Holder(this, i).run();
    }
    simulation.after(sizes.faultEvery(), faults::run);
    long deadline = simulation.now() + PATIENCE + operationsWanted * Simulation.MILLIS;
    must(
        simulation.run(() -> operations >= operationsWanted, deadline),
        () -> "the world stands still: " + counts + ", " + ledgers);
    draining = true;
    mustCommitSoon();
    int takeOvers = cluster.takeOvers();
    must(simulation.run(this::isQuiet, simulation.now() + PATIENCE), "work is never finished");
    readEverything();
    rollOn();
    int inPeace = cluster.takeOvers() - takeOvers;
    must(inPeace <= TAKE_OVERS_IN_PEACE_MAX, inPeace + " take-overs without a fault");
    counts.put("take-overs without a fault", (long) inPeace);
    counts.putAll(ledgers.counts());
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
                CommitRequest.of(SimulatedClient.handle(start)).withWrites(sizes.rowRange()),
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
          simulation.after(simulation.delay(2 * TABLE_DELAY), () -> tick(client, begins));
        });
  }

  private static void must(boolean condition, Supplier<String> otherwise) {
    Violation.unless(condition, otherwise);
  }

  private static void must(boolean condition, String otherwise) {
    Violation.unless(condition, otherwise);
  }
}
